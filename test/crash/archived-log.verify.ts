import { afterAll, expect, test } from 'bun:test';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet, type Running } from '../executable.ts';
import { giveAway } from '../postgres-program.ts';
import { settled } from '../rejection.ts';
import { unlimited } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ran } from '../verify/scale.ts';
import { installedPostgres, postgresPlace } from './archiving-postgres.ts';

/*
 * docs/production.md, "Replication on PostgreSQL": its blocks are run as they are written there, with another place than /mnt/nas and other
 * moments. A server writes all the time; its PostgreSQL is lost with its disk, and restored: to a moment, to the end, and after a restore
 * that went too far back. It needs a PostgreSQL with pg_basebackup, which no npm package has, so it runs at night, and says if there is none.
 */
requireBuilt();

const page = readFileSync(join(import.meta.dir, '..', '..', 'docs', 'production.md'), 'utf8');
const section = /^### Replication on PostgreSQL$([^]*?)^## /m.exec(page)?.[1] ?? '';
const [settings = '', backUp = '', cleanUp = '', restore = '', afterwards = ''] = [
  ...section.matchAll(/^```(?:sh)?\n([^]*?)^```$/gm),
].map(([, block = '']) => block);

const home = temporaryDirectory('archived');
const nas = join(home, 'nas');
const archive = join(nas, 'wal');
const trivetData = join(home, 'trivet');
mkdirSync(archive, { recursive: true });
mkdirSync(trivetData, { mode: 0o700 });
giveAway(home, nas, archive);
const here = (block: string, base = '') =>
  block.replaceAll('/mnt/nas', nas).replaceAll('base-2026-11-23', base);

const native = installedPostgres();
const place = native === undefined ? undefined : await postgresPlace(native);
afterAll(() => place?.stop('SIGQUIT'));

interface Write {
  readonly name: string;
  /** Before it was sent, and after its acknowledgement, by the clock that PostgreSQL uses, too. */
  readonly from: number;
  readonly to: number;
}

const post = async (server: Running, token: string, tool: string, input: object) => {
  const answer = await fetch(`${server.origin}/api/tools/${tool}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** Writes until it is told to end. */
function writer(server: Running, token: string, label: string) {
  const acknowledged: Write[] = [];
  const over = new AbortController();
  const work = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const from = Date.now();
      const name = `${label} ${n}`;
      const { status } = await post(server, token, 'create-project', { orgId: 1, projectName: name }).catch(
        () => ({ status: 0 }),
      );
      if (status === 200) acknowledged.push({ name, from, to: Date.now() });
      await Bun.sleep(40);
    }
  })();
  return {
    acknowledged,
    end: async () => {
      over.abort();
      await work;
    },
  };
}

async function names(server: Running, token: string): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  for (let offset = 0; ; offset += 250) {
    const { body } = await post(server, token, 'get-projects', { orgId: 1, limit: 250, offset });
    const projects = body['projects'] as ReadonlyArray<{ readonly projectName: string }>;
    for (const { projectName } of projects) all.add(projectName);
    if (projects.length < 250) return all;
  }
}

/** Gives the base backup of today another name, so that there can be a second one. */
const keepBase = (name: string) =>
  renameSync(join(nas, readdirSync(nas).find((one) => /^base-\d/.test(one)) ?? ''), join(nas, name));

const archived = () => readdirSync(archive).toSorted();
const after = (time: number) => (write: Write) => write.from > time;
const before = (time: number) => (write: Write) => write.to < time;

test.skipIf(native === undefined)(
  'what the page says restores any moment',
  async () => {
    if (!place) return;
    expect(section.match(/^```/gm)).toHaveLength(10);
    const url = place.url('trivet');
    const where = ['--data', trivetData, '--database', url];
    const serve = () => serveTrivet(compiled, [...where, ...unlimited]);
    let data = join(home, 'first');
    await place.create(data);
    appendFileSync(join(data, 'postgresql.conf'), here(settings));
    await place.start(data);
    await place.recovered();
    await place.query('CREATE DATABASE trivet');
    let server = await serve();
    const token = await createToken(compiled, where);

    // Writes before, during and after the base backup; then a minute, after which the log is archived though its file is not full.
    const writes = writer(server, token, 'first');
    await Bun.sleep(500);
    await place.shell(here(backUp));
    keepBase('base-one');
    await Bun.sleep(2_000);
    const moment = Date.now();
    await Bun.sleep(2_000);
    const lossless = Date.now();
    const count = archived().length;
    for (let tries = 0; tries < 150 && archived().length <= count; tries++) await Bun.sleep(500);
    const archivedIn = Date.now() - lossless;
    await writes.end();
    // The server and its disk are lost.
    await place.stop('SIGQUIT');
    await server.stop();
    renameSync(data, join(home, 'lost'));
    const { acknowledged } = writes;
    expect(acknowledged.filter(before(moment)).length).toBeGreaterThan(20);
    expect(acknowledged.filter(after(moment)).length).toBeGreaterThan(20);

    /** A new data directory as the page has it. @param change what else it says of these lines. */
    const restored = async (name: string, base: string, change: (block: string) => string) => {
      data = join(home, name);
      await place.shell(change(here(restore, base)), data);
    };
    const timed = (time: number) => (block: string) =>
      block.replace('2026-11-23 14:31:00+00', `${new Date(time).toISOString().slice(0, -1)}+00`);
    const untilEnd = (block: string) => block.replace(/^recovery_target_time = .*\n/m, '');
    const more = (line: string, change: (block: string) => string) => (block: string) =>
      change(block).replace(/^END$/m, `${line}\nEND`);

    // A trial, to the end of the archive, which it leaves as it is.
    const kept = archived();
    await restored('trial', 'base-one', more('archive_mode = off', untilEnd));
    await place.start(data);
    await place.recovered();
    server = await serve();
    let found = await names(server, token);
    expect(acknowledged.filter(before(lossless)).filter(({ name }) => !found.has(name))).toEqual([]);
    await post(server, token, 'create-project', { orgId: 1, projectName: 'of the trial' });
    await place.query('SELECT pg_switch_wal()');
    await Bun.sleep(1_000);
    await server.stop();
    await place.stop('SIGINT');
    expect(archived()).toEqual(kept);

    // A moment that is not in the archive.
    await restored('late', 'base-one', timed(Date.now()));
    expect(
      await settled(
        (async () => {
          await place.start(data);
          await place.recovered();
        })(),
      ),
    ).toThrow(/postgres ended with 1: [^]*recovery ended before configured recovery target was reached/);
    await place.stop('SIGQUIT');

    // The moment, and all that the page says to do then.
    await restored('moment', 'base-one', timed(moment));
    await place.start(data);
    await place.recovered();
    const [reset = '', note = '', doctor = ''] = afterwards.trimEnd().split('\n');
    await place.shell(reset, data);
    for (const line of [note, doctor]) {
      const words = line.replace('URL', url).split(' ').slice(1);
      const { exitCode, stdout, stderr } = await runTrivet(compiled, [...words, '--data', trivetData]);
      expect([line, exitCode, stdout + stderr]).toEqual([line, 0, expect.any(String) as string]);
    }
    server = await serve();
    found = await names(server, token);
    expect(acknowledged.filter(before(moment)).filter(({ name }) => !found.has(name))).toEqual([]);
    expect(acknowledged.filter(after(moment)).filter(({ name }) => found.has(name))).toEqual([]);

    // It goes on: writes, archives, and has its own base backup; what an older one needed is deleted.
    const second = writer(server, token, 'second');
    await Bun.sleep(1_000);
    await place.shell(here(backUp));
    keepBase('base-two');
    await Bun.sleep(500);
    await second.end();
    await place.query('SELECT pg_switch_wal()');
    await Bun.sleep(2_000);
    await server.stop();
    await place.stop('SIGINT');

    // The moment was too early: again, to the end of the first history.
    await restored(
      'again',
      'base-one',
      more("archive_mode = off\nrecovery_target_timeline = 'current'", untilEnd),
    );
    await place.start(data);
    await place.recovered();
    server = await serve();
    found = await names(server, token);
    expect(acknowledged.filter(before(lossless)).filter(({ name }) => !found.has(name))).toEqual([]);
    expect(second.acknowledged.filter(({ name }) => found.has(name))).toEqual([]);
    await server.stop();
    await place.stop('SIGINT');

    // The second base backup alone, after the log before it was deleted.
    const all = archived().length;
    await place.shell(here(cleanUp, 'base-two'));
    expect(archived().length).toBeLessThan(all);
    await restored('second', 'base-two', untilEnd);
    await place.start(data);
    await place.recovered();
    server = await serve();
    found = await names(server, token);
    const expected = [...acknowledged.filter(before(moment)), ...second.acknowledged];
    expect(expected.filter(({ name }) => !found.has(name))).toEqual([]);
    await server.stop();
    await place.stop('SIGINT');

    process.stdout.write(
      `figure: the log of a server that writes was archived after ${Math.round(archivedIn / 1000)} s\n`,
    );
    ran(
      5,
      `restores of an archived log, ${acknowledged.length + second.acknowledged.length} acknowledged writes`,
    );
  },
  600_000,
);

test.skipIf(native === undefined)(
  'the command that archives replaces nothing and leaves no half file',
  async () => {
    if (!place) return;
    const command = /^archive_command = '(.*)'$/m.exec(here(settings))?.[1] ?? '';
    const log = join(home, 'log-file');
    writeFileSync(log, 'what was logged');
    giveAway(log);
    const run = (name: string) => place.shell(command.replaceAll('%p', log).replaceAll('%f', name));
    const stored = (name: string) => readFileSync(join(archive, name), 'utf8');
    const store = (name: string, text: string) => {
      writeFileSync(join(archive, name), text);
      giveAway(join(archive, name));
    };
    await run('new');
    expect(stored('new')).toBe('what was logged');
    // The archive has it, and PostgreSQL did not learn of it.
    await run('new');
    // The power was lost in the middle.
    store('torn.part', 'what was');
    await run('torn');
    expect(stored('torn')).toBe('what was logged');
    expect(existsSync(join(archive, 'torn.part'))).toBe(false);
    // Another server archives to the same place.
    store('foreign', 'something else');
    expect(await settled(run('foreign'))).toThrow();
    expect(stored('foreign')).toBe('something else');
  },
);

if (native === undefined) {
  process.stdout.write('skipped: no PostgreSQL with pg_basebackup is installed (Debian: postgresql)\n');
  ran(0, 'restores of an archived log');
}
