import { compareIds } from '../state/string-map.ts';
import type { WireRule } from './rule-parts.ts';

/** A CTA as apps receive it, with its rule in wire format. */
export interface AppCta {
  readonly ctaId: string;
  readonly rule: WireRule;
  readonly behaviourTagName: string | null;
}

/** The order of CTAs: the lower priority number first, then by id (docs/contract.md, App launch). */
export const byPriority = (left: AppCta, right: AppCta) =>
  left.rule.priority - right.rule.priority || compareIds(left.ctaId, right.ctaId);
