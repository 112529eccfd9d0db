import { QueryProblem } from '../../../testmgmt/query/field-kinds/query-term.ts';
import { checkQuery } from '../../../testmgmt/query/query-check.ts';
import { parseQuery } from '../../../testmgmt/query/query-syntax.ts';
import type { QueryTool } from './query-text.ts';

const scopes = { 'get-tests': 'tests', 'get-runs': 'runs', 'get-run-tests-list': 'run-tests' } as const;

/**
 * Whether a text is a whole query, by the rules of the server: `label:` is not yet. A query of own fields is left to the server, which
 * knows them.
 */
export function isWholeQuery(tool: QueryTool, text: string, now: number): boolean {
  if (/(?:^|[\s(-])cf\./.test(text)) return false;
  try {
    checkQuery(parseQuery(text), scopes[tool], now);
    return true;
  } catch (error) {
    if (error instanceof QueryProblem) return false;
    throw error;
  }
}
