import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { consentAs, openBrowser, type Page } from '../modules/auth/testing/browser.ts';
import { cleanEnvironment, compiled, createToken, serveTrivet, type Running } from './executable.ts';
import { startIdentityProvider, type TestIdentityProvider } from './identity-provider.ts';
import { info, oauthMemory, pinned } from './mcp-clients.ts';
import { settled } from './rejection.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Third-party MCP clients sign a person in by themselves, against the executable and a real OpenID provider: both official SDKs, mcp-remote
 * by browser and by device code, the Inspector. A browser with a cookie jar presses the buttons in place of a person.
 */
const bin = (name: string) => join(import.meta.dir, '..', 'node_modules', '.bin', name);
const callbackUrl = 'http://127.0.0.1:4321/callback';

let provider: TestIdentityProvider;
let server: Running;
let data: string;
beforeAll(async () => {
  provider = await startIdentityProvider();
  provider.sits('ann@example.org');
  data = temporaryDirectory('mcp-sign-in');
  const config = join(data, 'trivet.toml');
  const client = `clientId = "${provider.clientId}"\nclientSecret = "${provider.clientSecret}"`;
  writeFileSync(config, `[providers.company]\nissuer = "${provider.issuer}"\n${client}\n`, { mode: 0o600 });
  server = await serveTrivet(compiled, ['--data', data, '--config', config, '--rate-oauth', '0']);
  await provider.accept(`${server.origin}/oauth/callback`);
}, 60_000);
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

/** A person consents and signs in at the provider. @returns the final page of the browser. */
async function agree(url: string, ...outside: readonly string[]): Promise<Page> {
  const browser = openBrowser(...outside);
  const asked = await browser.go(url);
  expect([asked.status, asked.text.includes('Let this program act for you?')]).toEqual([200, true]);
  return browser.submit(asked, { choice: 'with company' });
}

test('the SDK 1.32 signs in, lists tools, and refreshes', async () => {
  const keeps = oauthMemory(callbackUrl);
  const url = new URL(`${server.origin}/mcp`);
  const transport = () => new StreamableHTTPClientTransport(url, { authProvider: keeps });
  const first = transport();
  const client = new Client(info);
  expect(await settled(client.connect(first as never))).toThrow('Unauthorized');
  const { left } = await agree(keeps.asked().href, callbackUrl);
  expect(left?.searchParams.get('state')).toBe('state of the client');
  await first.finishAuth(left?.searchParams.get('code') ?? '');
  const signedIn = new Client(info);
  await signedIn.connect(transport() as never);
  // Ann is a member of no organization.
  expect(
    (await signedIn.callTool({ name: 'get-orgs-list', arguments: {} }))['structuredContent'],
  ).toMatchObject({ total: 0 });
  await signedIn.close();
  keeps.spoil();
  const later = new Client(info);
  await later.connect(transport() as never);
  expect((await later.listTools()).tools.length).toBeGreaterThan(0);
  await later.close();
}, 60_000);

test.each(['127.0.0.1', 'localhost'])(
  'the SDK 2.4 signs in at a server that it knows as %s',
  async (name) => {
    const keeps = oauthMemory(callbackUrl);
    const url = new URL(`${server.origin.replace('127.0.0.1', name)}/mcp`);
    const transport = () => new Http2(url, { authProvider: keeps });
    const first = transport();
    expect(await settled(new Client2(info, pinned).connect(first))).toThrow();
    const { left } = await agree(keeps.asked().href, callbackUrl);
    await first.finishAuth(left?.searchParams ?? new URLSearchParams());
    const client = new Client2(info, pinned);
    await client.connect(transport());
    expect((await client.callTool({ name: 'get-orgs-list', arguments: {} })).structuredContent).toMatchObject(
      { total: 0 },
    );
    await client.close();
  },
  60_000,
);

/** Starts a program, and reads its output until a pattern is found. */
function started(words: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([...words], {
    env: cleanEnvironment({ HOME: temporaryDirectory('home'), BROWSER: '/bin/false', ...env }),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let said = '';
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) said += decoder.decode(chunk, { stream: true });
  };
  const all = Promise.all([read(child.stdout), read(child.stderr)]);
  return {
    finds: (pattern: RegExp) => untilFound(() => said, pattern),
    end: async () => {
      const exitCode = await child.exited;
      await all;
      return { exitCode, said };
    },
  };
}

async function untilFound(said: () => string, pattern: RegExp): Promise<string> {
  for (let round = 0; round < 600; round++) {
    const found = pattern.exec(said())?.[1];
    if (found !== undefined) return found;
    await Bun.sleep(50);
  }
  throw new Error(`it did not say ${pattern}: ${said()}`);
}

describe('mcp-remote', () => {
  /** A client over stdio that reaches the server through mcp-remote. */
  const through = async (
    more: readonly string[],
    authorize: (finds: (pattern: RegExp) => Promise<string>) => Promise<void>,
  ) => {
    const transport = new StdioClientTransport({
      command: 'node',
      args: [bin('mcp-remote'), `${server.origin}/mcp`, '--transport', 'http-only', ...more],
      env: cleanEnvironment({ HOME: temporaryDirectory('home'), BROWSER: '/bin/false', DISPLAY: '' }),
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => void (said += chunk.toString()));
    const client = new Client(info);
    const connecting = client.connect(transport);
    await authorize((pattern) => untilFound(() => said, pattern));
    await connecting;
    return client;
  };

  test('by browser', async () => {
    const client = await through([], async (finds) => {
      const url = await finds(/(http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\S+)/);
      const { left } = await agree(url, 'http://localhost:');
      // It registers localhost but listens only on 127.0.0.1, a moment later; browsers try both, and people take longer.
      const back = String(left).replace('localhost', '127.0.0.1');
      const reached = async () => (await fetch(back).catch(() => undefined))?.status;
      let status = await reached();
      for (let round = 0; status === undefined && round < 100; round++) {
        await Bun.sleep(100);
        status = await reached();
      }
      expect(status).toBe(200);
    });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  }, 90_000);

  test('by device code', async () => {
    const client = await through(['--device-code'], async (finds) => {
      const code = await finds(/enter the code: (\S+)/);
      const browser = openBrowser();
      const page = await browser.go(`${server.origin}/oauth/device`);
      const asked = await browser.submit(page, { user_code: code });
      expect(asked.text).toContain('Sign in another device?');
      expect((await browser.submit(asked, { choice: 'with company' })).text).toContain('signed in now');
    });
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  }, 90_000);
});

test('the Inspector', async () => {
  const words = ['--cli', `${server.origin}/mcp`, '--transport', 'http', '--method', 'tools/list'];
  const inspector = started(
    ['node', bin('mcp-inspector'), ...words, '--callback-url', 'http://127.0.0.1:0/oauth/callback'],
    { MCP_AUTO_OPEN_ENABLED: 'true' },
  );
  expect((await agree(await inspector.finds(/navigate to: (\S+)\n/))).status).toBe(200);
  const { exitCode, said } = await inspector.end();
  expect([exitCode, said.includes('"get-orgs-list"')]).toEqual([0, true]);
}, 90_000);

test('a personal access token works as before, and a wrong one is told where tokens come from', async () => {
  const token = await createToken(compiled, ['--data', data]);
  const ask = (authorization?: string) =>
    fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  expect((await ask(`Bearer ${token}`)).status).toBe(200);
  const metadata = `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp", scope="testmgmt"`;
  const answers = await Promise.all([ask(), ask('Bearer nonsense'), ask('Basic eDp5')]);
  expect(answers.map(({ status, headers }) => [status, headers.get('www-authenticate')])).toEqual([
    [401, metadata],
    [401, `${metadata}, error="invalid_token"`],
    [401, `${metadata}, error="invalid_token"`],
  ]);
});

test('with --dev a person signs in without any provider', async () => {
  const offline = await serveTrivet(compiled, ['--data', temporaryDirectory('offline'), '--dev']);
  const keeps = oauthMemory(callbackUrl);
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${offline.origin}/mcp`), { authProvider: keeps });
  const first = transport();
  expect(await settled(new Client(info).connect(first as never))).toThrow('Unauthorized');
  const browser = openBrowser(callbackUrl);
  const { left } = await consentAs(browser, await browser.go(keeps.asked().href), 'bob@example.org');
  await first.finishAuth(left?.searchParams.get('code') ?? '');
  const client = new Client(info);
  await client.connect(transport() as never);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await client.close();
  await offline.stop();
}, 60_000);
