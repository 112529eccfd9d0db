import { and, asc, eq, lte, or, sql, type SQL } from 'drizzle-orm';
import {
  forUpdate,
  inList,
  inValues,
  listedInt,
  listedRows,
  listValue,
  rowsValue,
} from '../../../core/db/query/columns.ts';
import { prepared, type Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { tests } from '../base/schema.ts';
import { folded, foldedAscii } from '../../../core/text/letter-case.ts';
import { formerSpellings } from './query-former-spelling.ts';
import { inRange, type QueryPlace } from './query-place-store.ts';
import { textMarks } from './query-mark-schema.ts';
import { markColumns, marksOf, marksOfWord, stepKeys } from './query-marks.ts';

const columnsOfMarks = Array.from({ length: markColumns }, (_, n) => textMarks[`m${n}` as 'm0']);

/** Worded exactly as in the index. */
const isUnmarked = sql`marked_at is distinct from updated_at`;

/** The ids of the tests that may contain a word: by their marks, plus those whose marks are unknown. Undefined: any test may. */
export function testsThatMayHave(word: string, { projectId, range }: QueryPlace): SQL | undefined {
  const hasMarks = (text: string, fold: typeof folded) =>
    and(
      ...marksOfWord(text, fold).flatMap((marks, n) =>
        marks === 0 ? [] : [sql`(${columnsOfMarks[n]} & ${marks}) = ${marks}`],
      ),
    );
  const wanted = hasMarks(word, folded);
  if (wanted === undefined) return undefined;
  // Servers of an earlier version beside this one mark letters beyond ASCII by their case.
  const ofEarlier = formerSpellings(word)
    .filter((text) => text !== folded(word))
    .map((text) => hasMarks(text, foldedAscii));
  const marked = and(
    eq(textMarks.projectId, projectId),
    range && inRange(textMarks.testId, range),
    or(wanted, ...ofEarlier),
  );
  const unmarked = and(eq(tests.projectId, projectId), isUnmarked, range && inRange(tests.id, range));
  return sql`(select ${textMarks.testId} from ${textMarks} where ${marked}
    union all select ${tests.id} from ${tests} where ${unmarked})`;
}

const markNames = columnsOfMarks.map((_, n) => sql.identifier(`m${n}`));
const excludedMarks = Object.fromEntries(markNames.map((name, n) => [`m${n}`, sql`excluded.${name}`]));
const everyMark = sql.join(
  markNames.map(() => sql`-1`),
  sql`, `,
);

/**
 * Records, after texts of tests were stored, that they are new or changed: until {@link markTexts} processes them, each may contain any
 * word. A caller that writes this sets `markedAt` together with `updatedAt`.
 */
export const openMarks = prepared<{ ids: unknown }, never>(
  (q) =>
    q
      .insert(textMarks)
      .select(
        sql`select ${tests.projectId}, ${tests.id}, ${everyMark} from ${tests} where ${inList(tests.id, 'ids')}`,
      )
      .onConflictDoUpdate({ target: [textMarks.projectId, textMarks.testId], set: excludedMarks }),
  'testmgmt_open_marks',
);

/** `markedAt` for a change that affects no text: correct marks stay correct. */
export const stillMarked = (updatedAt: SQL | number): SQL =>
  sql`case when ${tests.markedAt} = ${tests.updatedAt} then ${updatedAt} else ${tests.markedAt} end`;

/** How often new and changed texts are marked. Until then, each query reads them. */
export const markEveryMs = 60_000;
/** A text may change again within the millisecond in which it was read. */
const settledMs = 10_000;
/** Tests whose texts are read at once; the texts may be long. */
const readAtOnce = 25;
const writtenAtOnce = 250;

interface Settled extends Record<string, unknown> {
  readonly settled: number;
}

const unmarkedTests = prepared<Settled, { id: number }>(
  (q) =>
    q
      .select({ id: sql<number>`${tests.id}` })
      .from(tests)
      .where(and(isUnmarked, lte(tests.updatedAt, sql.placeholder('settled'))))
      .limit(writtenAtOnce),
  'testmgmt_unmarked_tests',
);

const openTests = prepared<Settled, { id: number }>(
  (q) =>
    q
      .select({ id: tests.id })
      .from(textMarks)
      .innerJoin(tests, eq(tests.id, textMarks.testId))
      .where(and(sql`m0 = -1`, lte(tests.updatedAt, sql.placeholder('settled'))))
      .limit(writtenAtOnce),
  'testmgmt_open_tests',
);

/** Locks tests. @returns the time of each test's last change. */
async function lockTests(q: Query, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await forUpdate(
    q
      .select({ id: tests.id, updatedAt: tests.updatedAt })
      .from(tests)
      .where(inValues(tests.id, ids))
      .orderBy(asc(tests.id)),
  );
  return new Map(rows.map(({ id, updatedAt }) => [id, updatedAt]));
}

/** Takes over tests written by a server that does not know marks. */
async function adopt(q: Query, ids: readonly number[]): Promise<void> {
  await lockTests(q, ids);
  await q
    .update(tests)
    .set({ markedAt: sql`${tests.updatedAt}` })
    .where(inValues(tests.id, ids));
  await openMarks(q, { ids: listValue(ids) });
}

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
      .onConflictDoUpdate({ target: [textMarks.projectId, textMarks.testId], set: excludedMarks }),
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
    .where(inValues(tests.id, ids));
  return rows.map(({ id, projectId, updatedAt, name, description, steps }) => ({
    id,
    projectId,
    updatedAt,
    marks: marksOf([name, description, withoutKeys(steps)]),
  }));
}

/** Like `stepTexts` of query-text-store.ts. */
const withoutKeys = (steps: string): string =>
  stepKeys.reduce((text, { stored }) => text.replaceAll(stored, ''), steps);

/** Marks the new or changed texts. @returns the number of tests. */
export async function markTexts({ db, clock }: Pick<Host, 'db' | 'clock'>): Promise<number> {
  const idsOf = async (read: typeof openTests) =>
    (await read(db.q, { settled: clock.now() - settledMs })).map(({ id }) => Number(id));
  for (let ids = await idsOf(unmarkedTests); ids.length > 0; ids = await idsOf(unmarkedTests)) {
    const part = ids;
    await db.tx((q) => adopt(q, part));
    if (turnIsOver()) await nextTurn();
  }
  let marked = 0;
  for (;;) {
    const ids = await idsOf(openTests);
    if (ids.length === 0) return marked;
    const read: Marked[] = [];
    for await (const part of partsInTurns(ids, readAtOnce)) read.push(...(await marksOfTests(db.q, part)));
    marked += await db.tx(async (q) => {
      // A writer of a text locks its test before its marks.
      const changedAt = await lockTests(q, ids);
      const rows = read.filter(({ id, updatedAt }) => changedAt.get(id) === updatedAt);
      await writeMarks(q, {
        rows: rowsValue(rows.map(({ projectId, id, marks }) => [projectId, id, ...marks])),
      });
      return rows.length;
    });
  }
}
