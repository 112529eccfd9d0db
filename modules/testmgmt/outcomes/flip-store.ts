import { and, asc, gt, inArray, isNotNull, or, sql } from 'drizzle-orm';
import { forUpdate, inValues } from '../../../core/db/query/columns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import { outcomes, tests } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';

/** The fields that define a test: if one of them changes, its earlier results belong to a different test. */
const contents = ['name', 'description', 'preconditions', 'steps'] as const;

type Contents = Pick<typeof tests.$inferSelect, (typeof contents)[number]>;

/** The columns of a test that will be written. */
interface Change {
  readonly testId: number;
  readonly columns: Partial<Contents>;
}

/** Selects the tests that have flips to forget, or a verdict from which the next result may differ. Locks their rows. */
async function testsWithVerdict(q: Query, testIds: readonly number[]): Promise<readonly number[]> {
  const rows = await forUpdate(
    q
      .select({ testId: outcomes.testId })
      .from(outcomes)
      .where(
        and(inValues(outcomes.testId, testIds), or(gt(outcomes.flips, 0), isNotNull(outcomes.lastVerdict))),
      )
      .orderBy(asc(outcomes.testId)),
  );
  return rows.map(({ testId }) => testId);
}

/** Like `forgetFlips` of outcome.ts. */
async function forgetFlipsOf(q: Query, testIds: readonly number[]): Promise<void> {
  await q
    .update(outcomes)
    .set({
      changedAfter: sql`${outcomes.lastResultId}`,
      recent: sql`lower(${outcomes.recent})`,
      lastVerdict: null,
      flips: 0,
    })
    .where(inValues(outcomes.testId, testIds));
}

/** Tests whose texts are compared at once; the texts may be long. */
const comparedAtOnce = 25;

/**
 * Forgets the flips of tests whose contents will change. A given text that equals the stored one is no change: a pipeline may send all
 * fields of all tests every night. Yields to other requests between its chunks.
 */
export async function forgetFlipsOfChanged(
  q: Query,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<void> {
  const given = new Map(
    changes.flatMap(({ testId, columns }) =>
      contents.some((name) => columns[name] !== undefined) ? [[testId, columns] as const] : [],
    ),
  );
  const ids = [...given.keys()].toSorted((a, b) => a - b);
  for await (const part of partsInTurns(ids, rowsPerChange, signal)) {
    const changed: number[] = [];
    const concerned = await testsWithVerdict(q, part);
    for await (const few of partsInTurns(concerned, comparedAtOnce, signal)) {
      const rows = await q
        .select({
          id: tests.id,
          name: tests.name,
          description: tests.description,
          preconditions: tests.preconditions,
          steps: tests.steps,
        })
        .from(tests)
        .where(inArray(tests.id, [...few]));
      for (const { id, ...stored } of rows) {
        const columns = given.get(id);
        const differs = (name: (typeof contents)[number]) =>
          columns?.[name] !== undefined && JSON.stringify(columns[name]) !== JSON.stringify(stored[name]);
        if (contents.some(differs)) changed.push(id);
      }
    }
    if (changed.length > 0) await forgetFlipsOf(q, changed);
  }
}
