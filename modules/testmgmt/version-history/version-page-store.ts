import { and, asc, eq, getTableColumns, gte, lte, sql, type SQL } from 'drizzle-orm';
import { countRows } from '../../../core/db/query/columns.ts';
import type { Page } from '../../../core/db/query/counted-page.ts';
import { together, type Query } from '../../../core/db/query/db.ts';
import { writesOfRecord, type MarkedWrite } from '../../auth/index.ts';
import { testVersions } from '../base/version-schema.ts';
import type { Test } from '../cases/case-store.ts';
import { authorsOfReviews } from '../proposals/review-store.ts';
import { everyClassification, idFieldOf } from '../rules/classification.ts';
import { sortedFieldValues } from '../rules/field-value.ts';
import { labelIdsOf } from '../versions/label-text.ts';

const { description, preconditions, steps, ...small } = getTableColumns(testVersions);

const isStored = (text: typeof description | typeof steps): SQL<number> =>
  sql<number>`case when ${text} is null then 0 else 1 end`.mapWith(Number);

/** A version of a list, newest first. */
interface ListedVersion {
  readonly version: number;
  /** Since when it holds, in epoch milliseconds. */
  readonly at: number;
  /** Until when; null for the present one. */
  readonly until: number | null;
  readonly by: number | null;
  /** The audit entry of the write that made it; null if that is not known. */
  readonly activityId: number | null;
  /** The program of the agent that made it. */
  readonly client: string | null;
  /** The proposal that was merged. */
  readonly review: {
    readonly reviewId: number;
    readonly authorId: number;
    readonly client: string | null;
  } | null;
  /** The parameters in which it differs from the version before; null if that is not known. */
  readonly changed: readonly string[] | null;
}

type Row = Awaited<ReturnType<typeof rowsBetween>>[number];

const rowsBetween = (q: Query, testId: number, [least, most]: readonly [number, number]) =>
  q
    .select({
      ...small,
      testDescription: isStored(description),
      preconditions: isStored(preconditions),
      steps: isStored(steps),
    })
    .from(testVersions)
    .where(
      and(eq(testVersions.testId, testId), gte(testVersions.version, least), lte(testVersions.version, most)),
    )
    .orderBy(asc(testVersions.version));

/** The short values of a state, by parameter name. */
const valuesOf = (
  state: Pick<Test, 'name' | 'sectionId' | 'squadId' | 'estimateSeconds' | 'fields' | 'deletedAt'>,
) => ({
  testName: state.name,
  sectionId: state.sectionId,
  ...Object.fromEntries(
    everyClassification.map((kind) => [idFieldOf[kind], (state as Test)[idFieldOf[kind]]]),
  ),
  squadId: state.squadId,
  estimateSeconds: state.estimateSeconds,
  fields: JSON.stringify(sortedFieldValues(state.fields)),
  deleted: state.deletedAt !== null,
});

/**
 * One page of the versions of a test, newest first, and how many are kept.
 * @param labels of the test now.
 */
export async function pageOfVersions(
  q: Query,
  { test, labels }: { readonly test: Test; readonly labels: readonly number[] },
  { limit, offset }: Page,
): Promise<{ readonly total: number; readonly rows: readonly ListedVersion[] }> {
  const newest = test.version - offset;
  const least = Math.max(1, newest - limit + 1);
  const [[counted], rows] = await together([
    q.select({ total: countRows() }).from(testVersions).where(eq(testVersions.testId, test.id)),
    newest < 1 ? [] : rowsBetween(q, test.id, [least - 1, newest]),
  ]);
  const byVersion = new Map(rows.map((row) => [row.version, row]));
  const writeIds = rows.flatMap(({ writeId }) => (writeId === null ? [] : [writeId]));
  // The write of version 1 created the test.
  if (least === 1 && test.createdWrite !== null) writeIds.push(test.createdWrite);
  const activities = await writesOfRecord(q, { kind: 'test', id: test.id }, writeIds);
  const reviewIds = [...activities.values()].flatMap((write) => reviewIdOf(write) ?? []);
  const authors = await authorsOfReviews(q, reviewIds);
  const listed: ListedVersion[] = [];
  for (let version = newest; version >= least; version--) {
    const row = byVersion.get(version);
    if (!row && version !== test.version) break;
    const before = byVersion.get(version - 1);
    const writeId = before ? before.writeId : version === 1 ? test.createdWrite : null;
    const write = writeId === null ? undefined : activities.get(writeId);
    const review = write && authors.get(reviewIdOf(write) ?? 0);
    listed.push({
      version,
      at: before?.untilAt ?? row?.fromAt ?? test.updatedAt,
      until: row?.untilAt ?? null,
      by: row ? row.by : (test.updatedBy ?? test.createdBy),
      activityId: write?.id ?? null,
      client: write?.client ?? null,
      review: review ? { reviewId: review.id, authorId: review.authorId, client: review.client } : null,
      changed: before ? changedSince(before, row ?? test, row ? labelIdsOf(row.labels) : labels) : null,
    });
  }
  return { total: (counted?.total ?? 0) + 1, rows: listed };
}

/** The proposal that a write merged. */
function reviewIdOf({ operation, ids }: MarkedWrite): number | undefined {
  const reviewId = operation === 'merge-test-change' ? ids?.['reviewId'] : undefined;
  return typeof reviewId === 'number' ? reviewId : undefined;
}

function changedSince(before: Row, state: Row | Test, labels: readonly number[]): readonly string[] {
  const [old, values] = [valuesOf(before), valuesOf(state)];
  const names = Object.keys(values) as Array<keyof typeof values>;
  const texts = (['testDescription', 'preconditions', 'steps'] as const).filter((name) => before[name] === 1);
  return [
    ...names.filter((name) => old[name] !== values[name]),
    ...(labelIdsOf(before.labels).join() === labels.join() ? [] : ['labels']),
    ...texts,
  ];
}
