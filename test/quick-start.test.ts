import { beforeAll, expect, test } from 'bun:test';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, compiled, executables, requireBuilt } from './executable.ts';
import { answers } from './postgres-server.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

const root = join(import.meta.dir, '..');
const page = readFileSync(join(root, 'docs', 'quick-start.md'), 'utf8');

interface Step {
  readonly commands: string;
  /** The output that the page shows below; undefined if it shows none. */
  readonly shown: string | undefined;
}

/** The blocks of the section "A first session": each `sh` block, with the `text` block that immediately follows it. */
function session(): Step[] {
  const section = /^## A first session$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm)].map(
    ([, commands = '', shown]) => ({ commands, shown }),
  );
}

/** Replaces values that differ between runs by their form: tokens, times and request ids. */
function settled(text: string): string {
  return text
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>')
    .replaceAll(/eyJ[\w-]*…/g, '<token>')
    .replaceAll(/trv_[\w-]+/g, '<token>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replaceAll(/\b1[78]\d{11}\b/g, '<milliseconds>')
    .trim();
}

test('the session leaves the usual port to the server of the README', () => {
  expect(session().filter(({ commands }) => commands.includes('8787'))).toEqual([]);
  expect(session()[0]?.commands).toContain('--port 8790');
});

test('the session has every step that was promised', () => {
  const all = session()
    .map(({ commands }) => commands)
    .join('\n');
  for (const word of [
    'trivet serve',
    'dev id-token',
    'social/authenticate',
    'token/verify',
    'token/refresh',
    'create-cta',
    'cta/active/state-machines',
    'cta/state-machines/snapshot/delta',
    '/api/tools/',
    'trivet call',
    'trivet --mcp',
  ]) {
    expect(all).toContain(word);
  }
});

test.each(executables.map((executable) => [executable.name, executable] as const))(
  'the session works line by line with %s',
  async (_name, executable) => {
    const cwd = temporaryDirectory('quick-start');
    const bin = join(cwd, 'bin');
    mkdirSync(bin);
    const trivet = join(bin, 'trivet');
    if (executable === compiled) {
      // Copied to an empty folder, away from the checkout.
      copyFileSync(String(executable.command[0]), trivet);
    } else {
      writeFileSync(trivet, `#!/bin/sh\nexec ${executable.command.join(' ')} "$@"\n`);
    }
    chmodSync(trivet, 0o755);
    const port = await unusedPort();
    using usual = usualServer();
    const steps = session();
    const mark = (i: number) => `=== step ${i} ===`;
    const script = [
      // An interactive shell continues after a failure; here the failure must be noticed.
      'set -e',
      // Otherwise a server that outlives a failed step would keep the pipes open, and the test would only hang.
      "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT",
      ...steps.map(({ commands }, i) => `echo '${mark(i)}'\n${commands.replaceAll('8790', String(port))}`),
      `echo '${mark(steps.length)}'`,
    ].join('\n');
    const child = Bun.spawn(['bash', '-c', script], {
      cwd,
      env: cleanEnvironment({ PATH: `${bin}:${process.env['PATH'] ?? ''}` }),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ exitCode: await child.exited, stderr: stderr.includes('trivet: ') ? stderr : '' }).toEqual({
      exitCode: 0,
      stderr: '',
    });
    for (const [i, { commands, shown }] of steps.entries()) {
      if (shown === undefined) continue;
      const printed = stdout.slice(stdout.indexOf(mark(i)) + mark(i).length, stdout.indexOf(mark(i + 1)));
      expect(`${commands}\n${settled(printed.replaceAll(String(port), '8790'))}`).toBe(
        `${commands}\n${settled(shown)}`,
      );
    }
    expect(await answers(port)).toBe(false);
    expect(usual.asked()).toBe(0);
    expect(existsSync(join(cwd, 'trivet-data', 'trivet.db'))).toBe(true);
  },
);

/**
 * Occupies the default port, like the server of the README's first command when the reader continues. Another program of this machine may
 * occupy it already.
 * @see Finding: 7 of 13 blocks failed then, because they used the server of the README.
 */
function usualServer() {
  let asked = 0;
  let server: Bun.Server<undefined> | undefined;
  try {
    const fetch = () => {
      asked++;
      return new Response(null, { status: 500 });
    };
    server = Bun.serve({ port: 8787, hostname: '127.0.0.1', fetch });
  } catch {
    server = undefined;
  }
  return { asked: () => asked, [Symbol.dispose]: () => void server?.stop(true) };
}

async function unusedPort(): Promise<number> {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port } = probe;
  await probe.stop(true);
  return Number(port);
}
