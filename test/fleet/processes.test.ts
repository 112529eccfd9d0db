import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { compiled, executables, requireBuilt, runTrivet, serveTrivet, type Running } from '../executable.ts';
import { startPostgres } from '../postgres.ts';
import { temporaryDirectory } from '../temporary.ts';

/*
 * `serve --processes`: one port, several processes, one process to stop. Mutation note: seen to fail when a worker does not watch the
 * channel to its supervisor, when the supervisor does not start a worker again, and without reusePort.
 */
requireBuilt();
setDefaultTimeout(120_000);

const env = { TRIVET_MASTER_KEY: Buffer.alloc(32, 'p').toString('base64') };
const started: Running[] = [];
afterAll(() => {
  for (const { pid } of started.flatMap((server) => [server, ...workersOf(server).map((pid) => ({ pid }))]))
    if (lives(pid)) process.kill(pid, 'SIGKILL');
});

async function place(): Promise<readonly string[]> {
  const url = await (await startPostgres()).createDatabase();
  return ['--database', url, '--data', temporaryDirectory('processes')];
}

const lines = (server: Running) =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{"time"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const workersOf = (server: Running): readonly number[] => {
  const ready = lines(server).find(({ event }) => event === 'workers_ready');
  return String(ready?.['workers'] ?? '')
    .split(', ')
    .filter((pid) => pid !== '')
    .map(Number);
};

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`not within 20 s: ${what}`);
    await Bun.sleep(20);
  }
}

/** Sends a request over its own connection, which the kernel gives to some worker. Null when the connection broke. */
async function ask({ origin }: Running): Promise<number | null> {
  try {
    const response = await fetch(`${origin}/.well-known/jwks.json`, {
      headers: { connection: 'close' },
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

describe.each(executables.map((executable) => [executable.name, executable] as const))(
  '%s',
  (_name, executable) => {
    test('several processes serve one port, one that dies comes back, and all stop together', async () => {
      const server = await serveTrivet(
        executable,
        ['--processes', '2', '--log-level', 'debug', ...(await place())],
        { env },
      );
      started.push(server);
      const workers = workersOf(server);
      expect(workers).toHaveLength(2);
      expect(server.stderr().match(/^trivet listening on /gm)).toHaveLength(1);
      expect(server.stderr().match(/First start:/g)).toHaveLength(1);
      expect(lines(server).filter(({ event }) => event === 'migrated')).toHaveLength(1);

      const serving = () =>
        new Set(
          lines(server)
            .filter(({ event }) => event === 'request')
            .map(({ worker }) => worker),
        );
      for (let round = 0; round < 200 && serving().size < 2; round++)
        expect(await ask(server)).not.toBeNull();
      await until(() => serving().size === 2, 'both workers answer');
      expect([...serving()].toSorted()).toEqual([...workers].toSorted());

      const [victim = 0, other = 0] = workers;
      process.kill(victim, 'SIGKILL');
      const answers: Array<number | null> = [];
      const restarted = () => lines(server).find(({ event }) => event === 'worker_ready')?.['worker'];
      while (restarted() === undefined && answers.length < 5_000) answers.push(await ask(server));
      for (let more = 0; more < 50; more++) answers.push(await ask(server));
      // Connections of the dead process are broken; every other request is answered.
      expect(new Set(answers.filter((status) => status !== null)).size).toBe(1);
      expect(answers.slice(-50)).not.toContain(null);
      expect(answers.filter((status) => status === null).length).toBeLessThan(10);
      expect(lines(server).find(({ event }) => event === 'worker_ended')).toMatchObject({
        worker: victim,
        signal: 'SIGKILL',
      });

      expect(await server.stop()).toBe(0);
      expect([other, Number(restarted())].filter(lives)).toEqual([]);
      expect(await ask(server)).toBeNull();
    });

    test('workers whose supervisor was killed end', async () => {
      const server = await serveTrivet(executable, ['--processes', '2', ...(await place())], { env });
      started.push(server);
      const workers = workersOf(server);
      expect(workers.filter(lives)).toHaveLength(2);
      await server.stop('SIGKILL');
      await until(() => !workers.some(lives), 'the workers have ended');
    });
  },
);

describe('it does not start', () => {
  const refusal = async (...args: string[]) => {
    const { exitCode, stderr } = await runTrivet(
      compiled,
      ['serve', '--port', '0', '--processes', '2', ...args],
      { env },
    );
    return { exitCode, stderr };
  };

  test('on SQLite, with the reason', async () => {
    const { exitCode, stderr } = await refusal('--data', temporaryDirectory('processes'));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/--processes needs PostgreSQL.*one writer at a time.*Leave out --processes/);
  });

  test('when its workers cannot, and says why once for each', async () => {
    const where = await place();
    const first = await serveTrivet(compiled, where, { env });
    started.push(first);
    await first.stop();
    const { exitCode, stderr } = await runTrivet(
      compiled,
      ['serve', '--port', '0', '--processes', '2', ...where],
      { env: { TRIVET_MASTER_KEY: Buffer.alloc(32, 'q').toString('base64') } },
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('The master key is not the one');
    expect(stderr).not.toContain('listening on');
  });

  test('on a port that others share', async () => {
    const where = await place();
    const server = await serveTrivet(compiled, ['--processes', '2', ...where], { env });
    started.push(server);
    const { exitCode, stderr } = await refusal('--port', new URL(server.origin).port, ...where);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Port \d+ on 127\.0\.0\.1 is taken/);
    expect(await server.stop()).toBe(0);
  });
});
