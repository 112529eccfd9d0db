import { Database } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallDisk } from './monitoring/broken-data.ts';
import { compiled, createToken, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * `trivet backup` creates a complete copy that only its owner can read and that works as a data directory, or nothing.
 *
 * Mutation note: seen to fail when the copy is made without createForOwner (mode 0644), when a failed copy leaves its part, and when the
 * master key is not copied (the session of before is not live in the copy).
 */
beforeAll(requireBuilt);
const fresh = () => join(temporaryDirectory('backup'), 'copy');
const backup = (...words: readonly string[]) => runTrivet(compiled, ['backup', ...words]);

test('a copy of a directory that is written to works as a data directory', async () => {
  const data = temporaryDirectory('data');
  const token = await createToken(compiled, ['--data', data]);
  const issuer = ['--public-url', 'http://localhost'];
  const before = await serveTrivet(compiled, ['--port', '0', '--dev', '--data', data, ...issuer]);
  const call = (origin: string, tool: string, args: object) =>
    fetch(`${origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
  const minted = await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
  const signedIn = await fetch(`${before.origin}/v1/auth/social/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      responseType: 'token',
      grantType: 'id_token',
      identifier: minted.stdout.trim(),
      idProvider: 'dev',
      resources: [],
    }),
  });
  const { accessToken } = (await signedIn.json()) as { accessToken: string };
  let made = 0;
  const over = new AbortController();
  const writing = (async () => {
    while (!over.signal.aborted) {
      const { status } = await call(before.origin, 'create-project', { orgId: 1, projectName: `p${made}` });
      expect(status).toBe(200);
      made++;
    }
  })();
  await Bun.sleep(200);
  const copy = fresh();
  const least = made;
  const answer = await backup(copy, '--data', data, '--json');
  over.abort();
  await writing;
  await before.stop();

  expect({ exitCode: answer.exitCode, stderr: answer.stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(answer.stdout)).toMatchObject({
    directory: copy,
    files: [{ name: 'trivet.db' }, { name: 'master.key' }],
    absent: [],
  });
  expect(readdirSync(copy).sort()).toEqual(['master.key', 'trivet-backup.json', 'trivet.db']);
  expect(statSync(copy).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(copy)) expect(statSync(join(copy, name)).mode & 0o777).toBe(0o600);
  const file = new Database(join(copy, 'trivet.db'), { readonly: true });
  expect(file.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  file.close();

  const after = await serveTrivet(compiled, ['--port', '0', '--dev', '--data', copy, ...issuer]);
  const { total } = (await (await call(after.origin, 'get-projects', { orgId: 1 })).json()) as {
    total: number;
  };
  expect(total).toBeGreaterThanOrEqual(least);
  expect(total).toBeLessThanOrEqual(made);
  const verified = await fetch(`${after.origin}/v1/auth/token/verify`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(await verified.json()).toEqual({ isAuthTokenValid: true });
  await after.stop();
});

test('what cannot be copied is refused, and nothing is written', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const taken = temporaryDirectory('taken');
  writeFileSync(join(taken, 'note'), 'mine');
  const notADirectory = join(taken, 'note');
  const nothing = temporaryDirectory('nothing');
  const cases: readonly (readonly [words: readonly string[], exitCode: number, message: RegExp])[] = [
    [['-', '--verify', '--data', data], 2, /stdout cannot be read again/],
    [[join(taken, 'note.tar.gz'), '--data', nothing], 2, /has no database/],
    [[fresh(), fresh(), '--data', data], 64, /Name one file or directory/],
    [[taken, '--data', data], 2, /is not empty/],
    [[data, '--data', data], 2, /is not empty/],
    [[notADirectory, '--data', data], 2, /cannot hold a backup/],
    [[fresh(), '--data', nothing], 2, /has no database/],
    [[fresh(), '--database', 'postgres://localhost/x'], 2, /pg_dump/],
  ];
  for (const [words, exitCode, message] of cases) {
    const refused = await backup(...words);
    expect({ words, exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({
      words,
      exitCode,
      stdout: '',
    });
    expect(refused.stderr).toMatch(message);
  }
  expect(readdirSync(taken)).toEqual(['note']);
  expect(readdirSync(nothing)).toEqual([]);
});

test('a copy for which there is no room leaves nothing behind', async () => {
  const data = temporaryDirectory('data');
  await createToken(compiled, ['--data', data]);
  const copy = fresh();
  const limited = {
    name: 'limited',
    command: ['bash', '-c', `trap '' XFSZ; ulimit -f 60; exec "$@"`, 'bash', ...compiled.command],
  };
  const refused = await runTrivet(limited, ['backup', copy, '--data', data]);
  expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(refused.stderr).toMatch(/The storage failed/);
  expect(readdirSync(copy)).toEqual([]);
});

/**
 * @see Finding: each attempt left a directory ".trivet-backup-new-…" or a file "….part-…" among the data, and a copy on another disk, which was
 * whole, ended with "nothing was written".
 */
test('on a full disk: an archive leaves nothing among the data, and a copy elsewhere is said to be whole', async () => {
  const disk = smallDisk();
  if (!disk) return;
  const server = await serveTrivet(compiled, ['--data', disk.data]);
  disk.fill();
  // The log may have been emptied meanwhile.
  Bun.spawnSync(['dd', 'if=/dev/zero', `of=${join(disk.data, 'filler-2')}`, 'bs=4096']);
  const archive = await backup(join(fresh(), 'archive.tar.gz'), '--data', disk.data);
  const copy = fresh();
  const copied = await backup(copy, '--data', disk.data);
  const left = readdirSync(disk.data).filter((name) => /^\.trivet-|\.part-/.test(name));
  await server.stop('SIGKILL');
  disk.unmount();
  expect([archive.exitCode, copied.exitCode, left]).toEqual([4, 4, []]);
  expect(copied.stderr).toContain(`${copy} is whole. But ${disk.data} takes no note of it (ENOSPC)`);
  const checked = await runTrivet(compiled, ['restore', copy, '--check', '--data', fresh()]);
  expect(checked.stdout).toContain('is whole');
});

test('a database of an earlier version is copied as it is; a master key kept elsewhere is named', async () => {
  const data = temporaryDirectory('data');
  const stored = join(import.meta.dir, 'upgrade', 'stored', '0005.sqlite.sql');
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'trivet.db'), '', { mode: 0o600 });
  const old = new Database(join(data, 'trivet.db'));
  old.run('PRAGMA foreign_keys = OFF');
  old.exec(readFileSync(stored, 'utf8'));
  old.close();
  const copy = fresh();
  const { stdout } = await backup(copy, '--data', data);
  expect(stdout).toMatch(/trivet\.db \(\d+ bytes\)\. It works as it is: --data .*\nmaster\.key is not in/);
  const tagsOf = (directory: string) => {
    const file = new Database(join(directory, 'trivet.db'), { readonly: true });
    const tags = file.query('SELECT tag FROM trivet_migrations ORDER BY tag').all();
    file.close();
    return tags;
  };
  expect(tagsOf(copy)).toEqual(tagsOf(data));
  expect(tagsOf(copy)).toHaveLength(6);
});
