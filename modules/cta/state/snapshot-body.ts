/** What exceeds one of these is dropped, never refused (drops.ts). */

import { leftOut } from '../../../core/json/json-prune.ts';
import { noDrops, type DropReason, sumOf, type Drops } from './drop.ts';
import { weightOf } from './json-weight.ts';
import { type Report, object, list, noneTwice, times, text, time, optionalObject, type Fields, long, oneOf } from './snapshot-fields.ts';
import { type StateMachineSnapshot, type StateMachine, type BehaviourTagSnapshot, type Limit, windowUnits, type Window, type CtaReset, relationRules, type Relation, type SnapshotBody } from './snapshot.ts';
import { stringMap } from './string-map.ts';

export const snapshotLimits = {
  ctas: 500,
  behaviourTags: 100,
  /** Of one machine's context, as UTF-8 JSON of at most 64 levels. */
  contextBytes: 64 * 1024,
  nameLength: 256,
  groupKeyLength: 512,
} as const;
/**
 * Reads the body of an app launch or a delta. Unknown fields are dropped, `null` counts as absent where a field may be
 * absent, so that clients of other versions keep working.
 * @param now the server's time. Times far ahead of it are taken as it here, before anything is merged: the merge itself stays a
 *   join of what it is given (merge.property.test.ts).
 * @returns what was sent, or a message that begins `Invalid request: `, names the place of the first fault and never
 *   the value found there.
 */
export function parseSnapshotBody(
  raw: unknown,
  now: number,
): ({ readonly ok: true } & ReadBody) | { readonly ok: false; readonly message: string } {
  let fault: string | undefined;
  let drops = noDrops;
  const report: Report = Object.assign(
    (path: string, problem: string) => {
      fault ??= `Invalid request: ${path} ${problem}`;
    },
    { now, drop: (reason: DropReason, count = 1) => (drops = sumOf(drops, { [reason]: count })) },
  );
  const body = object(raw, 'body', report);
  const { ctas: mostCtas, behaviourTags: mostTags } = snapshotLimits;
  const ctas = firstOf(list(body['ctas'], 'ctas', report), mostCtas, 'ctas', report);
  const tags = firstOf(
    list(body['behaviourTags'], 'behaviourTags', report),
    mostTags,
    'behaviour_tags',
    report,
  );
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
  return fault === undefined ? { ok: true, ...read, drops } : { ok: false, message: fault };
}

/** The rest is not walked: that is what the limit is for. */
export function firstOf(
  items: readonly unknown[] | undefined,
  most: number,
  reason: DropReason,
  report: Report,
): readonly unknown[] {
  if (items === undefined || items.length <= most) return items ?? [];
  report.drop(reason, items.length - most);
  return items.slice(0, most);
}

export function stateMachineSnapshot(raw: unknown, path: string, report: Report): StateMachineSnapshot {
  const cta = object(raw, path, report);
  const resetAt = times(cta['resetAt'], `${path}.resetAt`, report);
  const actionDoneAt = times(cta['actionDoneAt'], `${path}.actionDoneAt`, report);
  return {
    // However long: there is no such CTA then, and what is not known is not stored.
    ctaId: text(cta['ctaId'], `${path}.ctaId`, report),
    activeStateMachines: machines(cta['activeStateMachines'], `${path}.activeStateMachines`, report),
    ...(resetAt && { resetAt }),
    ...(actionDoneAt && { actionDoneAt }),
  };
}

export function machines(raw: unknown, path: string, report: Report): Record<string, StateMachine> {
  const result = stringMap<StateMachine>();
  for (const [index, [groupKey, machine]] of Object.entries(object(raw, path, report)).entries()) {
    // A group key may hold what the user typed: only a harmless one is repeated in a message.
    const at = /^[\w-]{1,64}$/.test(groupKey) ? `${path}.${groupKey}` : `${path}[${index}]`;
    const read = stateMachine(machine, at, report);
    if (groupKey.length > snapshotLimits.groupKeyLength) report.drop('group_key');
    else if (read) result[groupKey] = read;
  }
  return result;
}

/** Null for one that is dropped. A machine that is reset leaves only its time, so nothing of it can be too large. */
export function stateMachine(raw: unknown, path: string, report: Report): StateMachine | null {
  const machine = object(raw, path, report);
  // Its size was seen before the body was parsed.
  const isLeftOut = machine['context'] === leftOut;
  const context = isLeftOut ? undefined : optionalObject(machine['context'], `${path}.context`, report);
  const reset = machine['reset'] ?? undefined;
  if (reset !== undefined && typeof reset !== 'boolean') report(`${path}.reset`, 'must be true or false');
  const currentState = text(machine['currentState'], `${path}.currentState`, report);
  const lastTransitionAt = time(machine['lastTransitionAt'], `${path}.lastTransitionAt`, report);
  const createdAt = time(machine['createdAt'], `${path}.createdAt`, report);
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
export const contextLimit = { bytes: snapshotLimits.contextBytes, values: 10000 };
export function behaviourTagSnapshot(raw: unknown, path: string, report: Report): BehaviourTagSnapshot {
  const tag = object(raw, path, report);
  const behaviourTagName = text(tag['behaviourTagName'], `${path}.behaviourTagName`, report);
  const exposureRule = optionalObject(tag['exposureRule'], `${path}.exposureRule`, report);
  const ctaRelation = optionalObject(tag['ctaRelation'], `${path}.ctaRelation`, report);
  return {
    behaviourTagName,
    ...(exposureRule && { exposureRule: exposure(exposureRule, `${path}.exposureRule`, report) }),
    ...(ctaRelation && { ctaRelation: relations(ctaRelation, `${path}.ctaRelation`, report) }),
  };
}

export function exposure(
  rule: Fields,
  path: string,
  report: Report,
): NonNullable<BehaviourTagSnapshot['exposureRule']> {
  const session = optionalObject(rule['session'], `${path}.session`, report);
  const window = optionalObject(rule['window'], `${path}.window`, report);
  const lifespan = optionalObject(rule['lifespan'], `${path}.lifespan`, report);
  const ctasResetAt = list(rule['ctasResetAt'], `${path}.ctasResetAt`, report);
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

export function limitOf(fields: Fields, path: string, report: Report): Limit {
  const limit = fields['limit'] ?? undefined;
  return limit === undefined ? {} : { limit: long(limit, `${path}.limit`, report) };
}

export function windowOf(fields: Fields, path: string, report: Report): Window {
  const unit = oneOf(windowUnits, fields['unit'], `${path}.unit`, report);
  const value = fields['value'] ?? undefined;
  return {
    ...limitOf(fields, path, report),
    ...(unit && { unit }),
    ...(value !== undefined && { value: long(value, `${path}.value`, report) }),
  };
}

export function ctaReset(raw: unknown, path: string, report: Report): CtaReset {
  if (typeof raw === 'number') return time(raw, path, report);
  const mark = object(raw, path, report);
  return {
    ctaId: text(mark['ctaId'], `${path}.ctaId`, report),
    resetAt: time(mark['resetAt'], `${path}.resetAt`, report),
  };
}

export function relations(
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

export function relation(fields: Fields, path: string, report: Report): Relation {
  const rule = oneOf(relationRules, fields['rule'], `${path}.rule`, report);
  const ctaList = names(fields['ctaList'], `${path}.ctaList`, report);
  return { ...(rule && { rule }), ...(ctaList && { ctaList }) };
}

/** Names in a list; longer ones than can be saved are dropped. */
export const names = (raw: unknown, path: string, report: Report) =>
  list(raw, path, report)
    ?.map((value, index) => text(value, `${path}[${index}]`, report))
    .filter((name) => isShort(name, report));
export function isShort(name: string, report: Report): boolean {
  if (name.length <= snapshotLimits.nameLength) return true;
  report.drop('name');
  return false;
}

/** A body as it was read: what exceeded a limit is left out and counted. */
export interface ReadBody extends SnapshotBody {
  readonly drops: Drops;
}
