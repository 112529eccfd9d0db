import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, createToken, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/* docs/production.md, "Send the audit log on": a server that is killed, and its files verified on another machine. */

test('what a server exported, also one that was killed, is verified elsewhere with its keys alone', async () => {
  const data = temporaryDirectory('audit-server');
  const file = join(temporaryDirectory('audit-file'), 'audit.jsonl');
  const where = ['--data', data, '--audit-export', `file:${file}`];
  const run = (...words: string[]) => runTrivet(compiled, words);
  const waiting = async () => {
    const { stdout } = await run('audit', 'status', '--json', ...where);
    return (JSON.parse(stdout) as { waiting: number }).waiting;
  };
  const token = await createToken(compiled, ['--data', data]);
  for (const end of ['SIGTERM', 'SIGKILL'] as const) {
    const server = await serveTrivet(compiled, where);
    for (let n = 0; n < 5; n++)
      await fetch(`${server.origin}/api/tools/create-project`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ orgId: 1, projectName: `${end} ${n}` }),
      });
    // Not the file: it has a batch shortly before the database says so, and a server killed in between sends it again.
    for (let tries = 0; tries < 50 && (await waiting()) > 0; tries++) await Bun.sleep(100);
    await server.stop(end);
  }
  const status = await run('audit', 'status', '--json', ...where);
  expect(JSON.parse(status.stdout)).toMatchObject({ kind: 'file', waiting: 0, failure: null });
  const keys = join(temporaryDirectory('audit-keys'), 'keys.json');
  writeFileSync(keys, status.stdout);
  const verify = (path: string) => run('audit', 'verify', path, '--keys-file', keys, '--json');
  const whole = await verify(file);
  expect({ ...whole, stdout: JSON.parse(whole.stdout) as object }).toMatchObject({
    exitCode: 0,
    stdout: { lastId: (JSON.parse(status.stdout) as { lastId: number }).lastId, problems: [] },
  });

  const changed = join(temporaryDirectory('audit-changed'), 'audit.jsonl');
  writeFileSync(changed, readFileSync(file, 'utf8').replace('create-project', 'delete-project'));
  const found = await verify(changed);
  expect([found.exitCode, JSON.parse(found.stdout)]).toMatchObject([
    1,
    { problems: [{ problem: 'entries_changed' }] },
  ]);
  const cut = join(temporaryDirectory('audit-cut'), 'audit.jsonl');
  writeFileSync(cut, readFileSync(file, 'utf8').slice(0, -10));
  expect((await run('audit', 'verify', cut, '--keys-file', keys)).stderr).toContain(
    'The last line is a part',
  );

  // So is a beginning that is not there: its first line damaged, or deleted.
  const text = readFileSync(file, 'utf8');
  for (const without of [`x${text}`, text.slice(text.indexOf('\n') + 1)]) {
    writeFileSync(cut, without);
    const { exitCode, stderr } = await run('audit', 'verify', cut, '--keys-file', keys);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('before batch 2') as string]);
  }
  expect((await run('audit', 'verify', file, '--keys-file', keys)).stderr).not.toContain('before batch');

  // A file that has no batch is not called whole.
  const empty = join(temporaryDirectory('audit-empty'), 'audit.jsonl');
  writeFileSync(empty, '');
  const nothing = await run('audit', 'verify', empty, '--keys-file', keys);
  expect([
    nothing.exitCode,
    nothing.stdout.includes('No batch was found'),
    nothing.stdout.includes('Whole'),
  ]).toEqual([1, true, false]);
  for (const [words, message] of [
    [['verify', file], '--keys-file is required'],
    [['verify', '--keys-file', keys], 'Name the exported files'],
    [['verify', `${file}x`, '--keys-file', keys], 'cannot be read'],
    [['verify', file, '--keys-file', file], 'contains no Ed25519 keys'],
    [['status', '--data', data], 'Nothing is exported'],
  ] as const) {
    const refused = await run('audit', ...words);
    expect([refused.exitCode === 0, refused.stderr]).toEqual([
      false,
      expect.stringContaining(message) as string,
    ]);
  }
  expect((await run('serve', '--data', data, '--audit-export', 'udp://x')).stderr).toContain(
    '--audit-export',
  );
}, 60_000);

test('after a restore of an older backup a file that went on says how to go on, and one that was moved away is whole', async () => {
  const data = temporaryDirectory('audit-restored');
  const place = temporaryDirectory('audit-files');
  const run = (...words: string[]) => runTrivet(compiled, words);
  const token = await createToken(compiled, ['--data', data]);
  const exported = async (file: string, name: string, of: string) => {
    const where = ['--data', of, '--audit-export', `file:${file}`];
    const server = await serveTrivet(compiled, where);
    await fetch(`${server.origin}/api/tools/create-project`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ orgId: 1, projectName: name }),
    });
    let status = '';
    for (let tries = 0; tries < 50; tries++) {
      status = (await run('audit', 'status', '--json', ...where)).stdout;
      if ((JSON.parse(status) as { waiting: number }).waiting === 0) break;
      await Bun.sleep(100);
    }
    await server.stop();
    writeFileSync(join(place, 'keys.json'), status);
  };
  const verify = (path: string) => run('audit', 'verify', path, '--keys-file', join(place, 'keys.json'));
  const file = join(place, 'audit.jsonl');
  await exported(file, 'before', data);
  const archive = join(place, 'trivet.tar.gz');
  await run('backup', archive, '--data', data);
  await exported(file, 'lost', data);
  const old = readFileSync(file, 'utf8');
  await run('restore', archive, '--data', data, '--force');
  await exported(file, 'after', data);
  const forked = await verify(file);
  expect([forked.exitCode, forked.stdout]).toEqual([1, expect.stringContaining('forked') as string]);
  expect(forked.stdout).toContain('A restore of an older backup does that, too');
  // As the page says: each by itself.
  const [first, second] = [join(place, 'old.jsonl'), join(place, 'new.jsonl')];
  writeFileSync(first, old);
  writeFileSync(second, readFileSync(file, 'utf8').slice(old.length));
  for (const path of [first, second]) expect(await verify(path)).toMatchObject({ exitCode: 0 });
}, 60_000);
