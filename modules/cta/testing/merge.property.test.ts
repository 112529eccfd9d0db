import { expect } from 'bun:test';
import * as fc from 'fast-check';
import { archive, type ArchiveOptions } from '../state/archive.ts';
import { joinStates, merge } from '../state/merge.ts';
import type { SnapshotBody, StateMachineSnapshot } from '../state/snapshot.ts';
import { isTombstone, type UserState } from '../state/user-state.ts';
import { canonical, law, mergeAll, options, runs } from './merge-laws.ts';

/*
 * The laws of merge, for pushes in which no two copies of machines have the same `lastTransitionAt`. Covered: machines and resets in any
 * order, clears (also of marks later than the reset), late and repeated pushes, tags, unknown ids. Not covered, because order matters there
 * by rule: two different copies of one machine with the same time, and a clear that comes with such a reset (merge.test.ts tests those).
 * Repeating a push creates equal copies with equal times, which is covered. The limits on stored data are tested by history.test.ts and
 * merge.test.ts.
 */
const time = fc.nat(30);
const ctaIds = fc.constantFrom('1', '2', 'unknown');
const machine = fc.record({
  at: time,
  reset: fc.option(fc.boolean(), { nil: undefined }),
  state: fc.constantFrom('0', '1', '2'),
});
const marks = fc.option(fc.array(time, { maxLength: 4 }), { nil: undefined });
const drawnCta = fc.record({
  ctaId: ctaIds,
  machines: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), machine),
  resetAt: marks,
  actionDoneAt: marks,
});
const drawnTag = fc.record({
  name: fc.constantFrom('t', 'u', 'unknown'),
  ctasResetAt: marks,
  activeCtas: fc.option(fc.subarray(['1', '2', '3']), { nil: undefined }),
});
const drawnPush = fc.record({
  ctas: fc.uniqueArray(drawnCta, { selector: ({ ctaId }) => ctaId, maxLength: 2 }),
  tags: fc.uniqueArray(drawnTag, { selector: ({ name }) => name, maxLength: 2 }),
});

/** Machine times are spread so that each is used once, and marks so that they fall before, between and after them. */
const pushes = (count: { minLength: number; maxLength: number }): fc.Arbitrary<SnapshotBody[]> =>
  fc.array(drawnPush, count).map((drawn) => {
    let copies = 0;
    return drawn.map(({ ctas, tags }) => ({
      ctas: ctas.map(({ ctaId, machines, resetAt, actionDoneAt }): StateMachineSnapshot => ({
        ctaId,
        activeStateMachines: Object.fromEntries(
          Object.entries(machines).map(([groupKey, { at, reset, state }]) => [
            groupKey,
            {
              currentState: state,
              lastTransitionAt: at * 1000 + ++copies,
              createdAt: 1,
              ...(reset !== undefined && { reset }),
            },
          ]),
        ),
        ...(resetAt && { resetAt: resetAt.map((mark) => mark * 1000) }),
        ...(actionDoneAt && { actionDoneAt: actionDoneAt.map((mark) => mark * 1000) }),
      })),
      behaviourTags: tags.map(({ name, ctasResetAt, activeCtas }) => ({
        behaviourTagName: name,
        ...(ctasResetAt && {
          exposureRule: { ctasResetAt: ctasResetAt.map((mark) => ({ ctaId: '1', resetAt: mark * 1000 })) },
        }),
        ...(activeCtas && { ctaRelation: { activeCtas } }),
      })),
    }));
  });

law('pushes in any order, some of them repeated, give the same state', () => {
  const orders = pushes({ minLength: 2, maxLength: 5 }).chain((all) =>
    fc.tuple(
      fc.constant(all),
      fc.shuffledSubarray([...all], { minLength: all.length }),
      fc.array(fc.constantFrom(...all), { maxLength: 4 }),
    ),
  );
  fc.assert(
    fc.property(orders, ([all, shuffled, repeated]) => {
      const state = mergeAll(all);
      expect(canonical(mergeAll(shuffled))).toBe(canonical(state));
      expect(canonical(mergeAll([...repeated, ...shuffled, ...repeated]))).toBe(canonical(state));
    }),
    runs,
  );
});

law('the join is commutative, associative and idempotent', () => {
  const join = (left: UserState, right: UserState) => joinStates(left, right, options);
  fc.assert(
    fc.property(pushes({ minLength: 3, maxLength: 6 }), (all) => {
      const [a, b, c] = [mergeAll(all.slice(0, 1)), mergeAll(all.slice(1, 2)), mergeAll(all.slice(2))];
      expect(canonical(join(a, b))).toBe(canonical(join(b, a)));
      expect(canonical(join(join(a, b), c))).toBe(canonical(join(a, join(b, c))));
      expect(join(c, c)).toBe(c);
      expect(join(join(a, b), b)).toEqual(join(a, b));
    }),
    runs,
  );
});

law('a push already merged changes nothing, no argument is changed', () => {
  fc.assert(
    fc.property(pushes({ minLength: 1, maxLength: 4 }), (all) => {
      const frozen = JSON.stringify(all);
      const state = mergeAll(all);
      const before = JSON.stringify(state);
      for (const pushed of all) expect(merge(state, pushed, options)).toEqual({ state, changed: false });
      expect(mergeAll(all, JSON.parse(before) as UserState)).toEqual(JSON.parse(before));
      expect(JSON.stringify(all)).toBe(frozen);
      expect(JSON.stringify(state)).toBe(before);
    }),
    runs,
  );
});

law('what is kept of a machine is its newest copy, and gone if that was a reset', () => {
  fc.assert(
    fc.property(pushes({ minLength: 1, maxLength: 5 }), (all) => {
      const state = mergeAll(all);
      const copies = all
        .flatMap(({ ctas }) => ctas)
        .flatMap(({ ctaId, activeStateMachines }) =>
          Object.entries(activeStateMachines).map(([groupKey, copy]) => ({ ctaId, groupKey, copy })),
        );
      for (const { ctaId, groupKey } of copies) {
        const newest = copies
          .filter((other) => other.ctaId === ctaId && other.groupKey === groupKey)
          .map(({ copy }) => copy)
          .sort((left, right) => right.lastTransitionAt - left.lastTransitionAt)[0];
        const kept = state.ctas[ctaId]?.machines[groupKey];
        if (ctaId === 'unknown') expect(kept).toBeUndefined();
        else if (newest?.reset === true) expect(kept && isTombstone(kept)).toBe(true);
        else expect(kept).toEqual(newest as never);
      }
    }),
    runs,
  );
});

law('histories are unions, ascending, without duplicates, but for what a clear took', () => {
  fc.assert(
    fc.property(pushes({ minLength: 1, maxLength: 5 }), (all) => {
      for (const [ctaId, { resetAt }] of Object.entries(mergeAll(all).ctas)) {
        const pushed = all
          .flatMap(({ ctas }) => ctas)
          .filter((cta) => cta.ctaId === ctaId)
          .flatMap((cta) => cta.resetAt ?? [])
          .filter((mark) => mark > (resetAt.clearedAt ?? -Infinity));
        expect(resetAt.marks).toEqual([...new Set(pushed)].sort((left, right) => left - right));
      }
    }),
    runs,
  );
});

law('a tombstone beats every copy that is not newer, whenever it comes', () => {
  fc.assert(
    fc.property(
      pushes({ minLength: 1, maxLength: 3 }),
      fc.array(fc.nat(30_010), { maxLength: 4 }),
      (all, late) => {
        const state = mergeAll(all);
        for (const [ctaId, { machines }] of Object.entries(state.ctas)) {
          for (const [groupKey, tombstone] of Object.entries(machines)) {
            if (!isTombstone(tombstone)) continue;
            for (const lastTransitionAt of late.filter((at) => at <= tombstone.lastTransitionAt)) {
              const machine = { currentState: '1', lastTransitionAt, createdAt: 1 };
              const copy = {
                ctas: [{ ctaId, activeStateMachines: { [groupKey]: machine } }],
                behaviourTags: [],
              };
              expect(merge(state, copy, options)).toEqual({ state, changed: false });
            }
          }
        }
      },
    ),
    runs,
  );
});

law('archiving leaves a paused CTA as it is, at any time, and drops nothing twice', () => {
  const statuses = fc.record({
    '1': fc.constantFrom('LIVE' as const, 'PAUSED' as const, 'OTHER' as const, undefined),
    '2': fc.constantFrom('LIVE' as const, 'PAUSED' as const, 'OTHER' as const, undefined),
  });
  const moment = fc.record({ after: fc.nat(10 ** 11), ttl: fc.constantFrom(undefined, 0, 1, 10 ** 9) });
  fc.assert(
    fc.property(pushes({ minLength: 1, maxLength: 4 }), statuses, moment, (all, byId, { after, ttl }) => {
      const state = mergeAll(all);
      const asked: ArchiveOptions = {
        now: options.now + after,
        ctas: {
          get: (ctaId) => {
            const status = ctaId === '1' || ctaId === '2' ? byId[ctaId] : undefined;
            return status === 'LIVE' || status === 'PAUSED'
              ? { isPaused: status === 'PAUSED', ttl }
              : undefined;
          },
        },
        others: { has: (ctaId) => (ctaId === '1' || ctaId === '2') && byId[ctaId] === 'OTHER' },
      };
      const archived = archive(state, asked).state;
      for (const ctaId of ['1', '2'] as const) {
        const cta = state.ctas[ctaId];
        if (byId[ctaId] === 'PAUSED') expect(archived.ctas[ctaId]).toBe(cta as never);
        else if (byId[ctaId] !== 'LIVE') expect(archived.ctas[ctaId]).toBeUndefined();
        else expect(archived.ctas[ctaId]?.resetAt).toBe(cta?.resetAt as never);
      }
      expect(archive(archived, asked)).toEqual({ state: archived, changed: false });
    }),
    runs,
  );
});
