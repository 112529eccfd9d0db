import { parentsOfSections } from '../../testmgmt/index.ts';
import type { Work } from '../wire/api-route.ts';
import { count, idReader, idOrNone, list, oneOf, optionalReader, textReader } from '../wire/request-field.ts';
import type { Wanted } from '../wire/row-page.ts';
import { queryOfFilters, sortOf } from '../words/filter-query.ts';
import type { Joined, ListedTest } from './test-form.ts';

/** Ids of a filter: a query has at most 200 values. */
const ids = optionalReader(list(idReader, 150));

/** The fields of a request that filter tests. */
export const filterFields = {
  textSearch: optionalReader(textReader),
  squadIds: optionalReader(list(idOrNone, 150)),
  labelIds: ids,
  platformIds: ids,
  sectionIds: ids,
  priorityIds: ids,
  automationStatusIds: ids,
  filterType: optionalReader(oneOf(['and', 'or'])),
};

export const orderFields = { sortBy: optionalReader(textReader), sortOrder: optionalReader(textReader) };
export const pageFields = { page: optionalReader(count), pageSize: optionalReader(count) };

/** The order that a request asks for; a warning if there is none by that field. */
export function orderOf(
  work: Pick<Work, 'warn'>,
  { sortBy, sortOrder }: { readonly sortBy?: string | undefined; readonly sortOrder?: string | undefined },
): string | undefined {
  if (sortBy === undefined) return undefined;
  const sort = sortOf(sortBy, sortOrder);
  if (sort === undefined)
    work.warn(`Not ordered by ${sortBy.slice(0, 40)}: Trivet orders by title, test id and priority.`);
  return sort;
}

/** What the rows of these tests need of other records. */
export async function joinedOf(
  work: Work,
  projectId: number,
  tests: readonly ListedTest[],
  others: ReadonlyArray<number | null | undefined> = [],
): Promise<Joined> {
  const nameOf = await work.namesOf([...tests.map(({ createdBy }) => createdBy), ...others]);
  const sectionIds = new Set(tests.flatMap(({ sectionId }) => (sectionId ? [sectionId] : [])));
  return { projectId, nameOf, parents: await parentsOfSections(work.host.db.q, [...sectionIds]) };
}

/** Reads tests of a project, oldest first unless the query sorts them. */
export const testsOf =
  (work: Work, projectId: number, query: string | undefined) =>
  async (page: Wanted): Promise<{ readonly total: number; readonly rows: readonly ListedTest[] }> => {
    const { total, tests } = await work.call('get-tests', {
      projectId,
      ...page,
      ...(query !== undefined && { query }),
    });
    return { total, rows: tests };
  };

/** Tests that one query can name: it has at most 200 values and 2,000 characters. */
const namedAtOnce = 110;

/** The tests with these ids, in any order. */
export async function testsByIds(
  work: Work,
  projectId: number,
  testIds: readonly number[],
): Promise<ReadonlyMap<number, ListedTest>> {
  const found = new Map<number, ListedTest>();
  for (let at = 0; at < testIds.length; at += namedAtOnce) {
    const query = `id:${testIds.slice(at, at + namedAtOnce).join(',')}`;
    const { rows } = await testsOf(work, projectId, query)({ limit: namedAtOnce, offset: 0 });
    for (const row of rows) if (row.testId !== undefined) found.set(row.testId, row);
  }
  return found;
}

/** {@link queryOfFilters} with an order. */
export const queryOfRequest = (filters: Parameters<typeof queryOfFilters>[0], sort: string | undefined) =>
  [queryOfFilters(filters), sort].filter((part) => part !== undefined).join(' ') || undefined;
