import { beforeAll, describe, expect, test } from 'bun:test';
import { cleanEnvironment, compiled, createToken, requireBuilt, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

/** @see Finding: "trivet call download-tests … | head" ended with a stack on stderr and exit code 1. */
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

  /** @see Finding: the reader closed between a write and its flush: one of four calls at once ended with a stack, in half of the rounds. */
  test('at any moment, also when the machine is busy', async () => {
    for (let round = 0; round < 10; round++)
      await Promise.all(
        Array.from({ length: 4 }, async () => {
          const child = started(['tools', '--json']);
          const reader = child.stdout.getReader();
          await reader.read();
          await reader.cancel();
          expect({
            exitCode: await child.exited,
            stderr: await new Response(child.stderr).text(),
          }).toEqual({ exitCode: 0, stderr: '' });
        }),
      );
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

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends a session whose client says nothing', async (signal) => {
    const child = started(['--mcp']);
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    await child.stdin.flush();
    await child.stdout.getReader().read();
    child.kill(signal);
    expect(await Promise.race([child.exited, Bun.sleep(5_000)])).toBe(0);
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

  /** @see It said that the tool had run and that its result can be read again, of a backup that was not made. */
  test.each([
    ['a full disk', '/dev/full', 'could not be written (ENOSPC)'],
    ['a reader that leaves', undefined, 'The reader of the backup has gone'],
  ])('a backup to %s is said not to be made', async (_title, path, message) => {
    await createToken(compiled, ['--data', data]);
    const child = Bun.spawn([...compiled.command, 'backup', '-', '--data', data], {
      env: cleanEnvironment(),
      stdout: path === undefined ? 'pipe' : Bun.file(path),
      stderr: 'pipe',
    });
    if (child.stdout instanceof ReadableStream) await child.stdout.cancel();
    const stderr = await new Response(child.stderr).text();
    expect(stderr).toContain(message);
    expect(stderr).toContain('No backup was made');
    expect(stderr).not.toContain('The tool has run');
    expect(await child.exited).toBe(1);
  });

  /** @see Finding: the first Ctrl-C had no effect while the list of tools was awaited. */
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

/** Bun's own streams, not Node's: the server's output must arrive complete and in order, and must not block it. */
describe('stderr', () => {
  const serving = () =>
    Bun.spawn(
      [
        ...compiled.command,
        'serve',
        '--port',
        '0',
        '--log-level',
        'debug',
        '--data',
        temporaryDirectory('cli'),
      ],
      {
        env: cleanEnvironment(),
        stdout: 'ignore',
        stderr: 'pipe',
      },
    );

  test('arrives whole and in order, also when it is read late', async () => {
    const child = serving();
    const reader = child.stderr.getReader();
    const decoder = new TextDecoder();
    let said = '';
    const until = async (pattern: RegExp) => {
      for (let found = pattern.exec(said); ; found = pattern.exec(said)) {
        if (found) return found[1] ?? '';
        const { value, done } = await reader.read();
        if (done) throw new Error(said);
        said += decoder.decode(value, { stream: true });
      }
    };
    const origin = await until(/listening on (http:\S+)/);
    // More than a pipe holds (64 KiB), while nothing reads it.
    for (let sent = 0; sent < 1_000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => fetch(`${origin}/healthz`)));
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    for (let part = await reader.read(); !part.done; part = await reader.read())
      said += decoder.decode(part.value, { stream: true });
    expect(await child.exited).toBe(0);
    const lines = said
      .trimEnd()
      .split('\n')
      .filter((line) => line.includes('"event":"request"'));
    const times = lines.map((line) => (JSON.parse(line) as { time: string }).time);
    expect(lines).toHaveLength(1_001);
    expect(times).toEqual(times.toSorted());
  });

  test('that nobody reads any more does not stop a server', async () => {
    const child = serving();
    const reader = child.stderr.getReader();
    let said = '';
    while (!/listening on (http:\S+)/.test(said))
      said += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    const origin = /listening on (http:\S+)/.exec(said)?.[1] ?? '';
    for (let sent = 0; sent < 20; sent++) expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
  });
});

describe('the version is said', () => {
  test.each(['--version', 'version'])('%s', async (word) => {
    expect(await runTrivet(compiled, [word])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^trivet \d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  });
  test('on a full disk: one line says why not', async () => {
    const child = Bun.spawn([...compiled.command, '--version'], {
      env: cleanEnvironment(),
      stdout: Bun.file('/dev/full'),
      stderr: 'pipe',
    });
    expect(await new Response(child.stderr).text()).toMatch(
      /^trivet: The answer could not be written \(ENOSPC\)/,
    );
    expect(await child.exited).toBe(1);
  });
});
