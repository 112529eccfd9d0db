import type { Host } from '../../../core/host/host.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { rowsPerRead } from '../base/statement-sizes.ts';
import { catchUp, compareOutcomes, testsBehind, testsWithResults } from './outcome-history-store.ts';

/** How often to look for results written by a server of an earlier version: an index scan of the tests, 500 at a time. */
export const catchUpEveryMs = 60_000;

/**
 * Counts all results that have not been counted yet: during a rolling upgrade, servers of an earlier version write results but do not know
 * the table. Each test has its own transaction, so other writes run in between.
 * @returns how many tests were behind.
 */
export async function catchUpAll({ db }: Pick<Host, 'db'>): Promise<number> {
  let behind = 0;
  for (let after = 0; ;) {
    const { last, testIds } = await testsBehind(db.q, after);
    for (const testId of testIds) {
      await db.tx((q) => catchUp(q, [testId]));
      behind++;
      if (turnIsOver()) await nextTurn();
    }
    if (last === undefined) return behind;
    after = last;
    if (turnIsOver()) await nextTurn();
  }
}

/** Compares the counts of each test with its history. A difference is checked again in a transaction. */
export const outcomeCheck: Check = {
  name: 'outcomes',
  run: async (host, { repair }) => {
    const found: Finding[] = [];
    for (let after = 0; ;) {
      const testIds = await testsWithResults(host.db.q, after);
      for (const testId of testIds) {
        if (turnIsOver()) await nextTurn();
        if ((await compareOutcomes(host.db.q, testId, false)).length === 0) continue;
        const wrong = await host.db.tx((q) => compareOutcomes(q, testId, true, repair));
        if (wrong.length === 0) continue;
        found.push({
          finding: 'wrong_outcome',
          message: `test ${testId}: ${wrong.join(', ')}.`,
          remedy: 'Run trivet doctor --repair.',
          ...(repair ? { repaired: true as const } : {}),
        });
      }
      const last = testIds.at(-1);
      if (last === undefined || testIds.length < rowsPerRead) return found;
      after = last;
    }
  },
};
