import { and, not, or, sql, type SQL } from 'drizzle-orm';
import { tests } from '../base/schema.ts';
import type { FieldSql, WithOutcomes } from './field-kinds/field-sql.ts';
import type { Condition, ConditionNode } from './query-check.ts';
import type { QueryPlace } from './query-place-store.ts';
import { search } from './query-text-store.ts';

/**
 * The SQL of a checked query, over the tables of query-source-store.ts: true for the rows that it selects. All values are bound. Negations
 * are applied to single conditions: a condition that is not negated may be null for a test without results, which selects no row either,
 * and PostgreSQL finds `last_status = 'failed'` by its index.
 * @param tools of the same place.
 */
export function conditionSql(tools: FieldSql & WithOutcomes, node: ConditionNode, place: QueryPlace): SQL {
  const oneCondition = (condition: Condition, negated: boolean): SQL => {
    if (condition.kind === 'search') return search(condition.word, place, condition === place.driver);
    const { index, fits } = condition.asks;
    if (condition === place.driver && index) return sql`${tests.id} in (${index.testIds(tools)})`;
    return fits(tools, negated);
  };
  const nodeSql = (each: ConditionNode, negated: boolean): SQL => {
    if (each.kind === 'condition') {
      const fits = oneCondition(each.condition, negated);
      return negated ? not(fits) : fits;
    }
    if (each.kind === 'not') return nodeSql(each.node, !negated);
    const parts = each.nodes.map((part) => nodeSql(part, negated));
    return ((each.kind === 'and') !== negated ? and(...parts) : or(...parts)) ?? sql`true`;
  };
  return nodeSql(node, false);
}
