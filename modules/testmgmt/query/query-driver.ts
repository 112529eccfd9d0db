import { indexRanks } from './field-kinds/query-field.ts';
import type { Condition, ConditionNode } from './query-check.ts';
import { marksOfWord } from './query-marks.ts';

/** The conditions that every row must match. */
function required(where: ConditionNode | null): readonly Condition[] {
  const nodes = where?.kind === 'and' ? where.nodes : where === null ? [] : [where];
  return nodes.flatMap((node) => (node.kind === 'condition' ? [node.condition] : []));
}

/** The longest word that all rows of a query must contain, if tests can be found by its marks. A number may also be the id of a test. */
export function wordOf(where: ConditionNode | null): Condition | undefined {
  const words = required(where).filter(
    (each) =>
      each.kind === 'search' && !/^\d+$/.test(each.word) && marksOfWord(each.word).some((marks) => marks > 0),
  );
  const length = (each: Condition) => (each.kind === 'search' ? each.word.length : 0);
  return words.toSorted((a, b) => length(b) - length(a))[0];
}

/** The condition whose index finds the rows of a query: all rows must match it. */
export function driverOf(where: ConditionNode | null): Condition | undefined {
  const rank = (each: Condition) =>
    each.kind === 'field' && each.asks.index ? indexRanks.indexOf(each.asks.index.rank) : Infinity;
  const [first] = required(where).toSorted((a, b) => rank(a) - rank(b) || 0);
  return first && rank(first) < Infinity ? first : undefined;
}
