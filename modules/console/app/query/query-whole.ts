import { QueryProblem } from '../../../testmgmt/query/field-kinds/query-term.ts';
import { checkQuery } from '../../../testmgmt/query/query-check.ts';
import { parseQuery } from '../../../testmgmt/query/query-syntax.ts';
import type { QueryTool } from './query-text.ts';

const scopes = { 'get-tests': 'tests', 'get-runs': 'runs', 'get-run-tests-list': 'run-tests' } as const;

const ownNames = /(?:^|[\s(:-])(cf\.[\w-]*)/g;

/**
 * Whether a text is a whole query, by the rules of the server: `label:` is not yet.
 * @param own the fields of the project, as a query names them.
 */
export function isWholeQuery(tool: QueryTool, text: string, own: readonly string[], now: number): boolean {
  const isKnown = (name: string) => own.includes(name) || own.includes(name.replace(/-(?:asc|desc)$/, ''));
  if (![...text.matchAll(ownNames)].every(([, name = '']) => isKnown(name))) return false;
  try {
    checkQuery(parseQuery(text), scopes[tool], now);
    return true;
  } catch (error) {
    if (error instanceof QueryProblem) return false;
    throw error;
  }
}
