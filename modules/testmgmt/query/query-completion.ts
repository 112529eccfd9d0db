import type { QueryScope } from './field-kinds/field-value.ts';
import { fieldsIn } from './query-fields.ts';

/** The tools that take a query, and what it selects. */
const scopes: Readonly<Record<string, QueryScope>> = {
  'get-runs': 'runs',
  'get-run-tests-list': 'run-tests',
  'download-report': 'run-tests',
};

/**
 * The possible continuations of a query: the whole text with its last term completed. A field is followed by a colon, a fixed value by
 * nothing.
 * @example completedQueries('get-tests', 'label:smoke la') // ['label:smoke label:', 'label:smoke last:', 'label:smoke last-run:']
 */
export function completedQueries(tool: string, text: string): readonly string[] {
  if (endsInQuotes(text)) return [];
  const scope = scopes[tool] ?? 'tests';
  const term = text.split(/[\s()]/).at(-1) ?? '';
  const before = text.slice(0, text.length - term.length);
  const [, minus = '', word = ''] = /^(-?)([^]*)$/.exec(term) ?? [];
  const found = word.includes(':') ? valuesOf(scope, word) : fieldNames(scope, word);
  const isOffered = (one: string) => minus === '' || !isNoCondition.test(one);
  return found.filter(isOffered).map((one) => `${before}${minus}${one}`);
}

/** What is typed there is a text, and no term. */
const endsInQuotes = (text: string): boolean =>
  text.replaceAll(/"(?:\\["\\]|[^"\\]|\\(?!["\\]))*"/g, '').includes('"');

/** They cannot be negated. */
const isNoCondition = /^(?:sort|since|as-of):/;

function fieldNames(scope: QueryScope, beginning: string): readonly string[] {
  const names = [...fieldsIn(scope).map(({ name }) => name), 'sort'];
  return names.filter((name) => name.startsWith(beginning.toLowerCase())).map((name) => `${name}:`);
}

function valuesOf(scope: QueryScope, term: string): readonly string[] {
  const [, name = '', earlier = '', beginning = ''] = /^([\w-]+):(?:([^]*),)?([^,]*)$/.exec(term) ?? [];
  // A sort has one field.
  if (name === 'sort' && term.includes(',')) return [];
  const fields = fieldsIn(scope);
  const sorted = fields.filter(({ sort }) => sort?.scopes.includes(scope));
  const values =
    name === 'sort'
      ? sorted.flatMap((field) => [field.name, `${field.name}-desc`])
      : (fields.find((field) => field.name === name)?.offered ?? []);
  return values
    .filter((value) => value.startsWith(beginning.toLowerCase()))
    .map((value) => `${name}:${earlier && `${earlier},`}${value}`);
}
