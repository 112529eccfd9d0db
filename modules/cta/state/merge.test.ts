import { describe, expect, test } from 'bun:test';
import { merge, type MergeOptions } from './merge.ts';
import type { BehaviourTagSnapshot, StateMachine, StateMachineSnapshot } from './snapshot.ts';
import { activeCtaIds, emptyState, emptyTagState, isTombstone, type UserState } from './user-state.ts';

const options: MergeOptions = {
  now: 1_000_000,
  ctas: new Map([
    ['7', {}],
    ['8', { lifespanLimit: 1500 }],
    ['__proto__', {}],
  ]),
  tags: new Map([['t', {}]]),
};

const machine = (currentState: string, lastTransitionAt: number): StateMachine => ({
  currentState,
  lastTransitionAt,
  createdAt: 1,
});
const reset = (lastTransitionAt: number): StateMachine => ({
  ...machine('9', lastTransitionAt),
  reset: true,
});

interface Push {
  readonly k?: StateMachine;
  readonly resetAt?: number[];
  readonly actionDoneAt?: number[];
  readonly ctasResetAt?: { ctaId: string; resetAt: number }[];
  readonly activeCtas?: string[];
}

/** A push of CTA 7 with at most one machine, and of tag `t` if the push mentions it. */
function push({ k, ctasResetAt, activeCtas, ...lists }: Push) {
  const tag: BehaviourTagSnapshot = {
    behaviourTagName: 't',
    ...(ctasResetAt && { exposureRule: { ctasResetAt } }),
    ...(activeCtas && { ctaRelation: { activeCtas } }),
  };
  const cta: StateMachineSnapshot = { ctaId: '7', activeStateMachines: k ? { k } : {}, ...lists };
  return { ctas: [cta], behaviourTags: ctasResetAt || activeCtas ? [tag] : [] };
}

const after = (pushes: readonly Push[]): UserState =>
  pushes.reduce((state, next) => merge(state, push(next), options).state, emptyState);

/** `state@time`, or `gone@time` for a tombstone. */
function kept(state: UserState): string | undefined {
  const found = state.ctas['7']?.machines['k'];
  return found && `${isTombstone(found) ? 'gone' : found.currentState}@${found.lastTransitionAt}`;
}

describe('machines', () => {
  test.each<[string, Push[], Push, string, boolean]>([
    ['a new machine', [], { k: machine('1', 10) }, '1@10', true],
    ['a later copy', [{ k: machine('1', 10) }], { k: machine('2', 20) }, '2@20', true],
    ['an earlier copy', [{ k: machine('2', 20) }], { k: machine('1', 10) }, '2@20', false],
    ['the same copy', [{ k: machine('1', 10) }], { k: machine('1', 10) }, '1@10', false],
    ['another copy of the same time', [{ k: machine('1', 10) }], { k: machine('2', 10) }, '2@10', true],
    ['a reset of the same time', [{ k: machine('1', 10) }], { k: reset(10) }, 'gone@10', true],
    ['a later reset', [{ k: machine('1', 10) }], { k: reset(20) }, 'gone@20', true],
    ['an earlier reset', [{ k: machine('1', 20) }], { k: reset(10) }, '1@20', false],
    ['a reset of nothing', [], { k: reset(10) }, 'gone@10', true],
    ['the same reset', [{ k: reset(10) }], { k: reset(10) }, 'gone@10', false],
    ['an older copy after a reset', [{ k: reset(10) }], { k: machine('1', 9) }, 'gone@10', false],
    ['a copy as old as the reset', [{ k: reset(10) }], { k: machine('1', 10) }, 'gone@10', false],
    ['a machine newer than the reset', [{ k: reset(10) }], { k: machine('1', 11) }, '1@11', true],
    ['nothing about the machine', [{ k: machine('1', 10) }], { resetAt: [5] }, '1@10', true],
  ])('%s', (_, before, pushed, expected, changed) => {
    const state = after(before);
    const frozen = JSON.stringify(state);
    const merged = merge(state, push(pushed), options);
    expect(kept(merged.state)).toBe(expected);
    expect(merged.changed).toBe(changed);
    expect(merged.state === state).toBe(!changed);
    expect(JSON.stringify(state)).toBe(frozen);
  });

  test('the winner is taken whole, never field by field', () => {
    const stored = { ...machine('1', 10), context: { a: 1 }, reset: false };
    const { state } = merge(after([{ k: stored }]), push({ k: machine('2', 20) }), options);
    expect(state.ctas['7']?.machines['k']).toEqual(machine('2', 20));
  });

  test('a tombstone has the time of its reset, and the time it was received', () => {
    expect(after([{ k: reset(10) }]).ctas['7']?.machines['k']).toEqual({
      removed: true,
      lastTransitionAt: 10,
      receivedAt: options.now,
    });
  });

  test('a state that went through JSON merges as it did before', () => {
    const state = JSON.parse(JSON.stringify(after([{ k: machine('1', 10), resetAt: [5] }]))) as UserState;
    expect(merge(state, push({ k: machine('1', 10), resetAt: [5] }), options).changed).toBe(false);
    expect(kept(merge(state, push({ k: machine('2', 10) }), options).state)).toBe('2@10');
  });

  test('ids and group keys named like parts of a prototype are kept like any other', () => {
    const raw = `{"__proto__":${JSON.stringify(machine('1', 10))},"constructor":${JSON.stringify(machine('1', 10))}}`;
    const activeStateMachines = JSON.parse(raw) as Record<string, StateMachine>;
    const pushed = { ctas: [{ ctaId: '__proto__', activeStateMachines }], behaviourTags: [] };
    const { state } = merge(emptyState, pushed, options);
    expect(JSON.stringify(state)).toContain(`"ctas":{"__proto__":{"machines":${raw}`);
    const reread = JSON.parse(JSON.stringify(state)) as UserState;
    expect(merge(reread, pushed, options).changed).toBe(false);
    expect(({} as Record<string, unknown>)['machines']).toBeUndefined();
  });

  test('of more machines than are kept, the newest stay, whatever the order', () => {
    const many = (from: number) => ({
      ctas: [
        {
          ctaId: '7',
          activeStateMachines: Object.fromEntries(
            Array.from({ length: 600 }, (_, index) => [`k${from + index}`, machine('1', from + index)]),
          ),
        },
      ],
      behaviourTags: [],
    });
    const keys = (first: number, second: number) => {
      const { state } = merge(merge(emptyState, many(first), options).state, many(second), options);
      expect(merge(state, many(first), options).changed).toBe(false);
      return Object.keys(state.ctas['7']?.machines ?? {}).sort();
    };
    expect(keys(0, 600)).toHaveLength(1000);
    expect(keys(0, 600)).not.toContain('k199');
    expect(keys(600, 0)).toEqual(keys(0, 600));
  });

  test('a machine over its time to live is left out, its reset is not', () => {
    const withTtl = { ...options, ctas: new Map([['7', { ttl: 1000 }]]) };
    expect(merge(emptyState, push({ k: machine('1', 10) }), withTtl).changed).toBe(false);
    expect(kept(merge(emptyState, push({ k: reset(10) }), withTtl).state)).toBe('gone@10');
    const young = { ...machine('1', 10), createdAt: options.now - 1000 };
    expect(kept(merge(emptyState, push({ k: young }), withTtl).state)).toBe('1@10');
  });
});

describe('histories', () => {
  test.each<[string, Push[], Push, number[], number[]]>([
    [
      'are joined',
      [{ resetAt: [5, 8], actionDoneAt: [1] }],
      { resetAt: [12, 8], actionDoneAt: [2] },
      [5, 8, 12],
      [1, 2],
    ],
    ['stay when omitted', [{ resetAt: [5], actionDoneAt: [1] }], { k: machine('1', 10) }, [5], [1]],
    [
      'stay when empty without a reset',
      [{ resetAt: [5], actionDoneAt: [1] }],
      { resetAt: [], actionDoneAt: [] },
      [5],
      [1],
    ],
    [
      'stay beside a reset that omits them',
      [{ resetAt: [5], actionDoneAt: [1] }],
      { k: reset(10) },
      [5],
      [1],
    ],
    [
      'are cleared each for itself',
      [{ resetAt: [5], actionDoneAt: [1] }],
      { k: reset(10), resetAt: [], actionDoneAt: [9] },
      [],
      [1, 9],
    ],
    ['are cleared up to the reset', [{ resetAt: [5, 12] }], { k: reset(10), resetAt: [] }, [12], []],
    ['stay cleared', [{ resetAt: [5] }, { k: reset(10), resetAt: [] }], { resetAt: [5, 12] }, [12], []],
    [
      'are cleared whole by a reset at the time of the machine',
      [{ k: machine('1', 10), resetAt: [5], actionDoneAt: [30] }],
      { k: reset(10), resetAt: [], actionDoneAt: [] },
      [],
      [],
    ],
    [
      'keep what came after such a reset when it is sent again',
      [
        { k: machine('1', 10), actionDoneAt: [30] },
        { k: reset(10), actionDoneAt: [] },
        { actionDoneAt: [40] },
      ],
      { k: reset(10), actionDoneAt: [] },
      [],
      [40],
    ],
  ])('%s', (_, before, pushed, resetAt, actionDoneAt) => {
    const { ctas } = merge(after(before), push(pushed), options).state;
    expect(ctas['7']?.resetAt.marks).toEqual(resetAt);
    expect(ctas['7']?.actionDoneAt.marks).toEqual(actionDoneAt);
  });

  test.each([
    ['7', 1000],
    ['8', 1500],
  ])('of CTA %s, the %d newest are kept', (ctaId, keep) => {
    const resetAt = Array.from({ length: 2000 }, (_, index) => index);
    const pushed = { ctas: [{ ctaId, activeStateMachines: {}, resetAt }], behaviourTags: [] };
    const { state } = merge(emptyState, pushed, options);
    expect(state.ctas[ctaId]?.resetAt.marks).toEqual(resetAt.slice(-keep));
    expect(merge(state, pushed, options).changed).toBe(false);
  });
});

describe('behaviour tags', () => {
  const seven = (resetAt: number) => ({ ctaId: '7', resetAt });

  test.each<[string, Push[], Push, number[], string[]]>([
    ['join marks', [{ ctasResetAt: [seven(5)] }], { ctasResetAt: [seven(8), seven(5)] }, [5, 8], []],
    ['keep marks when omitted', [{ ctasResetAt: [seven(5)] }], { k: reset(10), activeCtas: [] }, [5], []],
    ['clear marks beside a reset', [{ ctasResetAt: [seven(5)] }], { k: reset(10), ctasResetAt: [] }, [], []],
    [
      'clear later marks beside a reset at the time of its machine',
      [{ k: machine('1', 10), ctasResetAt: [seven(30)] }],
      { k: reset(10), ctasResetAt: [] },
      [],
      [],
    ],
    [
      'end a CTA at the time of its listing',
      [{ k: machine('1', 10), activeCtas: ['7'] }],
      { k: reset(10), activeCtas: [] },
      [],
      [],
    ],
    [
      'take a listing at the time of the end for late',
      [{ k: reset(10), activeCtas: [] }],
      { k: machine('1', 10), activeCtas: ['7'] },
      [],
      [],
    ],
    ['join active CTAs', [{ activeCtas: ['10'] }], { activeCtas: ['9'] }, [], ['9', '10']],
    ['keep active CTAs not listed', [{ activeCtas: ['7', '8'] }], { activeCtas: [] }, [], ['7', '8']],
    ['keep active CTAs when omitted', [{ activeCtas: ['7'] }], { k: reset(10), ctasResetAt: [] }, [], ['7']],
    [
      'end a CTA that was reset',
      [{ activeCtas: ['7', '8'] }],
      { k: reset(10), activeCtas: ['8'] },
      [],
      ['8'],
    ],
    ['end no CTA that was not', [{ activeCtas: ['7', '8'] }], { k: reset(10), activeCtas: [] }, [], ['8']],
    [
      'take a late listing for late',
      [{ k: reset(10), activeCtas: [] }],
      { k: machine('1', 9), activeCtas: ['7'] },
      [],
      [],
    ],
    [
      'take a new machine for active again',
      [{ k: reset(10), activeCtas: [] }],
      { k: machine('1', 11), activeCtas: ['7'] },
      [],
      ['7'],
    ],
  ])('%s', (_, before, pushed, marks, active) => {
    const tag = merge(after(before), push(pushed), options).state.tags['t'];
    expect(tag?.ctasResetAt.marks).toEqual(marks.map(seven));
    expect(tag && activeCtaIds(tag)).toEqual(active);
  });

  /** @see A device that had not heard of it brought the place back with each launch, and all others of the tag waited for ever. */
  test('take no place for a CTA that has ended or is under another tag', () => {
    const ctas = new Map([
      ['7', { tag: 't' }],
      ['8', { tag: 'other' }],
      ['9', { tag: null }],
    ]);
    const known = { ...options, ctas, others: new Set(['10']) };
    const { state } = merge(emptyState, push({ activeCtas: ['7', '8', '9', '10'] }), known);
    expect(activeCtaIds(state.tags['t'] ?? emptyTagState)).toEqual(['7', '9']);
  });

  test('limits and relations that a client sends are not stored', () => {
    const behaviourTags: BehaviourTagSnapshot[] = [
      {
        behaviourTagName: 't',
        exposureRule: { session: { limit: 99 } },
        ctaRelation: { shownCta: { rule: 'ANY' } },
      },
    ];
    expect(merge(emptyState, { ctas: [], behaviourTags }, options)).toEqual({
      state: emptyState,
      changed: false,
    });
  });
});

test('what is not known is ignored, a push of nothing too', () => {
  const ctas = [{ ctaId: '404', activeStateMachines: { k: machine('1', 10) }, resetAt: [5] }];
  const behaviourTags = [{ behaviourTagName: 'unknown', ctaRelation: { activeCtas: ['7'] } }];
  for (const pushed of [{ ctas, behaviourTags }, { ctas: [], behaviourTags: [] }, push({})]) {
    expect(merge(emptyState, pushed, options).state).toBe(emptyState);
  }
});
