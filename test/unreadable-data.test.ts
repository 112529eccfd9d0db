import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, compiled, requireBuilt, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * A data directory of another user, such as that of the service for an operator who forgot sudo.
 *
 * Mutation note: seen to fail without refuseUnreadableData: "There is no Trivet database in …".
 */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
/** Root may read everything, so the commands run as another user. */
const asNobody = isRoot ? [Bun.which('setpriv') ?? '', `--reuid=${nobody}`, '--clear-groups'] : [];
const possible = process.platform !== 'win32' && asNobody[0] !== '';

let place: string;
let data: string;
let trivet: string;
beforeAll(async () => {
  requireBuilt();
  place = temporaryDirectory('unreadable');
  data = join(place, 'data');
  trivet = join(place, 'trivet');
  copyFileSync(String(compiled.command[0]), trivet);
  chmodSync(trivet, 0o755);
  chmodSync(place, 0o755);
  const made = await runTrivet(
    compiled,
    'token create --email a@b.co --name x'.split(' ').concat('--data', data),
  );
  expect(made.exitCode).toBe(0);
});
afterAll(() => {
  for (const path of [data, join(data, 'trivet.db')]) chmodSync(path, 0o700);
});

async function refusal(words: readonly string[], where?: string) {
  const named = where === undefined ? [] : ['--data', where];
  const child = Bun.spawn([...asNobody, trivet, ...words, ...named], {
    cwd: place,
    env: cleanEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const stderr = await new Response(child.stderr).text();
  return { exitCode: await child.exited, stderr };
}

const owner = isRoot ? 'root (0)' : `${process.env['USER']} (${process.getuid?.()})`;
const reader = isRoot ? `nobody (${nobody})` : owner;

describe.skipIf(!possible)('a command on data that its user may not read says so, and whose they are', () => {
  const commands = [
    ['serve', '--port', '0'],
    ['call', 'get-orgs-list'],
    ['doctor'],
    ['backup', '-'],
    ['token', 'list'],
    ['migrate'],
    ['compact'],
    ['promote'],
  ];

  test.each(commands)('a closed directory: %s', async (...words) => {
    chmodSync(data, isRoot ? 0o700 : 0);
    const { exitCode, stderr } = await refusal(words, data);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`cannot be read by the user ${reader}.`)]);
    expect(stderr).toContain(`${data} belongs to ${owner}, with mode ${isRoot ? '700' : '0'}.`);
    expect(stderr).toContain('sudo -u');
    expect(stderr).not.toContain('There is no Trivet database');
    chmodSync(data, 0o700);
  });

  test.each(commands)('a closed database: %s', async (...words) => {
    const path = join(data, 'trivet.db');
    chmodSync(data, 0o755);
    chmodSync(path, isRoot ? 0o600 : 0);
    const { exitCode, stderr } = await refusal(words, data);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`${path} cannot be read by the user ${reader}.`),
    ]);
    expect(stderr).toContain(`${path} belongs to ${owner}`);
    // The data is not damaged, so nobody must restore a backup for this.
    expect(stderr).not.toContain('Restore');
    chmodSync(path, 0o600);
    chmodSync(data, 0o700);
  });

  test('a closed master key: serve', async () => {
    const own = join(place, 'closed-key');
    cpSync(data, own, { recursive: true });
    const path = join(own, 'master.key');
    writeFileSync(path, `${Buffer.alloc(32, 'k').toString('base64')}\n`, { mode: 0o600 });
    if (isRoot) for (const name of ['.', 'trivet.db']) chownSync(join(own, name), nobody, nobody);
    else chmodSync(path, 0);
    const { exitCode, stderr } = await refusal(['serve', '--port', '0'], own);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`${path} cannot be read by the user ${reader}. ${path} belongs to ${owner}`),
    ]);
  });

  test('a closed directory: transfer', async () => {
    chmodSync(data, isRoot ? 0o700 : 0);
    const { exitCode, stderr } = await refusal(['transfer', '--from', data, '--to', 'copy']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`cannot be read by the user ${reader}. ${data} belongs to ${owner}`),
    ]);
    expect(stderr).not.toContain('Restore');
    chmodSync(data, 0o700);
  });

  test.each(['backup.tar.gz', 'backup'])('a closed backup: restore %s', async (name) => {
    const path = join(place, name);
    expect((await runTrivet(compiled, ['backup', path, '--data', data])).exitCode).toBe(0);
    chmodSync(path, isRoot ? 0o700 : 0);
    const { exitCode, stderr } = await refusal(['restore', path], join(place, 'restored'));
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`${path} cannot be read by the user ${reader}. ${path} belongs to ${owner}`),
    ]);
    chmodSync(path, 0o700);
  });

  test('a directory below a closed one, which may not even be seen', async () => {
    const closed = join(place, 'closed');
    mkdirSync(join(closed, 'data'), { recursive: true });
    chmodSync(closed, isRoot ? 0o700 : 0);
    const { exitCode, stderr } = await refusal(['call', 'get-orgs-list'], join(closed, 'data'));
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('A directory on the way to it is closed.'),
    ]);
    chmodSync(closed, 0o700);
  });

  test('an empty directory of one’s own has no database, as before', async () => {
    const own = join(place, 'own');
    mkdirSync(own);
    if (isRoot) chownSync(own, nobody, nobody);
    const { stderr } = await refusal(['call', 'get-orgs-list'], own);
    expect(stderr).toContain('There is no Trivet database');
    expect(readdirSync(own)).toEqual([]);
  });
});

/**
 * @see After one `trivet backup` under sudo, the server of the directory's user did not start, or made no backup any more, and said nothing
 * of it.
 */
test.skipIf(!isRoot)('what root makes in the directory of another user belongs to that user', async () => {
  const own = join(place, 'by-root');
  cpSync(data, own, { recursive: true });
  for (const name of ['.', ...readdirSync(own)]) chownSync(join(own, name), nobody, nobody);
  const made = await runTrivet(compiled, ['backup', '--data', own]);
  expect(made.exitCode).toBe(0);
  const inside = readdirSync(own, { recursive: true, encoding: 'utf8' });
  expect(inside).toEqual(expect.arrayContaining(['backups', 'last-backup.json']));
  expect(inside.filter((name) => statSync(join(own, name)).uid !== nobody)).toEqual([]);
  // One that root left there before this was so.
  chownSync(join(own, 'last-backup.json'), 0, 0);
  chownSync(join(own, 'backups'), 0, 0);
  const doctor = await refusal(['doctor'], own);
  expect(doctor.stderr).not.toContain('failed to answer');
});

/** @see On a new machine, `trivet token create` under sudo made a database of root, and the service never started. */
test
  .skipIf(!isRoot)
  .each([
    'token create --email a@example.org --name first',
    'call create-project -a orgId=1 -a projectName=x',
    'migrate',
  ])('so does a database that root begins there: trivet %s', async (line) => {
  const words = line.split(' ');
  const own = join(place, `begun-by-${words[0]}`);
  mkdirSync(own, { mode: 0o700 });
  chownSync(own, nobody, nobody);
  expect((await runTrivet(compiled, [...words, '--data', own])).exitCode).toBe(0);
  expect(readdirSync(own).filter((name) => statSync(join(own, name)).uid !== nobody)).toEqual([]);
  const { exitCode, stderr } = await refusal(['call', 'get-orgs-list'], own);
  expect([exitCode, stderr]).toEqual([0, '']);
});
