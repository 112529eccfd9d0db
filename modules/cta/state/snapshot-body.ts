import { leftOut } from '../../../core/json/json-prune.ts';
import { noDrops, sumOfDrops, type DropReason, type Drops } from './drop.ts';
import { acceptTime } from './future-times.ts';
import { weightOf } from './json-weight.ts';
import {
  relationRules,
  windowUnits,
  type BehaviourTagSnapshot,
  type CtaReset,
  type Limit,
  type Relation,
  type SnapshotBody,
  type StateMachine,
  type StateMachineSnapshot,
  type Window,
} from './snapshot.ts';
import { stringMap } from './string-map.ts';

/** Anything beyond these limits is dropped, never rejected (drop.ts). */
export const snapshotLimits = {
  ctas: 500,
  behaviourTags: 100,
  /** Size of one machine's context, as UTF-8 JSON of at most 64 levels. */
  contextBytes: 64 * 1024,
  nameLength: 256,
  groupKeyLength: 512,
} as const;

/**
 * Reads the body of an app launch or a delta. Unknown fields are dropped, and `null` counts as absent where a field may be absent, so that
 * clients of other versions keep working.
 * @param now the server's time, which replaces times far ahead of it. This happens before the merge, so that the merge itself stays a join
 * of its inputs (merge.property.test.ts).
 * @returns the snapshot, or a message that begins with `Invalid request: ` and names the path of the first problem, never the value found
 * there.
 */
export function parseSnapshotBody(
  raw: unknown,
  now: number,
): ({ readonly ok: true } & ReadBody) | { readonly ok: false; readonly message: string } {
  let firstProblem: string | undefined;
  let drops = noDrops;
  const report: Report = Object.assign(
    (path: string, problem: string) => {
      firstProblem ??= `Invalid request: ${path} ${problem}`;
    },
    { now, drop: (reason: DropReason, count = 1) => (drops = sumOfDrops(drops, { [reason]: count })) },
  );
  const body = readObject(raw, 'body', report);
  const { ctas: maxCtas, behaviourTags: maxTags } = snapshotLimits;
  const ctas = firstOf(readList(body['ctas'], 'ctas', report), maxCtas, 'ctas', report);
  const allTags = readList(body['behaviourTags'], 'behaviourTags', report);
  const tags = firstOf(allTags, maxTags, 'behaviour_tags', report);
  if (firstProblem !== undefined) return { ok: false, message: firstProblem };
  const read = {
    ctas: ctas.map((cta, index) => stateMachineSnapshot(cta, `ctas[${index}]`, report)),
    behaviourTags: tags.map((tag, index) => behaviourTagSnapshot(tag, `behaviourTags[${index}]`, report)),
  };
  requireUnique(read.ctas, 'ctas', 'ctaId', report);
  requireUnique(read.behaviourTags, 'behaviourTags', 'behaviourTagName', report);
  return firstProblem === undefined ? { ok: true, ...read, drops } : { ok: false, message: firstProblem };
}

/** The rest is not read: the limit bounds the work, too. */
function firstOf(items: readonly unknown[] | undefined, max: number, reason: DropReason, report: Report) {
  if (items === undefined || items.length <= max) return items ?? [];
  report.drop(reason, items.length - max);
  return items.slice(0, max);
}

function stateMachineSnapshot(raw: unknown, path: string, report: Report): StateMachineSnapshot {
  const cta = readObject(raw, path, report);
  const resetAt = readTimes(cta['resetAt'], `${path}.resetAt`, report);
  const actionDoneAt = readTimes(cta['actionDoneAt'], `${path}.actionDoneAt`, report);
  return {
    // The length does not matter: no CTA has such an id, and state of unknown CTAs is not stored.
    ctaId: readText(cta['ctaId'], `${path}.ctaId`, report),
    activeStateMachines: machines(cta['activeStateMachines'], `${path}.activeStateMachines`, report),
    ...(resetAt && { resetAt }),
    ...(actionDoneAt && { actionDoneAt }),
  };
}

function machines(raw: unknown, path: string, report: Report): Record<string, StateMachine> {
  const result = stringMap<StateMachine>();
  for (const [index, [groupKey, machine]] of Object.entries(readObject(raw, path, report)).entries()) {
    // A group key may contain text typed by the user: only a harmless one is repeated in a message.
    const at = /^[\w-]{1,64}$/.test(groupKey) ? `${path}.${groupKey}` : `${path}[${index}]`;
    const read = stateMachine(machine, at, report);
    if (groupKey.length > snapshotLimits.groupKeyLength) report.drop('group_key');
    else if (read) result[groupKey] = read;
  }
  return result;
}

/** Null for a dropped machine. A machine that is reset leaves only its time, so nothing in it can be too large. */
function stateMachine(raw: unknown, path: string, report: Report): StateMachine | null {
  const machine = readObject(raw, path, report);
  // Its size was checked before the body was parsed.
  const isLeftOut = machine['context'] === leftOut;
  const context = isLeftOut ? undefined : readOptionalObject(machine['context'], `${path}.context`, report);
  const reset = machine['reset'] ?? undefined;
  if (reset !== undefined && typeof reset !== 'boolean') report(`${path}.reset`, 'must be true or false');
  const currentState = readText(machine['currentState'], `${path}.currentState`, report);
  const lastTransitionAt = readTime(machine['lastTransitionAt'], `${path}.lastTransitionAt`, report);
  const createdAt = readTime(machine['createdAt'], `${path}.createdAt`, report);
  if (reset === true) {
    const name = currentState.slice(0, snapshotLimits.nameLength);
    return { currentState: name, lastTransitionAt, createdAt, reset };
  }
  const tooLarge =
    currentState.length > snapshotLimits.nameLength
      ? 'name'
      : isLeftOut || (context && weightOf(context, contextLimit) === null)
        ? 'context'
        : null;
  if (tooLarge) {
    report.drop(tooLarge);
    return null;
  }
  return {
    currentState,
    lastTransitionAt,
    ...(context && { context }),
    createdAt,
    ...(typeof reset === 'boolean' && { reset }),
  };
}

/** More values than a whole user may have are too many for one machine. */
const contextLimit = { bytes: snapshotLimits.contextBytes, values: 10_000 };

function behaviourTagSnapshot(raw: unknown, path: string, report: Report): BehaviourTagSnapshot {
  const tag = readObject(raw, path, report);
  const behaviourTagName = readText(tag['behaviourTagName'], `${path}.behaviourTagName`, report);
  const exposureRule = readOptionalObject(tag['exposureRule'], `${path}.exposureRule`, report);
  const ctaRelation = readOptionalObject(tag['ctaRelation'], `${path}.ctaRelation`, report);
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
  const session = readOptionalObject(rule['session'], `${path}.session`, report);
  const window = readOptionalObject(rule['window'], `${path}.window`, report);
  const lifespan = readOptionalObject(rule['lifespan'], `${path}.lifespan`, report);
  const ctasResetAt = readList(rule['ctasResetAt'], `${path}.ctasResetAt`, report);
  return {
    ...(session && { session: limitOf(session, `${path}.session`, report) }),
    ...(window && { window: windowOf(window, `${path}.window`, report) }),
    ...(lifespan && { lifespan: limitOf(lifespan, `${path}.lifespan`, report) }),
    ...(ctasResetAt && {
      ctasResetAt: ctasResetAt
        .map((mark, index) => ctaReset(mark, `${path}.ctasResetAt[${index}]`, report))
        .filter((mark) => typeof mark === 'number' || isShort(mark.ctaId, report)),
    }),
  };
}

function limitOf(fields: Fields, path: string, report: Report): Limit {
  const limit = fields['limit'] ?? undefined;
  return limit === undefined ? {} : { limit: readLong(limit, `${path}.limit`, report) };
}

function windowOf(fields: Fields, path: string, report: Report): Window {
  const unit = readEnum(windowUnits, fields['unit'], `${path}.unit`, report);
  const value = fields['value'] ?? undefined;
  return {
    ...limitOf(fields, path, report),
    ...(unit && { unit }),
    ...(value !== undefined && { value: readLong(value, `${path}.value`, report) }),
  };
}

function ctaReset(raw: unknown, path: string, report: Report): CtaReset {
  if (typeof raw === 'number') return readTime(raw, path, report);
  const mark = readObject(raw, path, report);
  return {
    ctaId: readText(mark['ctaId'], `${path}.ctaId`, report),
    resetAt: readTime(mark['resetAt'], `${path}.resetAt`, report),
  };
}

function relations(
  fields: Fields,
  path: string,
  report: Report,
): NonNullable<BehaviourTagSnapshot['ctaRelation']> {
  const shownCta = readOptionalObject(fields['shownCta'], `${path}.shownCta`, report);
  const hideCta = readOptionalObject(fields['hideCta'], `${path}.hideCta`, report);
  const activeCtas = names(fields['activeCtas'], `${path}.activeCtas`, report);
  return {
    ...(shownCta && { shownCta: relation(shownCta, `${path}.shownCta`, report) }),
    ...(hideCta && { hideCta: relation(hideCta, `${path}.hideCta`, report) }),
    ...(activeCtas && { activeCtas }),
  };
}

function relation(fields: Fields, path: string, report: Report): Relation {
  const rule = readEnum(relationRules, fields['rule'], `${path}.rule`, report);
  const ctaList = names(fields['ctaList'], `${path}.ctaList`, report);
  return { ...(rule && { rule }), ...(ctaList && { ctaList }) };
}

/** Names in a list; names longer than can be saved are dropped. */
const names = (raw: unknown, path: string, report: Report) =>
  readList(raw, path, report)
    ?.map((value, index) => readText(value, `${path}[${index}]`, report))
    .filter((name) => isShort(name, report));
function isShort(name: string, report: Report): boolean {
  if (name.length <= snapshotLimits.nameLength) return true;
  report.drop('name');
  return false;
}

/** A body as it was read, without the parts over a limit, which are counted. */
export interface ReadBody extends SnapshotBody {
  readonly drops: Drops;
}

/* The fields of a body, read by hand (snapshot.ts explains why). */

/** Records a problem. Reading continues with a placeholder value; the message names the first problem. */
interface Report {
  (path: string, problem: string): void;
  /** The server's time, which replaces a client's time that is far ahead of it. */
  readonly now: number;
  /** Counts dropped values. */
  drop(reason: DropReason, count?: number): void;
}

type Fields = Readonly<Record<string, unknown>>;

function readObject(raw: unknown, path: string, report: Report): Record<string, unknown> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>;
  report(path, raw === undefined ? 'is required' : 'must be an object');
  return {};
}

function readOptionalObject(raw: unknown, path: string, report: Report): Fields | undefined {
  return raw === undefined || raw === null ? undefined : readObject(raw, path, report);
}

function readList(raw: unknown, path: string, report: Report): readonly unknown[] | undefined {
  if (raw === undefined || raw === null) return undefined;
  if (Array.isArray(raw)) return raw;
  report(path, 'must be an array');
  return [];
}

function readLong(raw: unknown, path: string, report: Report): number {
  if (Number.isSafeInteger(raw)) return (raw as number) + 0; // -0 becomes 0, which is how JSON writes it anyway
  report(path, raw === undefined ? 'is required' : 'must be a whole number of at most 2^53-1');
  return 0;
}

const readTime = (raw: unknown, path: string, report: Report): number =>
  acceptTime(readLong(raw, path, report), report.now);

const readTimes = (raw: unknown, path: string, report: Report) =>
  readList(raw, path, report)?.map((value, index) => readTime(value, `${path}[${index}]`, report));

function readText(raw: unknown, path: string, report: Report): string {
  if (typeof raw === 'string' && raw !== '') return raw;
  report(path, raw === undefined ? 'is required' : 'must be a non-empty string');
  return '';
}

function readEnum<const W extends readonly string[]>(
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

function requireUnique<F extends string>(
  items: readonly Readonly<Record<F, string>>[],
  path: string,
  field: F,
  report: Report,
): void {
  const first = new Map<string, number>();
  for (const [index, { [field]: value }] of items.entries()) {
    const earlier = first.get(value);
    if (earlier !== undefined) {
      report(`${path}[${index}].${field}`, `is the same as that of ${path}[${earlier}]`);
    }
    first.set(value, index);
  }
}
