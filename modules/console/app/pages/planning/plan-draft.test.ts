import { expect, test } from 'bun:test';
import {
  configurationText,
  minutesText,
  newEntry,
  planInput,
  withGroups,
  type PlanDraft,
} from './plan-draft.ts';

const draft: PlanDraft = { name: '', description: ' ', milestone: '', dueOn: '', entries: [newEntry([])] };
const entry = { ...newEntry([1, 2]), query: ' label:smoke ', runName: ' Smoke ', assignTo: [7] };

test.each<[string, Partial<PlanDraft>, object]>([
  ['nothing but all tests', {}, { name: 'New plan', entries: [{ query: 'id:>0' }] }],
  [
    'everything',
    { name: ' 1.4 ', description: 'Why', milestone: '3', dueOn: '2026-12-01', entries: [entry] },
    {
      name: '1.4',
      description: 'Why',
      milestoneId: 3,
      dueOn: '2026-12-01',
      entries: [
        { query: 'label:smoke', runName: 'Smoke', configurations: 'all', groupIds: [1, 2], assignTo: [7] },
      ],
    },
  ],
  [
    'no group is left to combine',
    { entries: [{ ...entry, groupIds: [] }] },
    { name: 'New plan', entries: [{ query: 'label:smoke', runName: 'Smoke', assignTo: [7] }] },
  ],
  [
    'no combination',
    { entries: [{ ...entry, combinations: 'none', assignTo: [] }] },
    { name: 'New plan', entries: [{ query: 'label:smoke', runName: 'Smoke' }] },
  ],
])('%s', (_name, part, input) => {
  expect(planInput(5, { ...draft, ...part })).toEqual({ projectId: 5, ...input } as never);
});

test.each([
  [0, '0 min'],
  [0.2, '1 min'],
  [45, '45 min'],
  [60, '1 h'],
  [124.1, '2 h 5 min'],
])('%p minutes are %s', (minutes, text) => expect(minutesText(minutes)).toBe(text));

test('configurations are their values', () =>
  expect([configurationText([]), configurationText([{ value: 'Chrome' }, { value: 'Linux' }])]).toEqual([
    '',
    'Chrome, Linux',
  ]));

test('a group that does not exist any more is left out', () =>
  expect(withGroups(newEntry([1, 2, 3]), [3, 1])).toEqual({ ...newEntry([1, 3]) }));
