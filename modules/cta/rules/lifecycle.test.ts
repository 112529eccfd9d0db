import { expect, test } from 'bun:test';
import {
  clockStatusChanges,
  ctaStatuses,
  illegalStatusChange,
  nextStatuses,
  statusAt,
  type CtaSchedule,
  type CtaStatus,
} from './lifecycle.ts';

const now = 1000;
const open = { startTime: null, endTime: null };

test.each<[string, CtaSchedule, CtaStatus]>([
  ['a draft stays one', { status: 'DRAFT', startTime: 1, endTime: 2 }, 'DRAFT'],
  ['scheduled, before its start', { status: 'SCHEDULED', startTime: 1001, endTime: null }, 'SCHEDULED'],
  ['scheduled, at its start', { status: 'SCHEDULED', startTime: 1000, endTime: null }, 'LIVE'],
  ['scheduled, after its end', { status: 'SCHEDULED', startTime: 1, endTime: 1000 }, 'CONCLUDED'],
  ['live without end', { status: 'LIVE', ...open }, 'LIVE'],
  ['live, just before its end', { status: 'LIVE', startTime: null, endTime: 1001 }, 'LIVE'],
  ['live, at its end', { status: 'LIVE', startTime: null, endTime: 1000 }, 'CONCLUDED'],
  ['paused past its end: its state is kept', { status: 'PAUSED', startTime: null, endTime: 1 }, 'PAUSED'],
])('%s', (_, cta, status) => {
  expect(statusAt(cta, now)).toBe(status);
});

test('every move that the table does not list is refused and names the legal ones', () => {
  for (const from of ctaStatuses) {
    for (const to of ctaStatuses) {
      // The start time each status needs: a future one for SCHEDULED, none for the others.
      const startTime = from === 'SCHEDULED' || to === 'SCHEDULED' ? now + 1 : null;
      const illegal = illegalStatusChange({ status: from, startTime, endTime: null }, to, now);
      if (nextStatuses[from].includes(to)) {
        expect([from, to, illegal?.field]).toEqual([
          from,
          to,
          from === 'SCHEDULED' && to === 'LIVE' ? 'startTime' : undefined,
        ]);
      } else {
        expect(illegal?.field).toBe('status');
        for (const legal of nextStatuses[from]) expect(illegal?.message).toContain(legal);
      }
    }
  }
});

test.each<[string, CtaSchedule, CtaStatus, string | undefined, string | undefined]>([
  ['live after its start', { status: 'DRAFT', startTime: 999, endTime: null }, 'LIVE', undefined, undefined],
  ['live before its start', { status: 'DRAFT', startTime: 1001, endTime: null }, 'LIVE', 'startTime', '1001'],
  ['live at its end', { status: 'PAUSED', startTime: null, endTime: 1000 }, 'LIVE', 'endTime', '1000'],
  ['scheduled without a start', { status: 'DRAFT', ...open }, 'SCHEDULED', 'startTime', 'none'],
  [
    'scheduled at its start',
    { status: 'DRAFT', startTime: 1000, endTime: null },
    'SCHEDULED',
    'startTime',
    '',
  ],
  ['from final', { status: 'CONCLUDED', ...open }, 'LIVE', 'status', 'final'],
  [
    'from an end by the clock',
    { status: 'LIVE', startTime: null, endTime: 1 },
    'PAUSED',
    'status',
    'CONCLUDED',
  ],
  [
    'back to draft once begun',
    { status: 'SCHEDULED', startTime: 1, endTime: null },
    'DRAFT',
    'status',
    'LIVE',
  ],
  ['paused once begun', { status: 'SCHEDULED', startTime: 1, endTime: null }, 'PAUSED', undefined, undefined],
])('%s', (_, cta, to, field, said) => {
  const illegal = illegalStatusChange(cta, to, now);
  expect(illegal?.field).toBe(field as never);
  if (said !== undefined) expect(illegal?.message).toContain(said);
});

test.each<[string, CtaSchedule, [CtaStatus, CtaStatus, number][]]>([
  ['nothing to begin yet', { status: 'SCHEDULED', startTime: 1001, endTime: null }, []],
  ['a start', { status: 'SCHEDULED', startTime: 900, endTime: null }, [['SCHEDULED', 'LIVE', 900]]],
  ['an end', { status: 'LIVE', startTime: 1, endTime: 1000 }, [['LIVE', 'CONCLUDED', 1000]]],
  [
    'both',
    { status: 'SCHEDULED', startTime: 900, endTime: 950 },
    [
      ['SCHEDULED', 'LIVE', 900],
      ['LIVE', 'CONCLUDED', 950],
    ],
  ],
  ['a paused one past its end', { status: 'PAUSED', startTime: 1, endTime: 2 }, []],
  ['a draft', { status: 'DRAFT', startTime: 1, endTime: 2 }, []],
  ['one without times', { status: 'LIVE', ...open }, []],
])('moves of the clock: %s', (_, cta, moves) => {
  expect(clockStatusChanges(cta, now)).toEqual(moves.map(([from, to, at]) => ({ from, to, at })));
});
