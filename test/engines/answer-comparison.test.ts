import { expect, test } from 'bun:test';
import { answerComparison } from './answer-comparison.ts';

const made = { runId: 7, tests: [{ testId: 1, name: 'a' }] };

test.each<readonly [string, unknown, unknown, readonly string[]]>([
  ['the same', { total: 1, rows: ['x'] }, { total: 1, rows: ['x'] }, []],
  ['another value', { name: 'a' }, { name: 'b' }, ['.name: "a" ~ "b"']],
  ['another type', { size: 1 }, { size: '1' }, ['.size: 1 ~ "1"']],
  ['nothing', { at: null }, { at: 0 }, ['.at: null ~ 0']],
  ['a member more', { a: 1 }, { a: 1, b: 2 }, [': a ~ a,b']],
  ['another order of members', { a: 1, b: 1 }, { b: 1, a: 1 }, [': a,b ~ b,a']],
  ['an item more', { rows: [1] }, { rows: [1, 2] }, ['.rows: 1 items ~ 2']],
  ['the ids that were paired', made, { runId: 9, tests: [{ testId: 3, name: 'a' }] }, []],
  ['an id that belongs to another', { testId: 1 }, { testId: 5 }, ['.testId: 1 ~ 5']],
  [
    'a change of paired ids',
    { field: 'testIds', from: null, to: [1] },
    { field: 'testIds', from: null, to: [3] },
    [],
  ],
  ['a change of others', { field: 'testId', to: 1 }, { field: 'testId', to: 5 }, ['.to: 1 ~ 5']],
  ['a message that names an id', { message: 'no run 7' }, { message: 'no run 9' }, []],
  ['what is drawn', { token: 'x' }, { token: 'y' }, []],
])('%s', (_what, first, second, differences) => {
  const comparison = answerComparison();
  expect(comparison.differences(made, { runId: 9, tests: [{ testId: 3, name: 'a' }] }, true)).toEqual([]);
  expect(comparison.differences(first, second, false)).toEqual([...differences]);
});

test("an id that no answer had is nobody's", () => {
  const comparison = answerComparison();
  comparison.differences({ testId: 1 }, { testId: 3 }, true);
  const input = { testIds: [1, 2], runId: 1, limit: 5, cursor: 'x' };
  expect(comparison.withoutUnknown(input)).toEqual({
    ...input,
    testIds: [1, 1_000_000_002],
    runId: 1_000_000_001,
  });
});

test('arguments get the ids of the other server', () => {
  const comparison = answerComparison();
  comparison.differences({ testId: 1, runId: 1 }, { testId: 3, runId: 8 }, true);
  expect(
    comparison.translated({ runId: 1, testIds: [1, 2], testResults: [{ testId: 1, limit: 1 }] }),
  ).toEqual({
    runId: 8,
    testIds: [3, 2],
    testResults: [{ testId: 3, limit: 1 }],
  });
});
