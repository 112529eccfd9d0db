/** A way to start an executable of a release: natively, emulated, or in another root folder. */
export interface Started {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where its data is, as it sees it. */
  readonly data: readonly string[];
  /** What `trivet version --json` must call it. */
  readonly release: string;
}

const startMs = 120_000;

/**
 * What a user does with a server: asks for the version, serves, makes a token, calls a tool over HTTP and on the data, asks whether
 * it is ready, and stops it.
 * @throws when any of it goes otherwise. @returns what was seen.
 */
export async function session({ command, env, data, release }: Started): Promise<string> {
  const port = await freePort();
  const environment = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TRIVET_PORT: port, ...env };
  const trivet = async (...words: string[]) => {
    const child = Bun.spawn([...command, ...words], {
      env: environment,
      cwd: '/',
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode: await child.exited, stdout, stderr };
  };
  const must = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await trivet(...words);
    if (exitCode !== 0)
      throw new Error(`trivet ${words.join(' ')} ended with ${exitCode}: ${stderr}${stdout}`);
    return stdout.trim();
  };

  const version = JSON.parse(await must('version', '--json')) as { release: string; version: string };
  if (version.release !== release)
    throw new Error(`it says that it is ${version.release}, and not ${release}`);
  const server = Bun.spawn([...command, 'serve', ...data], {
    env: environment,
    cwd: '/',
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  try {
    const began = performance.now();
    await listening(server.stderr);
    const startedMs = Math.round(performance.now() - began);
    await must('healthcheck');
    const token = await must('token', 'create', '--email', 'you@example.org', '--name', 'try', ...data);
    const response = await fetch(`http://127.0.0.1:${port}/api/tools/get-orgs-list`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
      proxy: false,
    });
    const heard = (await response.json()) as { total?: number };
    if (heard.total !== 1) throw new Error(`a tool over HTTP answered ${JSON.stringify(heard)}`);
    const called = JSON.parse(await must('call', 'get-orgs-list', ...data)) as { total?: number };
    if (called.total !== 1) throw new Error(`trivet call answered ${JSON.stringify(called)}`);
    server.kill('SIGTERM');
    if ((await server.exited) !== 0) throw new Error(`the server ended with ${server.exitCode}`);
    const { exitCode } = await trivet('healthcheck');
    if (exitCode !== 1) throw new Error(`healthcheck without a server ended with ${exitCode}`);
    return `version, serve (ready after ${startedMs} ms), healthcheck, token, tool over HTTP, call, stop`;
  } finally {
    server.kill('SIGKILL');
  }
}

/** @throws when the server ends, or says for long that it is not listening. */
async function listening(stderr: ReadableStream<Uint8Array>): Promise<void> {
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
}

async function freePort(): Promise<string> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return String(port);
}
