import type { useMetadata } from '../api/metadata.ts';
import { isSorted, writtenValue, withTerm } from './query-terms.ts';

/** What chooses the rows of a page. */
interface Chosen {
  /** What the person typed. */
  readonly query: string;
  /** A section with those below it. */
  readonly section: number | null;
  /** e.g. `updated-desc`. */
  readonly sort: string | null;
}

/** Chooses all tests: every test has an id. For tools that need a query. */
export const everyTest = 'id:>0';

/**
 * One query of the language for all of it.
 * @returns undefined for everything in the order of the list.
 */
export function wholeQuery({ query, section, sort }: Chosen): string | undefined {
  const chosen = section === null ? query.trim() : withTerm(query, `section:${section}`);
  const order = sort === null || isSorted(query) ? '' : `sort:${sort}`;
  return [chosen, order].filter((part) => part !== '').join(' ') || undefined;
}

/** Whether a query finds deleted tests: without this term, none is found. */
export const asksForDeleted = (query: string): boolean => /(?:^|[\s(])is:"?deleted\b/i.test(query);

/** The order after a click on the head of a column: up, down, none. */
export const nextSort = (sort: string | null, by: string): string | null =>
  sort === by ? `${by}-desc` : sort === `${by}-desc` ? null : by;

/** The column of an order. */
export const sortedBy = (sort: string | null) =>
  sort === null ? null : { by: sort.replace(/-desc$/, ''), descending: sort.endsWith('-desc') };

/**
 * The values of a project that may end a text, e.g. `label:smo` → `label:smoke`.
 * @param values the names by field.
 */
export function completedValues(
  text: string,
  values: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const [, before = '', minus = '', field = '', earlier = '', beginning = ''] =
    /^((?:[^]*\s)?[^\w\s.-]*)(-?)([\w.-]+):((?:[^\s,]+,)*)([^\s,:]*)$/.exec(text) ?? [];
  const start = beginning.replace(/^"/, '').toLowerCase();
  return (Object.hasOwn(values, field) ? (values[field] ?? []) : [])
    .filter((name) => name.toLowerCase().startsWith(start))
    .slice(0, 12)
    .map((name) => `${before}${minus}${field}:${earlier}${writtenValue(field, name)}`);
}

/**
 * The own fields of a project that may end a text, as what they have and what they sort by, e.g. `cf.r` → `cf.risk:`.
 * @param values the names by field, of which those of own fields begin with `cf.`.
 */
export function completedFields(
  text: string,
  values: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const [, before = '', role = '', beginning = ''] =
    /^((?:[^]*[\s(])?)(-|-?has:|sort:)?(cf\.[\w-]*)$/.exec(text) ?? [];
  if (beginning === '') return [];
  const end = role.endsWith(':') ? '' : ':';
  return Object.keys(values)
    .filter((name) => name.startsWith(beginning.toLowerCase()))
    .slice(0, 12)
    .map((name) => `${before}${role}${name}${end}`);
}

/** The tools that take a query of the console's search boxes. */
export type QueryTool = 'get-tests' | 'get-runs' | 'get-run-tests-list';

/** What a search box shows before anything is typed: a query of the fields that its own page has. */
export const queryExamples = {
  'get-tests': 'label:smoke last:failed',
  'get-runs': 'status:active progress:<100',
  'get-run-tests-list': 'status:failed by:me',
} as const satisfies Readonly<Record<QueryTool, string>>;

/** The names of a project that may follow a field of a query about tests. */
export const queryValues = ({ labels, squads, ofKind }: ReturnType<typeof useMetadata>) => {
  const namesOf = (values: ReadonlyArray<{ readonly name: string }>) => values.map(({ name }) => name);
  return {
    label: namesOf(labels),
    squad: namesOf(squads),
    priority: namesOf(ofKind('priority')),
    type: namesOf(ofKind('type')),
    automation: namesOf(ofKind('automationStatus')),
    platform: namesOf(ofKind('platform')),
  };
};
