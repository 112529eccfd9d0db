import { Type, type Static } from '@sinclair/typebox';

/**
 * The data that clients send and receive (docs/contract.md, App launch and Delta). Times are epoch milliseconds in whole numbers up to
 * 2^53-1.
 *
 * {@link parseSnapshotBody} reads a body by hand and not through these schemas: it must drop unknown fields, name the path of an invalid
 * value without repeating the value, and accept group keys that a pattern would not match. The schemas provide the types and the API
 * description; a test checks that both agree.
 */
const Long = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });
const word = <const W extends readonly string[]>(values: W) =>
  Type.Unsafe<W[number]>(Type.String({ enum: [...values] }));

export const windowUnits = ['days', 'hours', 'minutes', 'seconds'] as const;
export const relationRules = ['ANY', 'LIST', 'REST'] as const;

export const StateMachine = Type.Object({
  currentState: Type.String(),
  lastTransitionAt: Long,
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  createdAt: Long,
  reset: Type.Optional(Type.Boolean()),
});
export type StateMachine = Static<typeof StateMachine>;

export const StateMachineSnapshot = Type.Object({
  ctaId: Type.String(),
  activeStateMachines: Type.Record(Type.String(), StateMachine),
  resetAt: Type.Optional(Type.Array(Long)),
  actionDoneAt: Type.Optional(Type.Array(Long)),
});
export type StateMachineSnapshot = Static<typeof StateMachineSnapshot>;

export const Limit = Type.Object({ limit: Type.Optional(Long) });
export const Window = Type.Object({
  limit: Type.Optional(Long),
  unit: Type.Optional(word(windowUnits)),
  value: Type.Optional(Long),
});
export const Relation = Type.Object({
  rule: Type.Optional(word(relationRules)),
  ctaList: Type.Optional(Type.Array(Type.String())),
});
export type Limit = Static<typeof Limit>;
export type Window = Static<typeof Window>;
export type Relation = Static<typeof Relation>;

/** When a CTA of a behaviour tag was shown and reset. Existing clients send the CTA with it; a bare time is accepted too. */
export const CtaReset = Type.Union([Long, Type.Object({ ctaId: Type.String(), resetAt: Long })]);
export type CtaReset = Static<typeof CtaReset>;

export const BehaviourTagSnapshot = Type.Object({
  behaviourTagName: Type.String(),
  exposureRule: Type.Optional(
    Type.Object({
      session: Type.Optional(Limit),
      window: Type.Optional(Window),
      lifespan: Type.Optional(Limit),
      ctasResetAt: Type.Optional(Type.Array(CtaReset)),
    }),
  ),
  ctaRelation: Type.Optional(
    Type.Object({
      shownCta: Type.Optional(Relation),
      hideCta: Type.Optional(Relation),
      activeCtas: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
export type BehaviourTagSnapshot = Static<typeof BehaviourTagSnapshot>;

export interface SnapshotBody {
  readonly ctas: readonly StateMachineSnapshot[];
  readonly behaviourTags: readonly BehaviourTagSnapshot[];
}
