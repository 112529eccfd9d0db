import { beforeAll, expect, test } from 'bun:test';
import { compiled, requireBuilt } from '../executable.ts';
import { startPostgres } from '../postgres.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';
import { differentTables, filledDirectory } from './filled-directory.ts';
import { transferOnce, transferWithKills } from './killed-transfer.ts';

/*
 * The states of a million users, 100,000 tests and 1,000,000 results go from SQLite to PostgreSQL and back. Each way runs once without
 * interruption, which is measured, and once with kills (SIGKILL) at random moments. At the end SQLite itself compares the first directory
 * with the last one.
 *
 * Mutation note: seen to fail when a transfer does not read the progress of an earlier one, and when the sequence of a table is not set.
 */
const filling = { users: scaled(20_000, 1_000_000), tests: scaled(2_000, 100_000), runs: 10 };
const kills = 3;
const memoryLimit = 300;
const random = randomFrom(seed);

beforeAll(requireBuilt);

test(
  `a transfer both ways that is killed ${kills} times each way (SEED=${seed})`,
  async () => {
    const postgres = await startPostgres();
    const directory = await filledDirectory(compiled, filling);
    const rows = filling.users + filling.tests * filling.runs;
    const both = [
      { way: 'SQLite to PostgreSQL', target: () => postgres.createDatabase() },
      { way: 'PostgreSQL to SQLite', target: async () => temporaryDirectory('transferred') },
    ];
    let from = directory;
    for (const { way, target } of both) {
      const whole = await transferOnce(compiled, from, await target());
      expect({ way, exitCode: whole.exitCode, stderr: whole.stderr }).toMatchObject({ way, exitCode: 0 });
      expect(whole.megabytes).toBeLessThan(memoryLimit);
      process.stdout.write(
        `figure: ${way}, more than ${rows} rows: ${(whole.ms / 1000).toFixed(1)} s, at most ${Math.round(whole.megabytes)} MB\n`,
      );
      const to = await target();
      // All killed transfers together take less time than a whole one, so that each is killed while it runs.
      const moment = () => random.below(whole.ms / (kills + 1)) + 1;
      const { last, killed } = await transferWithKills(compiled, from, to, kills, moment);
      expect({ way, killed, exitCode: last.exitCode, stderr: last.stderr }).toMatchObject({
        way,
        killed: kills,
        exitCode: 0,
      });
      expect((JSON.parse(last.stdout) as { rows: number }).rows).toBeGreaterThan(rows);
      from = to;
    }
    expect(differentTables(directory, from)).toEqual([]);
    ran(2 * kills, `kills of a transfer of more than ${rows} rows, both ways, none lost or doubled`);
    await postgres.stop();
  },
  { timeout: 3_600_000 },
);
