import { and, sql, type SQL } from 'drizzle-orm';
import type { Actor } from '../../../core/base/actor.ts';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Page } from '../../../core/db/query/counted-page.ts';
import { together, type Query } from '../../../core/db/query/db.ts';
import { pageOfQuery } from '../cases/case-query-store.ts';
import { loadReferences } from '../cases/case-reference-store.ts';
import { idsIn } from '../cases/case-references.ts';
import type { TestSummary } from '../cases/case-store.ts';
import { projectFor } from '../projects/project-store.ts';
import { askQuery, type SortValue } from '../query/query-store.ts';
import { sectionPath } from '../rules/section-tree.ts';
import { outcomes } from '../base/schema.ts';

/** The input of an insight about a project. */
export interface InsightInput {
  readonly projectId: number;
  /** Narrows the tests. Its sort replaces the insight's own. */
  readonly query?: string;
}

export interface Ranking {
  /** An additional query, e.g. `flaky:yes`. */
  readonly also: string;
  /** A condition on the outcomes of a test that the query language cannot express. */
  readonly where?: SQL;
  readonly sort: readonly SortValue[];
}

/** A sort by a column that each of the tests has. */
const by = (value: SQL, direction: 'asc' | 'desc'): SortValue => ({
  value,
  optional: false,
  descending: direction === 'desc',
});

/** Which tests an insight covers, and in which order. */
export const rankings = {
  flaky: {
    also: 'flaky:yes',
    sort: [by(sql`${outcomes.flips}`, 'desc'), by(sql`${outcomes.failed}`, 'desc')],
  },
  longestFailing: {
    also: 'failed:>=1',
    where: sql`${outcomes.failingSince} is not null`,
    sort: [by(sql`${outcomes.failingSince}`, 'asc')],
  },
  neverRun: { also: 'runs:0', sort: [] },
} as const satisfies Readonly<Record<string, Ranking>>;

/** One page of the tests that an insight covers, in its order, with the shared fields of each test. */
export async function rankedTests(
  q: Query,
  actor: Actor,
  { projectId, query = '' }: InsightInput,
  { also, where, sort }: Ranking,
  page: Page & { readonly now: number; readonly signal: AbortSignal },
) {
  const asked = askQuery(query, actor, { scope: 'tests', projectId, now: page.now, also });
  const ranked = {
    ...asked,
    where: (of: Query, options?: Parameters<typeof asked.where>[1]) => and(asked.where(of, options), where),
    sort: asked.sort.length > 0 ? asked.sort : sort,
    readsOutcomes: true,
  };
  const [, , { total, rows }] = await together([
    projectFor(q, actor, projectId, 'read'),
    asked.requireNames(q),
    pageOfQuery(q, { projectId, filter: {}, asked: ranked }, page),
  ]);
  const [told, outcome] = await together([insightTests(q, projectId, rows), outcomesOf(q, rows)]);
  return { total, rows: told.map((row) => ({ ...row, outcome: outcome.get(row.test.id) })) };
}

export type RankedTest = Awaited<ReturnType<typeof rankedTests>>['rows'][number];

/** The shared insight fields of tests, with their source rows. */
export async function insightTests(q: Query, projectId: number, rows: readonly TestSummary[]) {
  const known = await loadReferences(q, projectId, idsIn(rows));
  return rows.map((test) => ({
    test,
    shown: {
      testId: test.id,
      testName: test.name,
      sectionPath: sectionPath(known.sections, test.sectionId),
      priority: test.priorityId === null ? null : (known.classifications.get(test.priorityId)?.name ?? null),
      squad: test.squadId === null ? null : (known.squads.get(test.squadId) ?? null),
    },
  }));
}

/** The summary of these tests' results, by test. */
async function outcomesOf(q: Query, of: readonly TestSummary[]) {
  const ids = of.map(({ id }) => id);
  const rows = await q.select().from(outcomes).where(inValues(outcomes.testId, ids));
  return new Map(rows.map((row) => [row.testId, row]));
}
