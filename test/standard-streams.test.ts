import { beforeAll, describe, expect, test } from 'bun:test';
import { cleanEnvironment, compiled, requireBuilt, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

/** @see "trivet call download-tests … | head" ended with a stack on stderr and exit code 1. */
describe('a reader that leaves early', () => {
  const data = temporaryDirectory('cli');
  const started = (args: readonly string[], env = {}) =>
    Bun.spawn([...compiled.command, ...args, '--data', data], {
      env: cleanEnvironment(env),
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'pipe',
    });

  test.each([
    ['the list of tools', ['tools', '--json']],
    ['a file', ['call', 'download-tests', '-a', 'projectId=1']],
    ['a result', ['call', 'get-test-details', '-a', 'projectId=1', '-a', 'testId=1']],
  ] as const)('%s: no failure, and nothing on stderr', async (_title, args) => {
    const big = Array.from({ length: 100 }, () => ({ action: 'x'.repeat(2_000) }));
    const make = (tool: string, given: object) =>
      runTrivet(compiled, ['call', tool, '--args', '-', '--data', data], { stdin: JSON.stringify(given) });
    await make('create-project', { orgId: 1, projectName: 'Shop' });
    await make('create-test', { projectId: 1, testName: 'Long', steps: big });
    const child = started(args);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    expect({ exitCode: await child.exited, stderr: await new Response(child.stderr).text() }).toEqual({
      exitCode: 0,
      stderr: '',
    });
  });

  test('an MCP client that closes only its reading end ends the session', async () => {
    const child = started(['--mcp']);
    await child.stdout.cancel();
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await child.stdin.flush();
    expect({ exitCode: await child.exited, stderr: await new Response(child.stderr).text() }).toEqual({
      exitCode: 0,
      stderr: '',
    });
  });

  test('a disk that is full is said in one line', async () => {
    const child = Bun.spawn([...compiled.command, 'call', 'get-orgs-list', '--data', data], {
      env: cleanEnvironment(),
      stdout: Bun.file('/dev/full'),
      stderr: 'pipe',
    });
    expect(JSON.parse(await new Response(child.stderr).text())).toMatchObject({
      error: { code: 'OUTPUT_FAILED' },
    });
    expect(await child.exited).toBe(1);
  });

  /** @see the first Ctrl-C did nothing while the list of tools was awaited. */
  test('Ctrl-C ends a call that waits for a silent server', async () => {
    const silent = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Bun.sleep(60_000) as never });
    const child = started(['call', 'get-orgs-list', '--url', silent.url.origin], {
      TRIVET_TOKEN: 'trv_x',
    });
    while (silent.pendingRequests === 0) await Bun.sleep(5);
    child.kill('SIGINT');
    await child.exited;
    expect(child.signalCode).toBe('SIGINT');
    await silent.stop(true);
  });
});
