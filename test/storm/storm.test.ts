import { expect, test } from 'bun:test';
import { requireBuilt } from '../executable.ts';
import { storm } from './storm.ts';

/* The short form of storm.verify.ts, without PgBouncer. See there for mutation notes. */
requireBuilt();

test('four processes lose nothing while they are killed and PostgreSQL is restarted and fails over', async () => {
  const { acknowledged, kills, backMs, problems } = await storm({
    seconds: 10,
    killEverySeconds: 2,
    pooler: false,
  });
  process.stdout.write(`figure: back ${Math.round(backMs)} ms after the promotion\n`);
  expect(problems).toEqual([]);
  expect(backMs).toBeLessThan(10_000);
  expect(kills).toBeGreaterThan(3);
  expect(acknowledged).toBeGreaterThan(200);
}, 120_000);
