import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { engine } from '../../core/db/query/engine.ts';
import { liveCta, startServed, type Served } from '../served.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';
import { deltaWriter, sessionWriter, testWriter, type Writer } from './writers.ts';

/*
 * The executable is killed (SIGKILL) at a random moment while writers of all three areas are at work, and restarted on the same data:
 * everything acknowledged exists, nothing exists partially, and a repeated write is done once. SIGKILL does not affect the page cache:
 * `synchronous=FULL`, not this test, covers power loss.
 *
 * Mutation note: seen to fail when core/db/sqlite/sqlite.ts settles a batch before its COMMIT (and commits a turn later), when
 * core/tools/idempotency.ts does not look for a stored answer, and when recordResults writes its history in a second transaction.
 */
const kills = engine() === 'sqlite' ? scaled(20, 500) : scaled(5, 50);
const writersPerArea = 3;
/** The acknowledged writes that are wanted per planned kill. A slow machine has fewer for each: then there are more kills. */
const writesPerKill = 10;
const random = randomFrom(seed);

/** New writers on a running server. */
async function writersFor(served: Served, ctaId: string, round: number): Promise<Writer[]> {
  const numbers = Array.from({ length: writersPerArea }, (_, index) => round * writersPerArea + index + 1);
  const made = await Promise.all(
    numbers.map(async (number) => [
      await testWriter(served, random, `project-${number}`),
      deltaWriter(served, ctaId, String(number), Date.now),
      await sessionWriter(served, `session ${number}`),
    ]),
  );
  return made.flat();
}

function checkFile(served: Served): void {
  if (engine() !== 'sqlite') return;
  const file = new Database(join(served.data, 'trivet.db'), { readonly: true });
  expect(file.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(file.query('PRAGMA foreign_key_check').all()).toEqual([]);
  file.close();
}

test(
  `${kills} kills lose nothing that was acknowledged (SEED=${seed})`,
  async () => {
    const served = await startServed();
    const ctaId = await liveCta(served);
    const everybody: Writer[] = [];
    let acknowledged = 0;
    let kill = 0;
    for (; kill < kills || (acknowledged <= kills * writesPerKill && kill < kills * 4); kill++) {
      const writers = await writersFor(served, ctaId, kill);
      const writing = Promise.all(writers.map((writer) => writer.write(() => false)));
      await Bun.sleep(20 + random.below(kill % 5 === 0 ? 1000 : 250));
      await served.running.stop('SIGKILL');
      await writing;
      await served.start();
      const problems = (await Promise.all(writers.map((writer) => writer.verify()))).flat();
      expect({ kill, problems }).toEqual({ kill, problems: [] });
      for (const writer of writers) acknowledged += writer.acknowledged;
      if (kill % 10 === 9) checkFile(served);
      // Early writes are checked again at the end. Sessions continue in each check, so only the other writers are kept.
      everybody.push(...writers.filter((_, index) => index % 3 !== 2));
    }
    checkFile(served);
    for (const writer of everybody) expect(await writer.verify()).toEqual([]);
    expect(acknowledged).toBeGreaterThan(kills * writesPerKill);
    expect(await served.running.stop()).toBe(0);
    ran(kill, `kills of the executable on ${engine()}, ${acknowledged} acknowledged writes, none lost`);
  },
  { timeout: 3_600_000 },
);
