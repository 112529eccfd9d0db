import { describe, expect, test } from 'bun:test';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../core/base/version.ts';
import { compiled, runTrivet, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * The server's output for programs: the lines of its start and stop, and its address in the data directory.
 *
 * Mutation note: seen to fail when a command takes the usual port, when the address of a killed server counts, and when the warning of
 * --host is a sentence in a log.
 */
const addressFiles = (data: string) => readdirSync(data).filter((name) => name.startsWith('server-'));

async function link(data: string, ...more: readonly string[]): Promise<string> {
  const words = ['console', 'link', '--email', 'ann@example.org', '--data', data, ...more];
  const { exitCode, stdout, stderr } = await runTrivet(compiled, words);
  expect([exitCode, stderr.replace(/^Nobody had .*\n/, '')]).toEqual([0, '']);
  return new URL(stdout.trim()).origin;
}

/** @see Finding: it printed port 8787 when the server of that directory listened elsewhere. */
describe('a link that a command prints', () => {
  test('leads to the server that runs on the directory, unless another address is given', async () => {
    const data = temporaryDirectory('address');
    const running = await serveTrivet(compiled, ['--data', data, '--dev']);
    const [file = ''] = addressFiles(data);
    expect(statSync(join(data, file)).mode & 0o777).toBe(0o600);
    expect(await link(data)).toBe(running.origin);
    expect(await link(data, '--port', '4444')).toBe('http://127.0.0.1:4444');
    expect(await link(data, '--public-url', 'https://trivet.example')).toBe('https://trivet.example');
    const invited = await runTrivet(
      compiled,
      'call invite-user -a orgId=1 -a role=member --json'.split(' ').concat('--data', data),
    );
    expect((JSON.parse(invited.stdout) as { link: string }).link).toStartWith(
      `${running.origin}/oauth/link#`,
    );
    await running.stop();
    expect(addressFiles(data)).toEqual([]);
    expect(await link(data)).toBe('http://127.0.0.1:8787');
  }, 60_000);

  test('leads to the public address of that server', async () => {
    const data = temporaryDirectory('address');
    const running = await serveTrivet(compiled, ['--data', data, '--public-url', 'https://trivet.example']);
    expect(await link(data)).toBe('https://trivet.example');
    await running.stop();
  }, 60_000);

  test('leads to no server that was killed, and to the one beside it that still runs', async () => {
    const data = temporaryDirectory('address');
    const killed = await serveTrivet(compiled, ['--data', data, '--dev']);
    const beside = await serveTrivet(compiled, ['--data', data, '--dev']);
    await killed.stop('SIGKILL');
    expect(addressFiles(data)).toHaveLength(2);
    expect(await link(data)).toBe(beside.origin);
    await beside.stop('SIGKILL');
    expect(addressFiles(data)).toHaveLength(2);
    expect(await link(data)).toBe('http://127.0.0.1:8787');
  }, 60_000);
});

/** @see Finding: lines of the start were sentences between the JSON lines of the log, and nothing said when and why it stopped. */
describe('when stderr is no terminal', () => {
  const linesOf = (stderr: string) => stderr.split('\n').filter((line) => line !== '');
  const events = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line) as { event: string; [field: string]: unknown });

  test.each([
    ['SIGTERM', []],
    ['SIGINT', ['--host', '0.0.0.0']],
  ] as const)(
    'each line is one of the log, but the last one of the start (%s)',
    async (signal, more) => {
      const data = temporaryDirectory('lines');
      const doubtful = ['--audit-keep=400', '--audit-export=syslog://logs.example:514'];
      const running = await serveTrivet(compiled, ['--data', data, ...doubtful, ...more]);
      const start = linesOf(running.stderr());
      expect(start.at(-1)).toBe(`trivet listening on ${running.origin}`);
      const said = events(start.slice(0, -1));
      expect(said.at(-1)).toMatchObject({
        level: 'info',
        event: 'server_started',
        version,
        address: running.origin,
        engine: 'sqlite',
      });
      const names = said.map(({ event }) => event);
      expect(names).toContain('greeting');
      const doubts = said.filter(({ event, module }) => event === 'settings_warning' && module === 'auth');
      expect(doubts.map(({ message }) => message)).toEqual([
        '--audit-keep is 400 seconds: what is older is deleted. If you meant days, write 400d.',
        '--audit-export sends the audit log to logs.example:514 without TLS: others on the way can read it. Use syslog+tls://.',
      ]);
      expect(names.includes('listening_without_tls')).toBe(more.length > 0);
      expect(JSON.stringify(said)).toContain(join(data, 'setup-code'));
      expect(JSON.stringify(said)).not.toMatch(/#[\w-]{24}/);
      expect(await running.stop(signal)).toBe(0);
      const end = linesOf(running.stderr()).slice(start.length);
      expect(events(end).at(-1)).toMatchObject({ level: 'info', event: 'server_stopped', signal });
    },
    60_000,
  );
});
