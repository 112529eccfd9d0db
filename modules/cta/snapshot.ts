import { Type, type Static } from '@sinclair/typebox';
import { keyed } from './keyed.ts';

/**
 * What clients send and receive (specification, Area B). Times are epoch milliseconds in whole numbers up to 2^53-1.
 *
 * {@link parseSnapshotBody} reads a body by hand and not through these schemas: it must drop what it does not know,
 * say where the fault is without repeating what was sent, and accept group keys that a pattern would not match.
 * The schemas give the types and the API description; a test holds both together.
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

/** When a CTA of a behaviour tag was shown and reset: existing clients send the CTA with it, a bare time is taken too. */
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

export const snapshotLimits = {
  ctas: 500,
  behaviourTags: 100,
  machinesPerCta: 1000,
  /** Of one machine's context, as UTF-8 JSON. */
  contextBytes: 64 * 1024,
  /** Levels of nesting in a context: far above any real one, far below what would overflow a stack. */
  contextDepth: 64,
  nameLength: 256,
  groupKeyLength: 1024,
} as const;

/**
 * Reads the body of an app launch or a delta. Unknown fields are dropped, `null` counts as absent where a field may be
 * absent, so that clients of other versions keep working.
 * @returns what was sent, or a message that begins `Invalid request: `, names the place of the first fault and never
 *   the value found there.
 */
export function parseSnapshotBody(
  raw: unknown,
): ({ readonly ok: true } & SnapshotBody) | { readonly ok: false; readonly message: string } {
  let fault: string | undefined;
  const report: Report = (path, problem) => {
    fault ??= `Invalid request: ${path} ${problem}`;
  };
  const body = object(raw, 'body', report);
  const ctas = list(body['ctas'], 'ctas', snapshotLimits.ctas, report) ?? [];
  const tags = list(body['behaviourTags'], 'behaviourTags', snapshotLimits.behaviourTags, report) ?? [];
  // A body over a limit is refused for that alone: the limits exist so that the rest is never walked.
  if (fault !== undefined) return { ok: false, message: fault };
  const read = {
    ctas: ctas.map((cta, index) => stateMachineSnapshot(cta, `ctas[${index}]`, report)),
    behaviourTags: tags.map((tag, index) => behaviourTagSnapshot(tag, `behaviourTags[${index}]`, report)),
  };
  noneTwice(
    read.ctas.map(({ ctaId }) => ctaId),
    'ctas',
    'ctaId',
    report,
  );
  noneTwice(
    read.behaviourTags.map(({ behaviourTagName }) => behaviourTagName),
    'behaviourTags',
    'behaviourTagName',
    report,
  );
  return fault === undefined ? { ok: true, ...read } : { ok: false, message: fault };
}

/** Remembers a fault. Reading goes on with a stand-in value; the first fault is the one that is told. */
type Report = (path: string, problem: string) => void;

function stateMachineSnapshot(raw: unknown, path: string, report: Report): StateMachineSnapshot {
  const cta = object(raw, path, report);
  const resetAt = longs(cta['resetAt'], `${path}.resetAt`, report);
  const actionDoneAt = longs(cta['actionDoneAt'], `${path}.actionDoneAt`, report);
  return {
    ctaId: name(cta['ctaId'], `${path}.ctaId`, report),
    activeStateMachines: machines(cta['activeStateMachines'], `${path}.activeStateMachines`, report),
    ...(resetAt && { resetAt }),
    ...(actionDoneAt && { actionDoneAt }),
  };
}

function machines(raw: unknown, path: string, report: Report): Record<string, StateMachine> {
  const entries = Object.entries(object(raw, path, report));
  const result = keyed<StateMachine>();
  if (entries.length > snapshotLimits.machinesPerCta) {
    report(path, `must have at most ${snapshotLimits.machinesPerCta} state machines`);
    return result;
  }
  for (const [index, [groupKey, machine]] of entries.entries()) {
    // A group key may hold what the user typed: only a harmless one is repeated in a message.
    const at = /^[\w-]{1,64}$/.test(groupKey) ? `${path}.${groupKey}` : `${path}[${index}]`;
    if (groupKey.length > snapshotLimits.groupKeyLength) report(at, 'has too long a group key');
    result[groupKey] = stateMachine(machine, at, report);
  }
  return result;
}

function stateMachine(raw: unknown, path: string, report: Report): StateMachine {
  const machine = object(raw, path, report);
  const context = contextOf(machine['context'], `${path}.context`, report);
  const reset = machine['reset'] ?? undefined;
  if (reset !== undefined && typeof reset !== 'boolean') report(`${path}.reset`, 'must be true or false');
  return {
    currentState: name(machine['currentState'], `${path}.currentState`, report),
    lastTransitionAt: long(machine['lastTransitionAt'], `${path}.lastTransitionAt`, report),
    ...(context && { context }),
    createdAt: long(machine['createdAt'], `${path}.createdAt`, report),
    ...(typeof reset === 'boolean' && { reset }),
  };
}

function contextOf(raw: unknown, path: string, report: Report): Record<string, unknown> | undefined {
  if (raw === undefined || raw === null) return undefined;
  const context = object(raw, path, report);
  if (!isAtMostDeep(context, snapshotLimits.contextDepth)) {
    report(path, `must be nested at most ${snapshotLimits.contextDepth} levels deep`);
  } else if (Buffer.byteLength(JSON.stringify(context)) > snapshotLimits.contextBytes) {
    report(path, `must be at most ${snapshotLimits.contextBytes} bytes of JSON`);
  }
  return context;
}

function behaviourTagSnapshot(raw: unknown, path: string, report: Report): BehaviourTagSnapshot {
  const tag = object(raw, path, report);
  const behaviourTagName = name(tag['behaviourTagName'], `${path}.behaviourTagName`, report);
  const exposureRule = optionalObject(tag['exposureRule'], `${path}.exposureRule`, report);
  const ctaRelation = optionalObject(tag['ctaRelation'], `${path}.ctaRelation`, report);
  return {
    behaviourTagName,
    ...(exposureRule && { exposureRule: exposure(exposureRule, `${path}.exposureRule`, report) }),
    ...(ctaRelation && { ctaRelation: relations(ctaRelation, `${path}.ctaRelation`, report) }),
  };
}

function exposure(
  rule: Fields,
  path: string,
  report: Report,
): NonNullable<BehaviourTagSnapshot['exposureRule']> {
  const session = optionalObject(rule['session'], `${path}.session`, report);
  const window = optionalObject(rule['window'], `${path}.window`, report);
  const lifespan = optionalObject(rule['lifespan'], `${path}.lifespan`, report);
  const ctasResetAt = list(rule['ctasResetAt'], `${path}.ctasResetAt`, undefined, report);
  return {
    ...(session && { session: limitOf(session, `${path}.session`, report) }),
    ...(window && { window: windowOf(window, `${path}.window`, report) }),
    ...(lifespan && { lifespan: limitOf(lifespan, `${path}.lifespan`, report) }),
    ...(ctasResetAt && {
      ctasResetAt: ctasResetAt.map((mark, index) => ctaReset(mark, `${path}.ctasResetAt[${index}]`, report)),
    }),
  };
}

function limitOf(fields: Fields, path: string, report: Report): Limit {
  const limit = fields['limit'] ?? undefined;
  return limit === undefined ? {} : { limit: long(limit, `${path}.limit`, report) };
}

function windowOf(fields: Fields, path: string, report: Report): Window {
  const unit = oneOf(windowUnits, fields['unit'], `${path}.unit`, report);
  const value = fields['value'] ?? undefined;
  return {
    ...limitOf(fields, path, report),
    ...(unit && { unit }),
    ...(value !== undefined && { value: long(value, `${path}.value`, report) }),
  };
}

function ctaReset(raw: unknown, path: string, report: Report): CtaReset {
  if (typeof raw === 'number') return long(raw, path, report);
  const mark = object(raw, path, report);
  return {
    ctaId: name(mark['ctaId'], `${path}.ctaId`, report),
    resetAt: long(mark['resetAt'], `${path}.resetAt`, report),
  };
}

function relations(
  fields: Fields,
  path: string,
  report: Report,
): NonNullable<BehaviourTagSnapshot['ctaRelation']> {
  const shownCta = optionalObject(fields['shownCta'], `${path}.shownCta`, report);
  const hideCta = optionalObject(fields['hideCta'], `${path}.hideCta`, report);
  const activeCtas = names(fields['activeCtas'], `${path}.activeCtas`, report);
  return {
    ...(shownCta && { shownCta: relation(shownCta, `${path}.shownCta`, report) }),
    ...(hideCta && { hideCta: relation(hideCta, `${path}.hideCta`, report) }),
    ...(activeCtas && { activeCtas }),
  };
}

function relation(fields: Fields, path: string, report: Report): Relation {
  const rule = oneOf(relationRules, fields['rule'], `${path}.rule`, report);
  const ctaList = names(fields['ctaList'], `${path}.ctaList`, report);
  return { ...(rule && { rule }), ...(ctaList && { ctaList }) };
}

type Fields = Readonly<Record<string, unknown>>;

function object(raw: unknown, path: string, report: Report): Record<string, unknown> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>;
  report(path, raw === undefined ? 'is required' : 'must be an object');
  return {};
}

function optionalObject(raw: unknown, path: string, report: Report): Fields | undefined {
  return raw === undefined || raw === null ? undefined : object(raw, path, report);
}

function list(
  raw: unknown,
  path: string,
  most: number | undefined,
  report: Report,
): readonly unknown[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (!Array.isArray(raw)) {
    report(path, 'must be an array');
    return [];
  }
  if (most !== undefined && raw.length > most) report(path, `must have at most ${most} items`);
  return raw;
}

function long(raw: unknown, path: string, report: Report): number {
  if (Number.isSafeInteger(raw)) return (raw as number) + 0; // -0 becomes 0, which is how JSON writes it anyway
  report(path, raw === undefined ? 'is required' : 'must be a whole number of at most 2^53-1');
  return 0;
}

const longs = (raw: unknown, path: string, report: Report) =>
  list(raw, path, undefined, report)?.map((value, index) => long(value, `${path}[${index}]`, report));

function name(raw: unknown, path: string, report: Report): string {
  if (typeof raw === 'string' && raw !== '' && raw.length <= snapshotLimits.nameLength) return raw;
  report(
    path,
    raw === undefined ? 'is required' : `must be a string of 1 to ${snapshotLimits.nameLength} characters`,
  );
  return '';
}

const names = (raw: unknown, path: string, report: Report) =>
  list(raw, path, undefined, report)?.map((value, index) => name(value, `${path}[${index}]`, report));

function oneOf<const W extends readonly string[]>(
  values: W,
  raw: unknown,
  path: string,
  report: Report,
): W[number] | undefined {
  if (raw === undefined || raw === null) return undefined;
  const found = values.find((value) => value === raw);
  if (found === undefined) report(path, `must be one of ${values.join(', ')}`);
  return found;
}

function noneTwice(values: readonly string[], path: string, field: string, report: Report): void {
  const first = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const earlier = first.get(value);
    if (earlier !== undefined) {
      report(`${path}[${index}].${field}`, `is the same as that of ${path}[${earlier}]`);
    }
    first.set(value, index);
  }
}

/** Whether objects and arrays are nested at most so deep. Safe for any depth. */
function isAtMostDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isAtMostDeep(inner, levels - 1));
}
