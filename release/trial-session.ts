import { outcomeOf } from './command.ts';

/** A way to start an executable of a release: natively, emulated, or in another root folder. */
export interface Started {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The location of its data, from its own point of view. */
  readonly data: readonly string[];
  /** The expected name in `trivet version --json`. */
  readonly release: string;
}

const startMs = 120_000;

/** A server of a release, and its own commands. */
interface Running {
  readonly port: string;
  readonly startedMs: number;
  /** @throws when the command fails. @returns its stdout. */
  must(...words: readonly string[]): Promise<string>;
  exitCodeOf(...words: readonly string[]): Promise<number>;
  /** Its output on stderr so far. */
  said(): string;
  /** @throws when its exit code is not 0. */
  stop(): Promise<void>;
}

/** Starts a server, passes it to `use`, and ends it whatever happens. */
export async function serving<T>(
  { command, env, data }: Omit<Started, 'release'>,
  use: (running: Running) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const environment = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TRIVET_PORT: port, ...env };
  const trivet = (words: readonly string[]) =>
    outcomeOf([...command, ...words], { env: environment, cwd: '/' });
  const began = performance.now();
  const server = Bun.spawn([...command, 'serve', ...data], {
    env: environment,
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  try {
    const said = await listening(server.stderr);
    return await use({
      port,
      said,
      startedMs: Math.round(performance.now() - began),
      must: async (...words) => {
        const { exitCode, stdout, stderr } = await trivet(words);
        if (exitCode !== 0)
          throw new Error(`trivet ${words.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`);
        return stdout.trim();
      },
      exitCodeOf: async (...words) => (await trivet(words)).exitCode,
      stop: async () => {
        server.kill('SIGTERM');
        if ((await server.exited) !== 0) throw new Error(`the server ended with ${server.exitCode}`);
      },
    });
  } finally {
    server.kill('SIGKILL');
  }
}

/** The number of organizations that a tool returns over HTTP. @throws on any other response. */
export async function organizations(origin: string, token: string): Promise<void> {
  const response = await fetch(`${origin}/api/tools/get-orgs-list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
    proxy: false,
    // A tested proxy has a self-signed certificate.
    tls: { rejectUnauthorized: false },
  });
  const heard = (await response.json()) as { total?: number };
  if (heard.total !== 1) throw new Error(`a tool over HTTP answered ${JSON.stringify(heard)}`);
}

/** The words that create a token. */
export const tokenWords = ['token', 'create', '--email', 'you@example.org', '--name', 'try'] as const;

/**
 * The steps of a user with a server: requests the version, serves, creates a token, calls a tool over HTTP and on the data, checks
 * readiness, and stops it.
 * @throws when a step fails.
 * @returns a summary.
 */
export async function session({ release, ...started }: Started): Promise<string> {
  return serving(started, async ({ port, startedMs, must, exitCodeOf, stop }) => {
    const version = JSON.parse(await must('version', '--json')) as { release: string };
    if (version.release !== release)
      throw new Error(`it says that it is ${version.release}, and not ${release}`);
    await must('healthcheck');
    const token = await must(...tokenWords, ...started.data);
    await organizations(`http://127.0.0.1:${port}`, token);
    const called = JSON.parse(await must('call', 'get-orgs-list', ...started.data)) as { total?: number };
    if (called.total !== 1) throw new Error(`trivet call answered ${JSON.stringify(called)}`);
    await stop();
    const exitCode = await exitCodeOf('healthcheck');
    if (exitCode !== 1) throw new Error(`healthcheck without a server ended with ${exitCode}`);
    return `version, serve (ready after ${startedMs} ms), healthcheck, token, tool over HTTP, call, stop`;
  });
}

/** @returns the output of the server so far. @throws when it ends, or does not report for a long time that it is listening. */
async function listening(stderr: ReadableStream<Uint8Array>): Promise<() => string> {
  let said = '';
  const decoder = new TextDecoder();
  const ready = Promise.withResolvers<void>();
  const late = setTimeout(() => ready.reject(new Error(`not ready after ${startMs} ms: ${said}`)), startMs);
  void (async () => {
    for await (const chunk of stderr) {
      said += decoder.decode(chunk, { stream: true });
      if (/^trivet listening on /m.test(said)) ready.resolve();
    }
    ready.reject(new Error(`it ended before it listened: ${said}`));
  })();
  await ready.promise.finally(() => clearTimeout(late));
  return () => said;
}

export async function freePort(): Promise<string> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return String(port);
}
