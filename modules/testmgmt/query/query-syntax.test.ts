import { describe, expect, test } from 'bun:test';
import { QueryProblem } from './field-kinds/query-term.ts';
import { parseQuery, queryLimits, type QueryNode } from './query-syntax.ts';

/* Mutation note: seen to fail with AND binding weaker than OR, with ranges not split, and with a sort allowed in parentheses. */

/** A query as the parser understood it, fully parenthesized. */
function shown(node: QueryNode | null): string {
  if (node === null) return '';
  if (node.kind === 'not') return `!${shown(node.node)}`;
  if (node.kind === 'term') {
    const { field, operator, values } = node.term;
    return `${field ?? ''}[${operator === 'is' ? '' : operator}${values.map(({ text }) => text).join('|')}]`;
  }
  return `(${node.nodes.map(shown).join(node.kind === 'and' ? '&' : '/')})`;
}

describe('a query is understood', () => {
  test.each<[string, string, string?]>([
    ['', ''],
    ['   ', ''],
    ['login', '[login]'],
    ['login page', '([login]&[page])'],
    ['"login page"', '[login page]'],
    ['"a \\"quoted\\" word"', '[a "quoted" word]'],
    ['label:smoke last:failed', '(label[smoke]&last[failed])'],
    ['Label:Smoke', 'label[Smoke]'],
    ['a OR b c', '([a]/([b]&[c]))'],
    ['(a OR b) c', '(([a]/[b])&[c])'],
    ['a AND b', '([a]&[b])'],
    ['ORDER', '[ORDER]'],
    ['NOT label:x', '!label[x]'],
    ['-label:x', '!label[x]'],
    ['--label:x', '!!label[x]'],
    ['NOT(a OR b)', '!([a]/[b])'],
    ['-(a OR b)', '!([a]/[b])'],
    ['covered-by:manual', 'covered-by[manual]'],
    ['priority:High,"Very high",Low', 'priority[High|Very high|Low]'],
    ['section:="Checkout > Payment"', 'section[equalsCheckout > Payment]'],
    ['failed:>=2', 'failed[>=2]'],
    ['updated:<2026-11-01', 'updated[<2026-11-01]'],
    ['updated:2026-11-01..2026-11-30', 'updated[range2026-11-01|2026-11-30]'],
    ['id:1,2,3', 'id[1|2|3]'],
    ['id:12,40..60', '(id[12]/id[range40|60])'],
    ['id:1..2,5..6,9,12 a', '((id[9|12]/id[range1|2]/id[range5|6])&[a])'],
    ['-id:12,40..60', '!(id[12]/id[range40|60])'],
    ['12:30', '[12:30]'],
    ['label:smoke sort:updated-desc', 'label[smoke]', 'updated-desc'],
    ['sort:name', '', 'name'],
    ['sort:priority label:x sort:name', 'label[x]', 'priority name'],
    ['updated-by:ann@example.org', 'updated-by[ann@example.org]'],
    ['label:smoke(a)', '(label[smoke]&[a])'],
    ['well-known', '[well-known]'],
    ['a "or" b', '([a]&[or]&[b])'],
    ['"&&" "-"', '([&&]&[-])'],
    ["R&D C++ a=b v1.2 50% it's", "([R&D]&[C++]&[a=b]&[v1.2]&[50%]&[it's])"],
    ['label:"a|b","!c"', 'label[a|b|!c]'],
  ])('%p', (text, tree, sort = '') => {
    const { where, sort: sorts } = parseQuery(text);
    expect(shown(where)).toBe(tree);
    expect(sorts.map((value) => value.text).join(' ')).toBe(sort);
  });
});

const deep = (depth: number) => `${'('.repeat(depth)}a${')'.repeat(depth)}`;

describe('a query that is wrong says where, and what to write', () => {
  test.each<[string, number, RegExp]>([
    ['label:smoke)', 12, /This "\)" has no "\("/],
    ['a (b OR c', 3, /This "\(" is never closed/],
    ['a ()', 3, /These parentheses are empty/],
    ['a OR', 3, /"OR" has nothing after it/],
    ['OR a', 1, /"OR" has nothing before it/],
    ['a OR OR b', 3, /"OR" has nothing after it/],
    ['AND a', 1, /"AND" has nothing before it/],
    ['a AND ', 3, /"AND" has nothing after it/],
    ['a NOT', 3, /nothing to negate/],
    ['name:"open', 6, /This quote is never closed/],
    ['"" a', 1, /no word between these quotes/],
    ['label:', 7, /"label:" has no value here/],
    ['label: smoke', 7, /"label:" has no value here/],
    ['label:a,', 9, /"label:" has no value here/],
    ['failed:>=', 10, /"failed:" has no value here/],
    ['failed:>1,2', 1, /">" takes one value/],
    ['failed:>1..5', 1, /">" takes one value/],
    ['failed:=1..5', 1, /"=" takes no range/],
    ['id:1,2..', 9, /"id:" has no value here/],
    ['failed:1 since:7d,2026-11-01..2026-11-02', 10, /"since:" takes one value/],
    ['as-of:7d,1d..2d', 1, /"as-of:" takes one value/],
    ['sort:name,a..b', 1, /A sort has one field/],
    ['updated:7d..', 13, /"updated:" has no value here/],
    ['(sort:name)', 1, /A sort, "since:" or "as-of:" stands in parentheses/],
    ['-sort:name', 1, /A sort cannot be negated/],
    ['sort:>name', 1, /A sort has one field/],
    [deep(queryLimits.depth + 1), queryLimits.depth + 2, /nested deeper than 10/],
    [Array.from({ length: 51 }, () => 'a').join(' '), 101, /more than 50 terms/],
    [`id:${Array.from({ length: 201 }, () => '1').join()}`, 404, /more than 200 values/],
    ['x'.repeat(2_001), 2_001, /has 2001 characters/],
  ])('%p', (text, at, message) => {
    let thrown: unknown;
    try {
      parseQuery(text);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof QueryProblem)) throw new Error('it was understood');
    expect({ at: thrown.at, message: thrown.message }).toEqual({
      at,
      message: expect.stringMatching(message) as string,
    });
    expect(thrown.remedy).toMatch(/^[A-Z].*\.$/);
  });

  test('the deepest and longest that are allowed are understood', () => {
    expect(shown(parseQuery(deep(queryLimits.depth)).where)).toBe('[a]');
    expect(parseQuery(Array.from({ length: 50 }, () => 'a').join(' ')).where).toBeDefined();
  });
});
