import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { tests, type Step } from '../base/schema.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { columnsOf } from '../cases/case-columns.ts';
import { labelsOf } from '../cases/case-record-store.ts';
import type { ChangedFields, Test } from '../cases/case-store.ts';
import { byIdField, everyClassification, idFieldOf } from '../rules/classification.ts';
import { ownName, type FieldDefinition } from '../rules/field-value.ts';

/** A test that an import found again. */
export interface KnownTest {
  readonly testId: number;
  /** Its place in the file. */
  readonly at: number;
}

export interface ImportUpdates {
  readonly changes: ReadonlyArray<{
    readonly test: { readonly id: number; readonly projectId: number };
    readonly fields: ChangedFields;
  }>;
  /** Deleted tests that come back. */
  readonly restored: readonly number[];
}

/**
 * What to change so that tests are as a file says: fields that they have already are left out. Yields to other requests.
 * @param fieldsAt all fields that the file has for the test at a place. They are asked for in parts: those of 100,000 tests at once took 40 MB.
 */
export async function updatesOf(
  q: Query,
  projectId: number,
  { found, fieldsAt }: { readonly found: readonly KnownTest[]; fieldsAt(at: number): ChangedFields },
  signal: AbortSignal,
): Promise<ImportUpdates> {
  const changes: Array<ImportUpdates['changes'][number]> = [];
  const restored: number[] = [];
  for await (const part of partsInTurns(found, rowsPerInsert, signal)) {
    const ids = part.map(({ testId }) => testId);
    const rows = new Map(
      (await q.select().from(tests).where(inValues(tests.id, ids))).map((row) => [row.id, row]),
    );
    const labels = await labelsOf(q, ids);
    for (const { testId, at } of part) {
      const row = rows.get(testId);
      if (!row) continue;
      if (row.deletedAt !== null) restored.push(testId);
      const labelIds = (labels.get(testId) ?? []).map(({ labelId }) => labelId);
      const different = differingFields(row, labelIds, fieldsAt(at));
      if (Object.keys(different).length > 0)
        changes.push({ test: { id: testId, projectId }, fields: different });
    }
  }
  return { changes, restored };
}

const plainStep = ({ action, data = '', expected = '' }: Step) => [action, data, expected];

/** The given fields that a stored test does not have yet. */
function differingFields(row: Test, labelIds: readonly number[], given: ChangedFields): ChangedFields {
  const { fields: own, labels, steps, ...plain } = given;
  const columns = columnsOf(plain);
  const isDifferent: Partial<Record<keyof ChangedFields, boolean>> = {
    testName: columns.name !== undefined && columns.name !== row.name,
    testDescription: columns.description !== undefined && columns.description !== row.description,
    preconditions: columns.preconditions !== undefined && columns.preconditions !== row.preconditions,
    sectionId: columns.sectionId !== undefined && columns.sectionId !== row.sectionId,
    squadId: columns.squadId !== undefined && columns.squadId !== row.squadId,
    estimateSeconds: columns.estimateSeconds !== undefined && columns.estimateSeconds !== row.estimateSeconds,
    ...byIdField(() => false),
  };
  for (const kind of everyClassification) {
    const name = idFieldOf[kind];
    isDifferent[name] = columns[name] !== undefined && columns[name] !== row[name];
  }
  const kept = Object.fromEntries(
    Object.entries(plain).filter(([name]) => isDifferent[name as keyof ChangedFields] === true),
  ) as ChangedFields;
  const stored = row.fields ?? {};
  const ownChanges = Object.entries(columnsOf({ fields: own ?? {} }).fields ?? {}).filter(
    ([key, value]) => JSON.stringify(value ?? null) !== JSON.stringify(stored[key] ?? null),
  );
  const sorted = (ids: readonly number[]) => [...new Set(ids)].toSorted((a, b) => a - b).join();
  return {
    ...kept,
    ...(steps && JSON.stringify(steps.map(plainStep)) !== JSON.stringify(row.steps.map(plainStep))
      ? { steps }
      : {}),
    ...(labels && sorted(labels) !== sorted(labelIds) ? { labels } : {}),
    ...(ownChanges.length > 0 ? { fields: Object.fromEntries(ownChanges) } : {}),
  };
}

/** The fields of a file without their values: what a test gets where its file has a column and no value. Required own fields stay. */
export function clearedFields(
  supplied: ReadonlySet<string>,
  known: ReadonlyMap<string, FieldDefinition>,
): ChangedFields {
  const own = [...known.values()].filter(({ key, required }) => !required && supplied.has(ownName(key)));
  const isGiven = (name: string) => supplied.has(name);
  return {
    ...(isGiven('testDescription') && { testDescription: '' }),
    ...(isGiven('preconditions') && { preconditions: '' }),
    ...(isGiven('steps') && { steps: [] }),
    ...(isGiven('sectionPath') && { sectionId: null }),
    ...Object.fromEntries(everyClassification.filter(isGiven).map((kind) => [idFieldOf[kind], null])),
    ...(isGiven('squad') && { squadId: null }),
    ...(isGiven('estimateSeconds') && { estimateSeconds: null }),
    ...(isGiven('labels') && { labels: [] }),
    ...(own.length > 0 && { fields: Object.fromEntries(own.map(({ key }) => [key, null])) }),
  };
}
