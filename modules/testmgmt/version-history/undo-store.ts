import { and, asc, eq, gt, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { sections, tests } from '../base/schema.ts';
import { rowsPerRead } from '../base/statement-sizes.ts';
import { sectionVersions, testVersions } from '../base/version-schema.ts';
import { mostByQuery } from '../cases/case-choice-store.ts';
import type { ChangedFields } from '../cases/case-store.ts';
import { byIdField } from '../rules/classification.ts';
import { labelIdsOf } from '../versions/label-text.ts';

/** A record that a write changed or created, as it is now. */
export interface WrittenRecord {
  readonly id: number;
  readonly version: number;
  readonly deletedAt: number | null;
  readonly created: boolean;
  /** The newest earlier version that the write ended; null if it ended none. */
  readonly lastEnded: number | null;
}

interface OfWrite {
  readonly projectId: number;
  readonly writeId: number;
}

/**
 * The tests of a project that a write changed or created, in id order. Yields to other requests.
 * @throws Fault TOO_MANY_TESTS.
 */
export const testsOfWrite = (q: Query, of: OfWrite, signal: AbortSignal): Promise<readonly WrittenRecord[]> =>
  recordsOfWrite(q, of, 'test', signal);

/** The sections of a project that a write changed or created, as {@link testsOfWrite}. */
export const sectionsOfWrite = (
  q: Query,
  of: OfWrite,
  signal: AbortSignal,
): Promise<readonly WrittenRecord[]> => recordsOfWrite(q, of, 'section', signal);

const tables = {
  test: { rows: tests, versions: testVersions, id: testVersions.testId },
  section: {
    rows: sections as unknown as typeof tests,
    versions: sectionVersions as unknown as typeof testVersions,
    id: sectionVersions.sectionId as unknown as typeof testVersions.testId,
  },
};

async function recordsOfWrite(
  q: Query,
  { projectId, writeId }: OfWrite,
  kind: keyof typeof tables,
  signal: AbortSignal,
): Promise<readonly WrittenRecord[]> {
  const { rows, versions, id } = tables[kind];
  const now = { id: rows.id, version: rows.version, deletedAt: rows.deletedAt };
  const found = new Map<number, WrittenRecord>();
  const note = (row: Pick<WrittenRecord, 'id' | 'version' | 'deletedAt'>, more: Partial<WrittenRecord>) => {
    const known = found.get(row.id) ?? { ...row, created: false, lastEnded: null };
    found.set(row.id, { ...known, ...more });
    if (found.size > mostByQuery)
      throw fail.TOO_MANY_TESTS(`The write changed more than ${mostByQuery} ${kind}s. Nothing was written.`, {
        cause: 'activityId',
        tip: 'Use change-tests or delete-tests-by-query with a query that finds a part of them.',
      });
  };
  for (let after = 0, full = true; full;) {
    // Only columns of the index, so that a page ends where it is full. A join would group all rows for each page.
    const ended = await q
      .select({ id, last: sql<number>`max(${versions.version})`.mapWith(Number) })
      .from(versions)
      .where(and(eq(versions.writeId, writeId), gt(id, after)))
      .groupBy(id)
      .orderBy(asc(id))
      .limit(rowsPerRead);
    const last = new Map(ended.map((row) => [row.id, row.last]));
    const part = await q
      .select(now)
      .from(rows)
      .where(and(inValues(rows.id, [...last.keys()]), eq(rows.projectId, projectId)));
    for (const row of part) note(row, { lastEnded: last.get(row.id) ?? null });
    after = ended.at(-1)?.id ?? 0;
    full = ended.length === rowsPerRead;
    if (turnIsOver()) await nextTurn(signal);
  }
  for (let after = 0, full = true; full;) {
    const part = await q
      .select(now)
      .from(rows)
      .where(and(eq(rows.createdWrite, writeId), gt(rows.id, after), eq(rows.projectId, projectId)))
      .orderBy(asc(rows.id))
      .limit(rowsPerRead);
    for (const row of part) note(row, { created: true });
    after = part.at(-1)?.id ?? 0;
    full = part.length === rowsPerRead;
    if (turnIsOver()) await nextTurn(signal);
  }
  return [...found.values()].toSorted((a, b) => a.id - b.id);
}

/** A test as it was before a write: the fields that the write may have changed. */
export interface TestBefore {
  readonly testId: number;
  readonly wasDeleted: boolean;
  readonly fields: ChangedFields;
}

/** The given tests, one chunk, as they were before a write: only texts that it changed are read. */
export async function testsBefore(
  q: Query,
  writeId: number,
  testIds: readonly number[],
): Promise<readonly TestBefore[]> {
  const rows = await q
    .select()
    .from(testVersions)
    .where(and(eq(testVersions.writeId, writeId), inValues(testVersions.testId, testIds)))
    .orderBy(asc(testVersions.testId), asc(testVersions.version));
  return [...Map.groupBy(rows, ({ testId }) => testId)].flatMap(([testId, ended]): TestBefore[] => {
    const [first] = ended;
    if (!first) return [];
    const text = (name: 'description' | 'preconditions' | 'steps') =>
      ended.find((row) => row[name] !== null)?.[name] ?? undefined;
    const [description, preconditions, steps] = [text('description'), text('preconditions'), text('steps')];
    const fields: ChangedFields = {
      testName: first.name,
      sectionId: first.sectionId,
      ...byIdField((kind) => first[`${kind}Id`]),
      squadId: first.squadId,
      estimateSeconds: first.estimateSeconds,
      fieldValues: first.fields,
      labels: labelIdsOf(first.labels),
      ...(description === undefined ? {} : { testDescription: description }),
      ...(preconditions === undefined ? {} : { preconditions }),
      ...(steps === undefined ? {} : { steps: JSON.parse(steps) as NonNullable<ChangedFields['steps']> }),
    };
    return [{ testId, wasDeleted: first.deletedAt !== null, fields }];
  });
}

/** A section as it was before a write. */
export interface SectionBefore {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
  readonly deletedAt: number | null;
}

/** The sections that a write changed, one chunk, as they were before it. */
export async function sectionsBefore(
  q: Query,
  writeId: number,
  sectionIds: readonly number[],
): Promise<readonly SectionBefore[]> {
  const rows = await q
    .select()
    .from(sectionVersions)
    .where(and(eq(sectionVersions.writeId, writeId), inValues(sectionVersions.sectionId, sectionIds)))
    .orderBy(asc(sectionVersions.sectionId), asc(sectionVersions.version));
  return [...Map.groupBy(rows, ({ sectionId }) => sectionId)].flatMap(([id, [first]]) =>
    first ? [{ id, name: first.name, parentId: first.parentId, deletedAt: first.deletedAt }] : [],
  );
}

/** Earlier versions of sections, one chunk, by the id of the section. */
export async function sectionsInVersions(
  q: Query,
  wanted: ReadonlyArray<{ readonly id: number; readonly version: number }>,
): Promise<ReadonlyMap<number, SectionBefore>> {
  const ids = wanted.map(({ id }) => id);
  const rows = await q.select().from(sectionVersions).where(inValues(sectionVersions.sectionId, ids));
  const versionOf = new Map(wanted.map(({ id, version }) => [id, version]));
  const found = rows.filter(({ sectionId, version }) => versionOf.get(sectionId) === version);
  return new Map(found.map(({ sectionId, ...row }) => [sectionId, { id: sectionId, ...row }]));
}

/** Those of the given sections, one chunk, that are deleted while tests in them are not. */
export async function deletedSectionsWithTests(
  q: Query,
  projectId: number,
  sectionIds: readonly number[],
): Promise<readonly number[]> {
  const rows = await q
    .selectDistinct({ id: tests.sectionId })
    .from(tests)
    .innerJoin(sections, eq(sections.id, tests.sectionId))
    .where(
      and(
        eq(tests.projectId, projectId),
        inArray(tests.sectionId, [...sectionIds]),
        isNull(tests.deletedAt),
        isNotNull(sections.deletedAt),
      ),
    );
  return rows.flatMap(({ id }) => (id === null ? [] : [id]));
}
