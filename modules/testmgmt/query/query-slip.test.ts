import { describe, expect, test } from 'bun:test';
import { QueryProblem } from './field-kinds/query-term.ts';
import { checkQuery } from './query-check.ts';
import { parseQuery } from './query-syntax.ts';

/* Syntax of other query languages, which here would be words that no test contains. @see issue 13, 45 */

const now = Date.parse('2026-11-23T10:00:00Z');

function problemOf(text: string): QueryProblem {
  try {
    checkQuery(parseQuery(text), 'tests', now);
  } catch (error) {
    if (error instanceof QueryProblem) return error;
    throw error;
  }
  throw new Error(`it was understood: ${text}`);
}

describe('a query that would silently find nothing is refused with what was meant', () => {
  test.each<[string, number, string]>([
    ['label:smoke and last:failed', 13, 'terms side by side mean AND'],
    ['label:smoke And last:failed', 13, 'terms side by side mean AND'],
    ['label:smoke && last:failed', 13, 'terms side by side mean AND'],
    ['label:smoke & last:failed', 13, 'terms side by side mean AND'],
    ['label:smoke + last:failed', 13, 'terms side by side mean AND'],
    ['label:smoke or last:failed', 13, 'Write OR in capitals'],
    ['label:smoke || last:failed', 13, 'Write OR in capitals'],
    ['label:smoke | last:failed', 13, 'Write OR in capitals'],
    ['smoke|checkout', 1, 'Write smoke OR checkout.'],
    ['not label:smoke', 1, 'Write a minus before the term'],
    ['! label:smoke', 1, 'Write a minus before the term'],
    ['- label:smoke', 1, 'Write a minus before the term'],
    ['!label:x', 1, 'Write a minus: -label:x.'],
    ['!(label:x)', 1, 'Write a minus before the term'],
    ['label:!smoke', 7, 'Write a minus before the field: -label:smoke.'],
    ['priority:!=High', 10, 'Write a minus before the field: -priority:High.'],
    ['priority=High', 1, 'Write priority:High.'],
    ['priority==High', 1, 'Write priority:High.'],
    ['priority!=High', 1, 'Write -priority:High.'],
    ['Priority=High', 1, 'Write priority:High.'],
    ['status=failed', 1, 'Write last:failed.'],
    ['failed>=2', 1, 'Write failed:>=2.'],
    ['failed>2', 1, 'Write failed:>2.'],
    ['sort=updated', 1, 'Write sort:updated.'],
    ['+label:smoke', 1, 'Write label:smoke.'],
    ['priority = High', 10, 'Write the field, a colon and the value without spaces: priority:High.'],
    ['failed > 2', 8, 'without spaces: failed:>2.'],
    ['failed >= 2', 8, 'without spaces: failed:>=2.'],
    ['name ~ login', 6, 'Write a minus before the term'],
    ['section:Checkout > Payment', 18, 'Put a value with spaces in quotes: section:"Checkout > Payment".'],
    ['sort:updated desc', 14, 'Write sort:updated-desc.'],
    ['sort:name ASC', 11, 'Write sort:name-asc.'],
    ['updated:>2026-11-01 <2026-11-08', 21, 'for both ends of a range updated:2026-11-01..2026-11-08.'],
    ['<2026-11-08', 1, 'Write field:<2026-11-08'],
    ['priority:High|Low', 10, 'Write priority:High,Low, or priority:"High|Low"'],
    ['label:smoke&&last:failed', 7, 'Write a space instead'],
    ['log*', 1, 'Words are found anywhere in a text: write log.'],
    ['*', 1, 'a query without terms chooses everything'],
    ['name:log*', 6, 'for a part of a name name:log'],
    ['label:*', 7, '-label:none is what has any value'],
  ])('%s', (text, at, remedy) => {
    const problem = problemOf(text);
    expect(problem.at).toBe(at);
    expect(problem.remedy).toContain(remedy);
    expect(problem.remedy).toMatch(/^[A-Z].*\.$/s);
  });
});

test.each(['R&D', 'C++', 'a=b', 'x>1', '50%', 'salt-and-pepper', 'android', 'organic', '"and"', '✅'])(
  'the word %s is searched for',
  (text) => {
    const { where } = checkQuery(parseQuery(text), 'tests', now);
    expect(where).toMatchObject({ kind: 'condition', condition: { kind: 'search' } });
  },
);

test.each(['id:..', 'id:.. x', 'cf.size:..', 'id:1,..5', 'id:..5,7', 'id:1,5.. x'])(
  'of %s nothing is guessed',
  (text) => {
    const { message, remedy, meant } = problemOf(text);
    expect([message, meant]).toEqual([expect.stringContaining('has no value here'), undefined]);
    expect(remedy).toContain('A range has two ends');
  },
);

test.each(['label: priority:High', 'label:,', 'label: -last:failed'])('of %s no value is guessed', (text) => {
  expect(problemOf(text)).toMatchObject({ message: '"label:" has no value here.', meant: undefined });
});

test.each([
  ['label:smoke and last:failed', 'label:smoke last:failed'],
  ['label:smoke || last:failed', 'label:smoke OR last:failed'],
  ['last:failed ! label:smoke', 'last:failed -label:smoke'],
  ['login - label:smoke', 'login -label:smoke'],
  ['a OR b ! c', 'a OR b -c'],
  ['label:x "a b" not c d', 'label:x "a b" -c d'],
  ['(label:a and label:b)', '(label:a label:b)'],
  ['x label:"a b" priority:!=High', 'x label:"a b" -priority:High'],
  ['label:x priority != High', 'label:x -priority:High'],
  ['failed > 2 label:x', 'failed:>2 label:x'],
  ['section:Checkout > Payment last:failed', 'section:"Checkout > Payment" last:failed'],
  ['label:x sort:updated desc', 'label:x sort:updated-desc'],
  ['updated:>2026-11-01 <2026-11-08', 'updated:>2026-11-01 updated:<2026-11-08'],
  ['x label:* y', 'x y'],
  ['label:a, b x', 'label:a,b x'],
  ['last:,failed', 'last:failed'],
  ['last:failed,,passed x', 'last:failed,passed x'],
  ['last:failed,', 'last:failed'],
  ['(last:failed,) x', '(last:failed) x'],
  ['last:failed, label:smoke', 'last:failed label:smoke'],
  ['last:failed, -label:smoke', 'last:failed -label:smoke'],
  ['last:failed, OR label:smoke', 'last:failed OR label:smoke'],
  ['label:a, "b: c" x', 'label:a,"b: c" x'],
  ['label : smoke x', 'label:smoke x'],
  ["label:'smoke' x", 'label:"smoke" x'],
  ['label:smoke;last:failed', 'label:smoke last:failed'],
  ['label:smoke failed:2.. x', 'label:smoke failed:>=2 x'],
  ['(updated:..2026-11-30) x', '(updated:<=2026-11-30) x'],
])('of %s the whole query is said as it was meant', (text, meant) => {
  expect(problemOf(text).meant).toBe(meant);
  expect(() => checkQuery(parseQuery(meant), 'tests', now)).not.toThrow();
});
