import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import { isoTime } from '../../core/clock.ts';
import { countRows } from '../../core/db/columns.ts';
import type { Query } from '../../core/db/db.ts';
import { refuse } from './errors.ts';
import { optionsOf, type Option } from './options.ts';
import { labels, sections, squads, testLabels, tests, type OptionKind, type Step } from './schema.ts';
import { sectionPath } from './sections.ts';

export type Test = typeof tests.$inferSelect;

/** The fields of a test as callers give them (specification, Area C, Tests). */
export interface TestFields {
  readonly testName: string;
  readonly testDescription?: string;
  readonly preconditions?: string;
  readonly steps?: readonly Step[];
  readonly sectionId?: number;
  readonly priorityId?: number;
  readonly typeId?: number;
  readonly automationStatusId?: number;
  readonly platformId?: number;
  readonly testCoveredById?: number;
  readonly squadId?: number;
  readonly labels?: readonly number[];
}

/** Everything of a project that its tests refer to by id. */
interface References {
  readonly options: ReadonlyMap<number, Option>;
  readonly sections: ReadonlyMap<number, typeof sections.$inferSelect>;
  readonly squads: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, string>;
}

export async function referencesOf(q: Query, projectId: number): Promise<References> {
  const sectionRows = await q.select().from(sections).where(eq(sections.projectId, projectId));
  const squadRows = await q.select().from(squads).where(eq(squads.projectId, projectId));
  const labelRows = await q.select().from(labels).where(eq(labels.projectId, projectId));
  return {
    options: await optionsOf(q, projectId),
    sections: new Map(sectionRows.map((row) => [row.id, row])),
    squads: new Map(squadRows.map((row) => [row.id, row.name])),
    labels: new Map(labelRows.map((row) => [row.id, row.name])),
  };
}

const optionFields = [
  ['priorityId', 'priority', 'get-priority'],
  ['typeId', 'type', 'get-type'],
  ['automationStatusId', 'automationStatus', 'get-automation-status'],
  ['platformId', 'platform', 'get-platforms'],
  ['testCoveredById', 'testCoveredBy', 'get-test-covered-by'],
] as const satisfies ReadonlyArray<readonly [keyof TestFields, OptionKind, string]>;

/**
 * The first id of a test that is not of its project, and the tool that lists the right ones; null when all are. Pure.
 */
export function foreignReference(
  fields: Omit<TestFields, 'testName'>,
  references: References,
): { readonly field: keyof TestFields; readonly listedBy: string } | null {
  for (const [field, kind, listedBy] of optionFields) {
    const given = fields[field];
    if (given !== undefined && references.options.get(given)?.kind !== kind) return { field, listedBy };
  }
  const section = fields.sectionId === undefined ? undefined : references.sections.get(fields.sectionId);
  if (fields.sectionId !== undefined && (!section || section.deletedAt !== null)) {
    return { field: 'sectionId', listedBy: 'get-sections' };
  }
  if (fields.squadId !== undefined && !references.squads.has(fields.squadId)) {
    return { field: 'squadId', listedBy: 'get-squads' };
  }
  return fields.labels?.some((label) => !references.labels.has(label))
    ? { field: 'labels', listedBy: 'get-labels' }
    : null;
}

/** Stores a test. @throws Fault NOT_IN_PROJECT naming the field and the tool that lists the right ids. */
export async function insertTest(
  q: Query,
  given: {
    readonly projectId: number;
    readonly fields: TestFields;
    readonly by: number;
    readonly now: number;
  },
): Promise<Test> {
  const { projectId, fields, by, now } = given;
  const foreign = foreignReference(fields, await referencesOf(q, projectId));
  if (foreign) {
    throw refuse.NOT_IN_PROJECT(`${foreign.field} is not of project ${projectId}.`, {
      cause: foreign.field,
      tip: `Use ${foreign.listedBy} to see the ids of this project.`,
    });
  }
  const [test] = await q
    .insert(tests)
    .values({
      projectId,
      name: fields.testName,
      description: fields.testDescription ?? '',
      preconditions: fields.preconditions ?? '',
      steps: fields.steps ?? [],
      sectionId: fields.sectionId ?? null,
      priorityId: fields.priorityId ?? null,
      typeId: fields.typeId ?? null,
      automationStatusId: fields.automationStatusId ?? null,
      platformId: fields.platformId ?? null,
      testCoveredById: fields.testCoveredById ?? null,
      squadId: fields.squadId ?? null,
      createdBy: by,
      createdAt: now,
      updatedAt: now,
    })
    .returning();
  if (!test) throw new Error('the test was not stored');
  const labelIds = [...new Set(fields.labels)];
  if (labelIds.length > 0)
    await q.insert(testLabels).values(labelIds.map((labelId) => ({ testId: test.id, labelId })));
  return test;
}

export interface TestFilter {
  readonly sectionId?: number;
  readonly priorityId?: number;
}

/** One page of the tests of a project that are not deleted, oldest first, and how many there are. */
export async function pageOfTests(
  q: Query,
  projectId: number,
  filter: TestFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly rows: readonly Test[] }> {
  const matching = and(
    eq(tests.projectId, projectId),
    isNull(tests.deletedAt),
    filter.sectionId === undefined ? undefined : eq(tests.sectionId, filter.sectionId),
    filter.priorityId === undefined ? undefined : eq(tests.priorityId, filter.priorityId),
  );
  const [counted] = await q.select({ total: countRows() }).from(tests).where(matching);
  const rows = await q
    .select()
    .from(tests)
    .where(matching)
    .orderBy(asc(tests.id))
    .limit(limit)
    .offset(offset);
  return { total: counted?.total ?? 0, rows };
}

/** The records of some tests as lists show them: without the long texts. */
export async function slimRecords(q: Query, projectId: number, rows: readonly Test[]) {
  if (rows.length === 0) return [];
  const references = await referencesOf(q, projectId);
  const labelled = await q
    .select()
    .from(testLabels)
    .where(
      inArray(
        testLabels.testId,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(asc(testLabels.testId), asc(testLabels.labelId));
  const nameOf = (optionId: number | null) =>
    optionId === null ? null : (references.options.get(optionId)?.name ?? null);
  return rows.map((test) => ({
    testId: test.id,
    projectId: test.projectId,
    testName: test.name,
    sectionId: test.sectionId,
    sectionPath: sectionPath(references.sections, test.sectionId),
    priorityId: test.priorityId,
    priority: nameOf(test.priorityId),
    typeId: test.typeId,
    type: nameOf(test.typeId),
    automationStatusId: test.automationStatusId,
    automationStatus: nameOf(test.automationStatusId),
    platformId: test.platformId,
    platform: nameOf(test.platformId),
    testCoveredById: test.testCoveredById,
    testCoveredBy: nameOf(test.testCoveredById),
    squadId: test.squadId,
    squad: test.squadId === null ? null : (references.squads.get(test.squadId) ?? null),
    labels: labelled
      .filter(({ testId }) => testId === test.id)
      .map(({ labelId }) => ({ labelId, labelName: references.labels.get(labelId) ?? '' })),
    createdBy: test.createdBy,
    createdAt: isoTime(test.createdAt),
    updatedAt: isoTime(test.updatedAt),
  }));
}

/** The whole record of one test. */
export async function wholeRecord(q: Query, test: Test) {
  const [slim] = await slimRecords(q, test.projectId, [test]);
  if (!slim) throw new Error('a test without a record');
  const { description, preconditions, steps } = test;
  return { ...slim, testDescription: description, preconditions, steps: [...steps] };
}
