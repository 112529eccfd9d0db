import type { TagDefinition } from '../rules/tag-definition.ts';
import type { WireRule } from '../rules/rule-parts.ts';
import type { CtaReset, StateMachine } from '../state/snapshot.ts';

/** One CTA of the response to an app launch, as a client reads it. */
export interface CtaEntry {
  readonly ctaId: string;
  readonly rule: WireRule;
  readonly activeStateMachines: Readonly<Record<string, StateMachine>>;
  readonly resetAt: readonly number[];
  readonly actionDoneAt: readonly number[];
  readonly behaviourTagName: string | null;
  readonly version: number;
}

/** One behaviour tag of the response. */
export interface TagEntry {
  readonly behaviourTagName: string;
  readonly exposureRule?: TagDefinition['exposureRule'] & { readonly ctasResetAt: readonly CtaReset[] };
  readonly ctaRelation?: TagDefinition['ctaRelation'] & { readonly activeCtas: readonly string[] };
}
