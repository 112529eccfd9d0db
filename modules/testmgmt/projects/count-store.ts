import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import { countRows, forUpdate } from '../../../core/db/query/columns.ts';
import { countOf } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { tally, testStatuses } from '../rules/test-status.ts';
import { projects, runs, runTests, tests } from '../base/schema.ts';

/** Stored counts of a record, by column name. */
type Counts = Readonly<Record<string, number>>;

/** A kind of record with stored counts: how to read the counts, count the rows, and correct the counts. */
interface Counted {
  readonly what: string;
  ids(q: Query, after: number): Promise<number[]>;
  /** Locks the record, as every change of its counts does. */
  kept(q: Query, id: number): Promise<Counts | undefined>;
  actual(q: Query, id: number): Promise<Counts>;
  write(q: Query, id: number, counts: Counts): Promise<void>;
}

const pageSize = 500;

/** Reads the next ids of a table in ascending order. */
const idsOf = (table: typeof projects | typeof runs) => async (q: Query, after: number) => {
  const rows = await q
    .select({ id: table.id })
    .from(table)
    .where(gt(table.id, after))
    .orderBy(asc(table.id))
    .limit(pageSize);
  return rows.map(({ id }) => id);
};

const ofProject: Counted = {
  what: 'project',
  ids: idsOf(projects),
  kept: async (q, id) => {
    const [row] = await forUpdate(
      q
        .select({ testsCount: projects.testsCount, runsCount: projects.runsCount })
        .from(projects)
        .where(eq(projects.id, id)),
    );
    return row;
  },
  actual: async (q, id) => {
    const testsCount = await countOf(q, tests, and(eq(tests.projectId, id), isNull(tests.deletedAt)));
    const runsCount = await countOf(q, runs, and(eq(runs.projectId, id), isNull(runs.deletedAt)));
    return { testsCount, runsCount };
  },
  write: async (q, id, counts) => void (await q.update(projects).set(counts).where(eq(projects.id, id))),
};

const ofRun: Counted = {
  what: 'run',
  ids: idsOf(runs),
  kept: async (q, id) => {
    const [row] = await forUpdate(q.select().from(runs).where(eq(runs.id, id)));
    return row && Object.fromEntries(testStatuses.map((status) => [status, row[status]]));
  },
  actual: async (q, id) =>
    tally(
      await q
        .select({ status: runTests.status, count: countRows() })
        .from(runTests)
        .where(eq(runTests.runId, id))
        .groupBy(runTests.status),
    ),
  write: async (q, id, counts) => void (await q.update(runs).set(counts).where(eq(runs.id, id))),
};

const differences = (kept: Counts, actual: Counts) =>
  Object.entries(actual).filter(([name, count]) => kept[name] !== count);

/** Compares every stored count with its rows. A difference is checked again in a transaction: a server may be writing. */
async function examine(host: Host, counted: Counted, repair: boolean): Promise<Finding[]> {
  const { q } = host.db;
  const found: Finding[] = [];
  let last = 0;
  for (;;) {
    const ids = await counted.ids(q, last);
    for (const id of ids) {
      if (turnIsOver()) await nextTurn();
      const kept = await counted.kept(q, id);
      if (kept && differences(kept, await counted.actual(q, id)).length > 0)
        found.push(...(await confirm(host, counted, id, repair)));
    }
    last = ids.at(-1) ?? 0;
    if (ids.length < pageSize) return found;
  }
}

async function confirm(host: Host, counted: Counted, id: number, repair: boolean): Promise<Finding[]> {
  return host.db.tx(async (q) => {
    const kept = await counted.kept(q, id);
    const actual = await counted.actual(q, id);
    const wrong = kept ? differences(kept, actual) : [];
    if (!kept || wrong.length === 0) return [];
    if (repair) await counted.write(q, id, actual);
    const counts = wrong.map(([name, count]) => `${name} says ${kept[name]} instead of ${count}`).join(', ');
    return [
      {
        finding: 'wrong_count',
        message: `${counted.what} ${id}: ${counts}.`,
        remedy: 'Run trivet doctor --repair.',
        ...(repair ? { repaired: true as const } : {}),
      },
    ];
  });
}

/** Checks the stored counts of projects and runs: a server of another version may have failed to update them. */
export const countCheck: Check = {
  name: 'counts',
  run: async (host, { repair }) => [
    ...(await examine(host, ofProject, repair)),
    ...(await examine(host, ofRun, repair)),
  ],
};
