import { inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { tests } from '../base/schema.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { labelsOf } from '../cases/case-record-store.ts';
import { summaryColumns, testById, type ChangedFields } from '../cases/case-store.ts';
import { valuesOfTest } from '../cases/case-values.ts';
import { changeTests, deleteTests, undeleteTests } from '../cases/case-write-store.ts';
import { testInVersion, testInVersionIfKept } from '../versions/version-read-store.ts';
import { mostLeftOut, withoutGone } from './restored-fields.ts';
import { undoingOf } from './undo-rule.ts';
import { testsBefore, type TestBefore, type WrittenRecord } from './undo-store.ts';

interface Undoing {
  readonly projectId: number;
  readonly writeId: number;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * The tests that are not as a write left them, because others changed them since. A change that was taken back is no change: a test with
 * later versions is compared with the version that the write left.
 */
export async function testsChangedSince(
  q: Query,
  written: readonly WrittenRecord[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const changed: number[] = [];
  for (const { id, version, lastEnded } of written) {
    const left = (lastEnded ?? 0) + 1;
    if (version === left) continue;
    const [test] = await testById(q, { id });
    if (!test || !(await isAsInVersion(q, test, left))) changed.push(id);
    if (turnIsOver()) await nextTurn(signal);
  }
  return changed;
}

async function isAsInVersion(
  q: Query,
  test: NonNullable<Awaited<ReturnType<typeof testById>>[number]>,
  version: number,
): Promise<boolean> {
  const then = await testInVersionIfKept(q, test, version);
  if (!then) return false;
  const now = await testInVersion(q, test, test.version);
  const textOf = ({ test: one, labels }: typeof now) =>
    JSON.stringify([valuesOfTest(one, labels), one.deletedAt !== null]);
  return textOf(now) === textOf(then);
}

interface UndoneTests {
  readonly changed: number;
  readonly restored: number;
  readonly deleted: number;
  readonly leftOut: ReadonlyArray<{ readonly testId: number; readonly field: string; readonly id: number }>;
}

/** Takes back what a write did with tests, each of which is as the write left it. Yields to other requests between its chunks. */
export async function restoreTestsBefore(
  q: Query,
  written: readonly WrittenRecord[],
  undoing: Undoing,
): Promise<UndoneTests> {
  const sum = { changed: 0, restored: 0, deleted: 0 };
  const leftOut: Array<UndoneTests['leftOut'][number]> = [];
  for await (const part of partsInTurns(written, rowsPerInsert, undoing.signal)) {
    const one = await restorePart(q, part, undoing);
    sum.changed += one.changed;
    sum.restored += one.restored;
    sum.deleted += one.deleted;
    leftOut.push(...one.leftOut.slice(0, mostLeftOut - leftOut.length));
  }
  return { ...sum, leftOut };
}

async function restorePart(
  q: Query,
  part: readonly WrittenRecord[],
  { projectId, writeId, by, now, signal }: Undoing,
): Promise<UndoneTests> {
  const changedIds = part.flatMap(({ id, created }) => (created ? [] : [id]));
  const before = new Map((await testsBefore(q, writeId, changedIds)).map((one) => [one.testId, one]));
  const plans = part.map(({ id, created, deletedAt }) => ({
    id,
    ...undoingOf({
      created,
      isDeleted: deletedAt !== null,
      wasDeleted: before.get(id)?.wasDeleted ?? false,
    }),
  }));
  const restored = plans.flatMap((plan) => (plan.restore ? [plan.id] : []));
  const deleted = plans.flatMap((plan) => (plan.delete ? [plan.id] : []));
  if (restored.length > 0) await undeleteTests(q, projectId, restored, { by, now, signal });
  const different = await differentFields(q, [...before.values()]);
  const { items, leftOut } = await withoutGone(q, projectId, different);
  const changes = items
    .filter(({ fields }) => Object.keys(fields).length > 0)
    .map(({ testId, fields }) => ({ test: { id: testId, projectId }, fields }));
  if (changes.length > 0) await changeTests(q, changes, { by, now, signal });
  if (deleted.length > 0) await deleteTests(q, projectId, deleted, { by, now, signal });
  return { changed: changes.length, restored: restored.length, deleted: deleted.length, leftOut };
}

/** Of each test, the fields that it does not have now; tests without such fields are left out. */
async function differentFields(q: Query, before: readonly TestBefore[]) {
  const ids = before.map(({ testId }) => testId);
  if (ids.length === 0) return [];
  const rows = await q.select(summaryColumns).from(tests).where(inValues(tests.id, ids));
  const labels = await labelsOf(q, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return before.flatMap((one) => {
    const row = byId.get(one.testId);
    if (!row) return [];
    const labelIds = (labels.get(one.testId) ?? []).map(({ labelId }) => labelId);
    const present = valuesOfTest({ ...row, description: '', preconditions: '', steps: [] }, labelIds);
    const { testDescription, preconditions, steps, ...short } = one.fields;
    const texts = {
      ...(testDescription === undefined ? {} : { testDescription }),
      ...(preconditions === undefined ? {} : { preconditions }),
      ...(steps === undefined ? {} : { steps }),
    };
    const others = Object.entries(short).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(present[name as keyof typeof present]),
    );
    const fields: ChangedFields = { ...Object.fromEntries(others), ...texts };
    return Object.keys(fields).length === 0 ? [] : [{ ...one, fields, present: row.fields }];
  });
}
