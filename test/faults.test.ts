import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createToken, compiled, runTrivet, serveTrivet } from './executable.ts';
import { anotherFingerprint, damage, smallDisk } from './monitoring/broken-data.ts';
import { samplesIn } from './monitoring/samples.ts';
import { makeServer } from './postgres-server.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Faults of the data's location are visible everywhere an operator looks: /readyz, one line of the log however many requests are affected,
 * a metric, and doctor. Each fault is made for real. Mutation note: seen to fail when a read of a damaged page is not noted, when a check
 * logs at each look, and when doctor only passes on the error of a database that does not open.
 */
interface Place {
  readonly args: readonly string[];
  readonly data: string;
  /** Causes the fault while a server runs. */
  break(): Promise<void> | void;
  clean?(): Promise<void> | void;
}

interface Seen {
  /** The check of /readyz that fails. */
  readonly check: string;
  /** Fails in its place when the last small writes still fitted. */
  readonly orCheck?: string;
  /** Events of the log, each expected once. */
  readonly events: readonly string[];
  /** The finding of doctor. */
  readonly finding: string;
}

const inDirectory = (breakIt: (data: string) => void): Place => {
  const data = temporaryDirectory('fault');
  return { args: ['--data', data], data, break: () => breakIt(data) };
};

function fullDisk(): Place | undefined {
  const disk = smallDisk();
  if (!disk) return undefined;
  const { data, fill, unmount } = disk;
  return { args: ['--data', data], data, break: fill, clean: unmount };
}

async function stoppedPostgres(): Promise<Place> {
  const server = await makeServer([]);
  await server.start();
  const data = temporaryDirectory('away');
  return {
    args: ['--data', data, '--database', server.url],
    data,
    break: () => server.stop(),
    clean: () => server.remove(),
  };
}

/** The server has one connection pool, whose timeouts are short here. */
const quick = ['--database-timeout', '1', '--database-pool-timeout', '1'];

const faults: ReadonlyArray<readonly [string, () => Place | undefined | Promise<Place>, Seen]> = [
  [
    'a full disk',
    fullDisk,
    { check: 'storage', orCheck: 'disk', events: ['storage_failed'], finding: 'disk_full' },
  ],
  [
    'another master key',
    () => inDirectory(anotherFingerprint),
    { check: 'auth', events: ['not_ready'], finding: 'wrong_master_key' },
  ],
  [
    'a damaged file',
    () => inDirectory(damage),
    { check: 'storage', events: ['database_damaged'], finding: 'sqlite_corrupt' },
  ],
  [
    'a deleted file',
    () => inDirectory((data) => rmSync(join(data, 'trivet.db'))),
    { check: 'storage', events: ['not_ready'], finding: '' },
  ],
  [
    'a database that is away',
    stoppedPostgres,
    { check: 'storage', events: ['storage_failed'], finding: 'econnrefused' },
  ],
];

describe('seen in /readyz, in one line, in a metric and by doctor', () => {
  test.each(faults)(
    '%s',
    async (_title, make, { check, orCheck = check, events, finding }) => {
      const place = await make();
      if (!place) return;
      const server = await serveTrivet(compiled, [...place.args, ...quick, '--metrics-listen', '0']);
      const token = await createToken(compiled, place.args);
      const scrapes = /"origin":"([^"]+)"/.exec(server.stderr())?.[1] ?? '';
      const okNow = async () => {
        const samples = samplesIn(await (await fetch(`${scrapes}/metrics`)).text());
        return [check, orCheck].every((name) => samples.get(`trivet_check_ok{check="${name}"}`) === 1);
      };
      const write = (n: number) =>
        fetch(`${server.origin}/api/tools/create-project`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ orgId: 1, projectName: `p${n}`, projectDescription: 'x'.repeat(16_000) }),
        });
      const ready = () => fetch(`${server.origin}/readyz`);
      expect([(await ready()).status, await okNow()]).toEqual([200, true]);

      await place.break();
      const statuses: number[] = [];
      for (let n = 0; n < 30; n++) statuses.push((await write(n)).status);
      // The previous result is valid for five seconds, unless requests have failed since.
      if (statuses.at(-1) !== 503) await Bun.sleep(5_100);
      const notReady = await ready();
      expect([notReady.status, await notReady.json()]).toMatchObject([
        503,
        {
          error: {
            code: 'NOT_READY',
            cause: expect.stringMatching(new RegExp(`^(?:${check}|${orCheck})$`)) as string,
          },
        },
      ]);
      expect(await okNow()).toBe(false);
      for (let n = 0; n < 10; n++) await ready();
      const said = (event: string) => server.stderr().split(`"event":"${event}"`).length - 1;
      // One line for each of 40 requests would fill the disk. Each job may report its failure once.
      expect(server.stderr()).not.toContain('"request_failed"');
      const failures = server
        .stderr()
        .split('\n')
        .filter((line) => line.includes('"level":"error"'))
        .map((line) => JSON.parse(line) as { readonly event: string; readonly job?: string });
      const repeated = Map.groupBy(failures, (line) => `${line.event} ${line.job ?? ''}`);
      expect([...repeated].flatMap(([what, lines]) => (lines.length > 1 ? [what] : []))).toEqual([]);
      expect(events.map((event) => [event, said(event)])).toEqual(events.map((event) => [event, 1]));
      const doctor = await runTrivet(compiled, ['doctor', '--json', ...place.args]);
      if (finding === '') expect(doctor.exitCode).toBe(2);
      else {
        expect(doctor.exitCode).toBe(1);
        const found = (
          JSON.parse(doctor.stdout) as {
            checks: ReadonlyArray<{ findings: ReadonlyArray<{ finding: string; remedy: string }> }>;
          }
        ).checks.flatMap(({ findings }) => findings);
        expect(found.map((one) => one.finding)).toContain(finding);
        for (const { remedy } of found) expect(remedy).not.toBe('');
      }
      await server.stop('SIGKILL');
      await place.clean?.();
    },
    60_000,
  );
});
