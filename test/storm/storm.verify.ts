import { expect, test } from 'bun:test';
import { requireBuilt } from '../executable.ts';
import { ran } from '../verify/scale.ts';
import { storm } from './storm.ts';

/*
 * Two minutes of clients of all three areas on four processes, through PgBouncer in transaction mode: one process is killed every five
 * seconds, PostgreSQL is restarted twice and fails over once to its replica. Every acknowledged write exists, nothing was done twice, no
 * client saw a 500, and the processes write again within ten seconds of the promotion. Nightly only: it unpacks PgBouncer from Debian's
 * packages, and fails with the reason if there is none.
 */
requireBuilt();

const seconds = 120;

test('two minutes of storm lose nothing that was acknowledged', async () => {
  const result = await storm({ seconds, killEverySeconds: 5, pooler: true });
  const { acknowledged, kills, restarts, backMs, problems, answers } = result;
  expect(problems).toEqual([]);
  expect(backMs).toBeLessThan(10_000);
  expect(kills).toBeGreaterThan(seconds / 5 - 2);
  const counted = Object.entries(answers.counts).map(([what, of]) => `${what} ${JSON.stringify(of)}`);
  process.stdout.write(`figure: back ${Math.round(backMs)} ms after the promotion, longest answer `);
  process.stdout.write(`${Math.round(answers.longestMs)} ms; ${counted.join(', ')}\n`);
  ran(kills + restarts + 1, `kills, restarts and failovers, ${acknowledged} acknowledged writes, none lost`);
});
