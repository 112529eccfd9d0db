import type { Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { failureGroup } from '../rules/failure-group.ts';
import { setGroup, ungroupedFailures } from './failure-store.ts';

export const groupFailuresEveryMs = 60_000;

/** Chunks per run, so that a server that stops does not wait long. */
const maxChunksOfRun = 100;

/** Groups the failures that a server of an earlier version has written. @returns how many. */
export async function groupFailures({ db }: Pick<Host, 'db'>): Promise<number> {
  let grouped = 0;
  for (let chunk = 0; chunk < maxChunksOfRun; chunk++) {
    const rows = await ungroupedFailures(db.q);
    if (rows.length === 0) break;
    await db.tx(async (q) => {
      for (const { message, ...row } of rows) {
        const text = message ?? '';
        await setGroup(q, { ...row, message: text }, failureGroup(text));
        if (turnIsOver()) await nextTurn();
      }
    });
    grouped += rows.length;
    if (turnIsOver()) await nextTurn();
  }
  return grouped;
}
