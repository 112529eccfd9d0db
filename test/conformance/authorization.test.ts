import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { consentAs, openBrowser } from '../../modules/auth/testing/browser.ts';
import { cleanEnvironment, compiled, serveTrivet } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';

/* The protocol's own conformance suite for authorization servers, against the executable; a browser with cookies acts as the person. */
const suite = join(import.meta.dir, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

test('the metadata and the authorization code', async () => {
  const server = await serveTrivet(compiled, ['--dev', '--data', temporaryDirectory('authorization')]);
  // trivet-cli may return to any port of 127.0.0.1.
  const port = await unusedPort();
  const args = ['--url', server.origin, '--client-id', 'trivet-cli', '--resource', `${server.origin}/mcp`];
  const child = Bun.spawn([process.execPath, suite, 'authorization', ...args, '-p', String(port)], {
    cwd: temporaryDirectory('suite'),
    env: cleanEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const browser = openBrowser();
  let asked: Promise<unknown> | undefined;
  let report = '';
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      report += decoder.decode(chunk, { stream: true });
      const url = /^(http:\S+\/oauth\/authorize\S+)$/m.exec(report)?.[1];
      const listens = report.includes('Callback server started');
      if (url !== undefined && listens)
        asked ??= browser.go(url).then((page) => consentAs(browser, page, 'ann@example.org'));
    }
  };
  await Promise.all([read(child.stdout), read(child.stderr)]);
  await asked;
  await server.stop();
  const passed = [...report.matchAll(/^✓ (\S+): [1-9]\d* passed, 0 failed/gm)].map(
    ([, scenario]) => scenario,
  );
  expect([await child.exited, passed], report).toEqual([
    0,
    ['authorization-server-metadata-endpoint', 'authorization-code-grant'],
  ]);
}, 60_000);

async function unusedPort(): Promise<number> {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port = 0 } = probe;
  await probe.stop(true);
  return port;
}
