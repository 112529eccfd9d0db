import { beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, requireBuilt, runTrivet, serveTrivet } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';

/*
 * Agents start Trivet in strangers' repositories, and data directories are copied around. Nothing in the current directory runs or
 * configures anything, on any surface; and data that others may read, replace or redirect is refused with the remedy.
 *
 * Mutation note: the cases of the data directory were written before core/db/sqlite/data-directory.ts and failed without it; the first test
 * fails when package.json builds without --no-compile-autoload-bunfig and --no-compile-autoload-dotenv.
 */
beforeAll(requireBuilt);

/** A repository with files that try to be executed. */
function hostileDirectory(): { cwd: string; mark: string } {
  const cwd = temporaryDirectory('hostile');
  const mark = join(cwd, 'RAN');
  const harm = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, 'x');`;
  const files: Readonly<Record<string, string>> = {
    'bunfig.toml': 'preload = ["./harm.js"]\n[run]\nbun = true\n[test]\npreload = ["./harm.js"]\n',
    '.bunfig.toml': 'preload = ["./harm.js"]\n',
    '.env': 'TRIVET_PORT=1\nTRIVET_UNKNOWN=1\nTRIVET_PLUGIN=./plugin.ts\nNODE_OPTIONS=--require=./harm.js\n',
    '.env.production': 'TRIVET_PLUGIN=./plugin.ts\nTRIVET_READ_ONLY=true\n',
    '.env.local': 'TRIVET_CONFIG=./trivet.toml\n',
    'trivet.toml': 'plugin = ["./plugin.ts"]\nport = 1\n',
    'trivet.config.ts': harm,
    'plugin.ts': harm,
    'trivet.ts': harm,
    'harm.js': harm,
    'tsconfig.json': '{"compilerOptions":{"paths":{"elysia":["./harm.js"],"*":["./harm.js"]}}}',
    'jsconfig.json': '{"compilerOptions":{"paths":{"*":["./harm.js"]}}}',
    'package.json':
      '{"type":"module","main":"./harm.js","imports":{"#x":"./harm.js"},"trivet":{"plugin":["./plugin.ts"]}}',
    '.npmrc': 'node-options=--require=./harm.js\n',
    'index.js': harm,
    'index.ts': harm,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  for (const name of [
    'elysia',
    'jose',
    'postgres',
    'pdfmake',
    'bun:sqlite',
    '@modelcontextprotocol/sdk',
    'drizzle-orm',
  ]) {
    mkdirSync(join(cwd, 'node_modules', name), { recursive: true });
    for (const file of ['index.js', 'package.json'])
      writeFileSync(
        join(cwd, 'node_modules', name, file),
        file === 'index.js' ? harm : '{"main":"index.js"}',
      );
  }
  for (const folder of ['plugins', 'modules', 'drizzle', 'core']) {
    mkdirSync(join(cwd, folder, 'auth'), { recursive: true });
    writeFileSync(join(cwd, folder, 'index.ts'), harm);
    writeFileSync(join(cwd, folder, 'auth', 'index.ts'), harm);
  }
  return { cwd, mark };
}

test('nothing of a hostile current directory runs or configures, on any surface', async () => {
  const { cwd, mark } = hostileDirectory();
  const data = temporaryDirectory('hostile-data');
  const run = (args: string[], stdin?: string) =>
    runTrivet(compiled, [...args, '--data', data], { cwd, ...(stdin === undefined ? {} : { stdin }) });
  expect((await run(['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=x'])).exitCode).toBe(0);
  expect((await run(['tools'])).exitCode).toBe(0);
  expect((await run(['token', 'create', '--email', 'a@b.co', '--name', 'x'])).exitCode).toBe(0);
  expect((await run(['--help'])).exitCode).toBe(0);
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  expect((await run(['--mcp'], ping)).stdout).toContain('"result":{}');
  const server = await serveTrivet(compiled, ['--data', data], { cwd });
  for (const path of ['/healthz', '/openapi.json', '/v1/auth/token/verify', '/.well-known/jwks.json'])
    expect((await fetch(`${server.origin}${path}`)).status).toBe(200);
  await server.stop();
  expect(existsSync(mark)).toBe(false);
});

describe('data that others may read, replace or redirect is refused with the remedy', () => {
  /** A data directory as Trivet creates it, with a database and a key. */
  async function made(): Promise<string> {
    const data = join(temporaryDirectory('surroundings'), 'data');
    const first = await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    expect(first.exitCode).toBe(0);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    return data;
  }
  const elsewhere = () => join(temporaryDirectory('elsewhere'), 'file');
  const moved = (path: string) => {
    const to = elsewhere();
    renameSync(path, to);
    symlinkSync(to, path);
  };
  const cases: ReadonlyArray<readonly [string, (data: string) => void, RegExp]> = [
    [
      'a directory that everybody may write',
      (data) => chmodSync(data, 0o777),
      /can be written by every user.*chmod o-w/,
    ],
    [
      'the same with the sticky bit',
      (data) => chmodSync(data, 0o1777),
      /can be written by every user.*chmod o-w/,
    ],
    ['a database that is a link', (data) => moved(join(data, 'trivet.db')), /trivet\.db is a symbolic link/],
    [
      'a database link to nowhere',
      (data) => {
        moved(join(data, 'trivet.db'));
        renameSync(join(data, 'trivet.db'), join(data, 'old'));
        symlinkSync(elsewhere(), join(data, 'trivet.db'));
      },
      /trivet\.db is a symbolic link/,
    ],
    [
      'a database that everybody may write',
      (data) => chmodSync(join(data, 'trivet.db'), 0o606),
      /trivet\.db can be .* by other users.*chmod 600/,
    ],
    [
      'a readable database in a directory that others may enter',
      (data) => {
        chmodSync(join(data, 'trivet.db'), 0o644);
        chmodSync(data, 0o755);
      },
      /trivet\.db can be .* by other users.*chmod 600/,
    ],
    [
      'a key that everybody may read',
      (data) => chmodSync(join(data, 'master.key'), 0o644),
      /master\.key can be read by other users.*chmod 600/,
    ],
    [
      'a key that the group may read',
      (data) => chmodSync(join(data, 'master.key'), 0o640),
      /master\.key can be read by other users.*chmod 600/,
    ],
    ['a key that is a link', (data) => moved(join(data, 'master.key')), /master\.key is a symbolic link/],
    [
      'a key that is a link to nowhere',
      (data) => {
        moved(join(data, 'master.key'));
        renameSync(join(data, 'master.key'), join(data, 'old'));
        symlinkSync(elsewhere(), join(data, 'master.key'));
      },
      /master\.key is a symbolic link/,
    ],
    [
      'a key that is empty',
      (data) => writeFileSync(join(data, 'master.key'), ''),
      /must be 32 bytes in base64/,
    ],
    [
      'a key that is a directory',
      (data) => {
        renameSync(join(data, 'master.key'), join(data, 'old'));
        mkdirSync(join(data, 'master.key'), { mode: 0o700 });
      },
      /master\.key is not a file/,
    ],
  ];
  test.each(cases)('%s', async (_title, spoil, reason) => {
    const data = await made();
    spoil(data);
    const refused = await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(refused.stderr.trimEnd().split('\n').at(-1) ?? '').toMatch(reason);
    expect(refused.stderr).not.toMatch(/\n\s+at /);
  });

  const harmless: ReadonlyArray<readonly [string, (data: string) => void]> = [
    [
      'a readable database in a directory that is closed',
      (data) => chmodSync(join(data, 'trivet.db'), 0o644),
    ],
    ['a directory that others may list', (data) => chmodSync(data, 0o755)],
    ['a directory that its group may write, as volumes are mounted', (data) => chmodSync(data, 0o2770)],
    [
      'a data directory that is reached by a link',
      (data) => {
        renameSync(data, `${data}-moved`);
        symlinkSync(`${data}-moved`, data);
      },
    ],
  ];
  test.each(harmless)('%s is accepted', async (_title, change) => {
    const data = await made();
    change(data);
    const answer = await runTrivet(compiled, ['dev', 'id-token', '--email', 'a@b.co', '--data', data]);
    expect({ exitCode: answer.exitCode, stderr: answer.stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
