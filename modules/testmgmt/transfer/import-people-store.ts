import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { tests } from '../base/schema.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { testsByExternalId } from '../external-ids/external-id-store.ts';
import { keysOfUsers, requireFieldValues } from '../fields/field-value-store.ts';
import { shownProblems, type ReadFile } from '../import-files/import-file.ts';
import type { OwnFields } from '../import-files/tables/import-format.ts';
import { membersOfProject } from '../projects/project-people.ts';
import type { planImport } from './import-write-store.ts';

interface Given {
  readonly projectId: number;
  /** Where the external ids are of; null: the file has none. */
  readonly source: string | null;
  readonly known: OwnFields;
  readonly signal: AbortSignal;
}

/**
 * The file with a fault for each row that gives a test, in a field for users, somebody who is no active member: only the database knows. A
 * test that has somebody who left keeps them. Tests of faulty rows are left out, as those whose cells are wrong.
 */
export async function withPeopleChecked(q: Query, file: ReadFile, given: Given): Promise<ReadFile> {
  const keys = keysOfUsers(given.known);
  if (keys.length === 0) return file;
  const named = new Set<number>();
  for (const { fields } of file.tests)
    for (const key of keys) {
      const id = fields?.[key];
      if (typeof id === 'number') named.add(id);
    }
  const members = await membersOfProject(q, given.projectId, [...named]);
  const isMember = (id: unknown) => typeof id !== 'number' || members.get(id)?.status === 'active';
  const absent = new Map<number, readonly string[]>();
  for (const [at, { fields }] of file.tests.entries()) {
    const wrong = keys.filter((key) => !isMember(fields?.[key]));
    if (wrong.length > 0) absent.set(at, wrong);
  }
  const stored = await storedValues(q, file, [...absent.keys()], given);
  const faults = new Map<number, string>();
  for (const [at, wrong] of absent) {
    const foreign = wrong.filter((key) => stored.get(at)?.[key] !== file.tests[at]?.fields?.[key]);
    if (foreign.length > 0)
      faults.set(at, foreign.map((key) => `fields.${key} is no active member`).join('; '));
  }
  if (faults.size === 0) return file;
  const found = [...faults].map(([at, message]) => ({ row: file.rows[at] ?? 0, message }));
  const isRight = (_: unknown, at: number) => !faults.has(at);
  return {
    ...file,
    tests: file.tests.filter(isRight),
    rows: file.rows.filter(isRight),
    externalIds: file.externalIds.filter(isRight),
    faults: [...file.faults, ...found].toSorted((a, b) => a.row - b.row).slice(0, shownProblems),
    faultsCount: file.faultsCount + found.length,
  };
}

/** The own values of the tests that were imported before from the given places of a file. */
async function storedValues(
  q: Query,
  { externalIds }: ReadFile,
  places: readonly number[],
  { projectId, source, signal }: Given,
) {
  const ids = places.flatMap((at) => externalIds[at] ?? []);
  const found = new Map<number, Readonly<Record<string, unknown>>>();
  if (source === null || ids.length === 0) return found;
  const byId = await testsByExternalId(q, { projectId, source }, ids, signal);
  const values = new Map<number, Readonly<Record<string, unknown>>>();
  for await (const part of partsInTurns([...new Set(byId.values())], rowsPerInsert, signal)) {
    const rows = await q
      .select({ id: tests.id, fields: tests.fields })
      .from(tests)
      .where(inValues(tests.id, [...part]));
    for (const { id, fields } of rows) values.set(id, fields ?? {});
  }
  for (const at of places) {
    const stored = values.get(byId.get(externalIds[at] ?? '') ?? 0);
    if (stored) found.set(at, stored);
  }
  return found;
}

/** People may have left since the rows were checked. @throws Fault INVALID_FIELD_VALUE. */
export async function requirePresentPeople(
  q: Query,
  { testIds, changes }: Awaited<ReturnType<typeof planImport>>,
  { projectId, file, known }: Pick<Given, 'projectId' | 'known'> & { readonly file: ReadFile },
): Promise<void> {
  if (keysOfUsers(known).length === 0) return;
  const changed = new Map(changes.map(({ test, fields }) => [test.id, fields]));
  const given = file.tests.map((test, nth) => {
    const testId = testIds[nth];
    return testId === undefined ? test : (changed.get(testId) ?? {});
  });
  await requireFieldValues(q, given, { projectId, known, pathOf: (nth) => `row ${file.rows[nth] ?? 0}: ` });
}
