import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { leftOut, pruneJson } from './json-prune.ts';

const limits = { member: 'c', level: 3, tokens: 10, total: 25, depth: 6 };
let turn = 0;
const read = (value: unknown) => {
  const text = new TextEncoder().encode(JSON.stringify(value, null, turn++ % 3));
  return JSON.parse(new TextDecoder().decode(pruneJson(text, limits))) as unknown;
};
const many = Array(20).fill(0);
const some = Array(9).fill(0);

describe('what is too large is left out of a text before it is parsed', () => {
  const list = (...contexts: unknown[]) => contexts.map((c) => ({ c }));
  const cases: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ['nothing is', list([1, 2], 'x', { a: 1 }), list([1, 2], 'x', { a: 1 })],
    ['one value', list(many, { a: 1 }), list(leftOut, { a: 1 })],
    ['an object, and what is in it', list({ b: { d: many } }), list(leftOut)],
    ['those that come after the sum is reached', list(some, some, some, [1]), list(some, some, leftOut, [1])],
    ['what is nested too deep', list([[[[[1]]]]], [[[[1]]]]), list(leftOut, [[[[1]]]])],
    ['not of another name, nor on another level', [{ d: many }, [{ c: many }]], [{ d: many }, [{ c: many }]]],
    [
      'brackets and quotes in texts are text',
      list(['"[[[[[[,,,,,,,,,,,,:::{\\'], '}'),
      list(['"[[[[[[,,,,,,,,,,,,:::{\\'], '}'),
    ],
  ];
  test.each(cases)('%s', (_title, value, expected) => expect(read(value)).toEqual(expected));

  test('white space around the colon of a member', () => {
    const text = Buffer.from(`[{"c" \n:\t ${JSON.stringify(many)}}]`);
    expect(Buffer.from(pruneJson(text, limits)).toString()).toBe('[{"c" \n:\t "\\u0000left out"}]');
  });

  test('whatever it is, the rest stays as it was', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom('c', 'd', 'ä"'), fc.jsonValue({ maxDepth: 5 }))),
        (value) => {
          const all = JSON.parse(JSON.stringify(value)) as Array<Record<string, unknown>>;
          for (const [index, item] of (read(value) as Array<Record<string, unknown>>).entries())
            for (const [key, kept] of Object.entries(item))
              if (key !== 'c' || kept !== leftOut) expect(kept).toEqual(all[index]?.[key]);
        },
      ),
    );
  });

  test('text that is no JSON is no endless loop', () => {
    for (const text of ['', '[', ']]]]', '"', '{"a":', '\\', '[[[[[[['])
      expect(pruneJson(Buffer.from(text), limits).length).toBeGreaterThanOrEqual(0);
  });
});
