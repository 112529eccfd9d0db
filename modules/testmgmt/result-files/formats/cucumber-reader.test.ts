import { expect, test } from 'bun:test';
import { readContent } from '../testing/read-text.ts';

/**
 * Cucumber-JVM and Ruby end the id of a row of examples with the name of the examples and the number of the row.
 * @see Rows of examples with a name were told apart by their order alone: a part of them (a shard, a tag) met the tests of other rows.
 */
test.each<[string, string, string | undefined]>([
  ['math;sums;;2', 'sums', '2'],
  ['math;sums;small-numbers;3', 'sums', 'small-numbers 3'],
  ['math;rule;it-s-a-sum--ok;small-numbers;3', "It's a sum, ok", 'small-numbers 3'],
  ['math;sums', 'sums', undefined],
  ['math;rule;2', '2', undefined],
  ['math;sum-of-<a>;small-numbers;3', 'sum of 1', undefined],
])('the row of %j of "%s" is %j', async (id, name, parameters) => {
  const steps = [{ name: 'a', result: { status: 'passed' } }];
  const feature = { uri: 'a.feature', name: 'math', elements: [{ id, name, type: 'scenario', steps }] };
  const { cases } = await readContent(JSON.stringify([feature]));
  expect(cases.map((one) => [one.name, one.parameters])).toEqual([[name, parameters]]);
});
