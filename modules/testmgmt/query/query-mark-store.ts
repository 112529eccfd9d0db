import { and, eq, inArray, lte, sql, type SQL } from 'drizzle-orm';
import { byIndex, listedInt, listedRows, rowsValue } from '../../../core/db/columns.ts';
import { prepared, type Query } from '../../../core/db/db.ts';
import type { Host } from '../../../core/host.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { tests, textMarks } from '../schema.ts';
import { inRange, type QueryPlace } from './query-driver-store.ts';
import { markColumns, marksOf, marksOfWord } from './query-marks.ts';

type MarkColumn = `m${number}`;

const columnsOfMarks = Array.from({ length: markColumns }, (_, n) => textMarks[`m${n}` as 'm0']);

/** Its words are those of the index. */
const isUnmarked = sql`marked_at is distinct from updated_at`;

/**
 * The ids of the tests that may contain a word: by their marks, and those whose marks are not known. undefined: any test may.
 */
export function testsThatMayHave(word: string, { projectId, range }: QueryPlace): SQL | undefined {
  const wanted = marksOfWord(word).flatMap((marks, n) =>
    marks === 0 ? [] : [sql`(${columnsOfMarks[n]} & ${marks}) = ${marks}`],
  );
  if (wanted.length === 0) return undefined;
  const marked = and(
    eq(textMarks.projectId, projectId),
    range && inRange(textMarks.testId, range),
    ...wanted,
  );
  const unmarked = and(eq(tests.projectId, projectId), isUnmarked, range && inRange(tests.id, range));
  return sql`(select ${textMarks.testId} from ${textMarks} where ${marked}
    union all select ${tests.id} from ${byIndex(tests, 'testmgmt_tests_unmarked')} where ${unmarked})`;
}

/** How often new and changed tests are marked. Until then each of them is looked at. */
export const markEveryMs = 60_000;
/** A text may change again within the millisecond in which it was read. */
const settledMs = 10_000;
/** Tests whose texts are read at once: they may be long. */
const readAtOnce = 25;
const writtenAtOnce = 250;

const unmarkedTests = prepared<{ settled: number; limit: number }, { id: number }>(
  (q) =>
    q
      .select({ id: sql<number>`${tests.id}` })
      .from(byIndex(tests, 'testmgmt_tests_unmarked') as unknown as typeof tests)
      .where(and(isUnmarked, lte(tests.updatedAt, sql.placeholder('settled'))))
      .limit(sql.placeholder('limit')),
  'testmgmt_unmarked_tests',
);

/** A test that nobody changed since its texts were read is marked from now on. */
const keepMarks = prepared<{ rows: string }, { id: number }>(
  (q) =>
    q
      .update(tests)
      .set({ markedAt: sql`read.updated_at` })
      .from(
        sql`(select ${listedInt(0)} as id, ${listedInt(1)} as updated_at from ${listedRows('rows')}) as read` as never,
      )
      .where(and(sql`${tests.id} = read.id`, sql`${tests.updatedAt} = read.updated_at`))
      .returning({ id: tests.id }),
  'testmgmt_keep_marks',
);

const markNames = columnsOfMarks.map((_, n): MarkColumn => `m${n}`);

const writeMarks = prepared<{ rows: string }, never>(
  (q) =>
    q
      .insert(textMarks)
      .select(
        sql`select ${sql.join(
          [0, 1, ...markNames.map((_, n) => n + 2)].map((position) => listedInt(position)),
          sql`, `,
        )} from ${listedRows('rows')} where true`,
      )
      .onConflictDoUpdate({
        target: [textMarks.projectId, textMarks.testId],
        set: Object.fromEntries(markNames.map((name) => [name, sql`excluded.${sql.identifier(name)}`])),
      }),
  'testmgmt_write_marks',
);

interface Marked {
  readonly id: number;
  readonly projectId: number;
  readonly updatedAt: number;
  readonly marks: readonly number[];
}

async function marksOfTests(q: Query, ids: readonly number[]): Promise<readonly Marked[]> {
  const rows = await q
    .select({
      id: tests.id,
      projectId: tests.projectId,
      updatedAt: tests.updatedAt,
      name: tests.name,
      description: tests.description,
      steps: sql<string>`${tests.steps}`,
    })
    .from(tests)
    .where(inArray(tests.id, [...ids]));
  return rows.map(({ id, projectId, updatedAt, name, description, steps }) => ({
    id,
    projectId,
    updatedAt,
    marks: marksOf([name, description, withoutKeys(steps)]),
  }));
}

/** As `stepTexts` of query-condition-store.ts. */
const withoutKeys = (steps: string): string =>
  steps.replaceAll('"action":', '').replaceAll('"data":', '').replaceAll('"expected":', '');

/** Marks all tests that are new or changed. @returns how many. */
export async function markTexts({ db, clock }: Pick<Host, 'db' | 'clock'>): Promise<number> {
  let marked = 0;
  for (;;) {
    const settled = clock.now() - settledMs;
    const found = (await unmarkedTests(db.q, { settled, limit: writtenAtOnce })).map(({ id }) => Number(id));
    const read: Marked[] = [];
    for (let from = 0; from < found.length; from += readAtOnce) {
      read.push(...(await marksOfTests(db.q, found.slice(from, from + readAtOnce))));
      if (turnIsOver()) await nextTurn();
    }
    // In one order, as others lock them.
    const ordered = read.toSorted((a, b) => a.id - b.id);
    if (ordered.length > 0)
      await db.tx(async (q) => {
        const rows = rowsValue(ordered.map(({ id, updatedAt }) => [id, updatedAt]));
        const kept = new Set((await keepMarks(q, { rows })).map(({ id }) => Number(id)));
        const marks = ordered.filter(({ id }) => kept.has(id));
        if (marks.length > 0)
          await writeMarks(q, {
            rows: rowsValue(marks.map((test) => [test.projectId, test.id, ...test.marks])),
          });
        marked += marks.length;
      });
    if (found.length < writtenAtOnce) return marked;
  }
}
