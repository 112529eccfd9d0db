import { afterAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Mutation note: seen to fail when any 200 counts as ready, when the port of the settings is ignored, and when a proxy of the environment
 * is asked for this machine.
 */
const data = join(temporaryDirectory('healthcheck'), 'data');
const running = await serveTrivet(compiled, ['--data', data, '--host', '0.0.0.0']);
const { port } = new URL(running.origin);
const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ status: 'ok' }) });
const closed = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
const nobody = closed.port;
await closed.stop(true);
afterAll(async () => {
  await running.stop();
  await other.stop(true);
});

const healthcheck = (args: readonly string[], env: Record<string, string> = {}) =>
  runTrivet(compiled, ['healthcheck', ...args], { env, cwd: temporaryDirectory('healthcheck') });

const rows: ReadonlyArray<readonly [string, string[], Record<string, string>, number, RegExp]> = [
  ['the port of the flags', ['--port', port], {}, 0, /^ready\n$/],
  ['the port of the environment', [], { TRIVET_PORT: port }, 0, /^ready\n$/],
  ['a server that listens everywhere', ['--host', '0.0.0.0', '--port', port], {}, 0, /^ready\n$/],
  ['a URL', ['--url', `http://localhost:${port}/`], {}, 0, /^ready\n$/],
  ['a proxy', ['--port', port], { http_proxy: `http://127.0.0.1:${nobody}` }, 0, /^ready\n$/],
  ['nobody there', ['--port', String(nobody)], {}, 1, /\/readyz: no answer/],
  ['another program', ['--port', String(other.port)], {}, 1, /answered 200, which no Trivet server does/],
];

test.each(rows)('%s', async (_name, args, env, exitCode, said) => {
  const answer = await healthcheck(args, env);
  expect([answer.exitCode, answer.stdout + answer.stderr]).toEqual([
    exitCode,
    expect.stringMatching(said) as string,
  ]);
});

test('a server whose database is gone', async () => {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(data, `trivet.db${ending}`), { force: true });
  // A result of /readyz is valid for five seconds.
  await Bun.sleep(5_500);
  const { exitCode, stdout, stderr } = await healthcheck(['--port', port]);
  expect([exitCode, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringContaining('The check "storage" fails') as string,
  ]);
});
