import { and, asc, eq, gt, gte, isNotNull } from 'drizzle-orm';
import { isoTime } from '../../../core/base/clock.ts';
import { together, type Query } from '../../../core/db/query/db.ts';
import { fail } from '../base/errors.ts';
import { testLabels, tests, type Step } from '../base/schema.ts';
import { testVersions } from '../base/version-schema.ts';
import { labelIdsOf } from './label-text.ts';

type Test = typeof tests.$inferSelect;

/** A test as it was in one of its versions. */
export interface TestThen {
  readonly test: Test;
  readonly labels: readonly number[];
}

const longTexts = ['description', 'preconditions', 'steps'] as const;

async function labelsNow(q: Query, testId: number): Promise<readonly number[]> {
  const rows = await q
    .select({ labelId: testLabels.labelId })
    .from(testLabels)
    .where(eq(testLabels.testId, testId))
    .orderBy(asc(testLabels.labelId));
  return rows.map(({ labelId }) => labelId);
}

/** The text of a version: the oldest one that is stored since, or undefined if the test still has it. */
async function textOf(
  q: Query,
  { id }: Test,
  version: number,
  name: (typeof longTexts)[number],
): Promise<string | undefined> {
  const [row] = await q
    .select({ text: testVersions[name] })
    .from(testVersions)
    .where(
      and(eq(testVersions.testId, id), gte(testVersions.version, version), isNotNull(testVersions[name])),
    )
    .orderBy(asc(testVersions.version))
    .limit(1);
  return row?.text ?? undefined;
}

/**
 * The version of a test that held at a time.
 * @param at epoch milliseconds.
 * @throws Fault VERSION_NOT_FOUND when there was no such test yet.
 */
export async function versionAsOf(q: Query, test: Test, at: number): Promise<number> {
  if (test.createdAt > at)
    throw fail.VERSION_NOT_FOUND(`There was no test ${test.id} then; it is of ${isoTime(test.createdAt)}.`, {
      cause: 'asOf',
    });
  const [row] = await q
    .select({ version: testVersions.version })
    .from(testVersions)
    .where(and(eq(testVersions.testId, test.id), gt(testVersions.untilAt, at)))
    .orderBy(asc(testVersions.version))
    .limit(1);
  return row?.version ?? test.version;
}

/**
 * A test as it was in a version.
 * @param test as it is now, deleted or not.
 * @throws Fault VERSION_NOT_FOUND.
 */
export async function testInVersion(q: Query, test: Test, version: number): Promise<TestThen> {
  if (version === test.version) return { test, labels: await labelsNow(q, test.id) };
  const [[row], description, preconditions, steps] = await together([
    q
      .select()
      .from(testVersions)
      .where(and(eq(testVersions.testId, test.id), eq(testVersions.version, version))),
    textOf(q, test, version, 'description'),
    textOf(q, test, version, 'preconditions'),
    textOf(q, test, version, 'steps'),
  ]);
  if (!row)
    throw fail.VERSION_NOT_FOUND(
      `Test ${test.id} has no version ${version}; its newest is ${test.version}.`,
      { cause: 'version' },
    );
  const { testId: _, fromAt, untilAt: _until, by, writeId: _write, labels, ...columns } = row;
  return {
    test: {
      ...test,
      ...columns,
      updatedAt: fromAt,
      updatedBy: by,
      description: description ?? test.description,
      preconditions: preconditions ?? test.preconditions,
      steps: steps === undefined ? test.steps : (JSON.parse(steps) as readonly Step[]),
    },
    labels: labelIdsOf(labels),
  };
}
