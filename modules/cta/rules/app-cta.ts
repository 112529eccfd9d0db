import { compareIds } from '../state/string-map.ts';
import type { WireRule } from './wire-rule.ts';

/** An eligible CTA, as the answer needs it. */
export interface AppCta {
  readonly ctaId: string;
  readonly rule: WireRule;
  readonly behaviourTagName: string | null;
}

/** The order of CTAs: the lower priority number first, then by id (CONTRACT §2). */
export const byPriority = (left: AppCta, right: AppCta) =>
  left.rule.priority - right.rule.priority || compareIds(left.ctaId, right.ctaId);
