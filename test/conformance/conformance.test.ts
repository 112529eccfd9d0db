import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fail } from '../../core/errors.ts';
import type { Executor } from '../../core/executor.ts';
import { fileAnswer } from '../../core/file-answer.ts';
import { faultAnswer } from '../../core/http/answer.ts';
import { asFault } from '../../core/as-fault.ts';
import { hostAndOriginGuard } from '../../core/http/guard.ts';
import { createLog } from '../../core/log.ts';
import { mcpServer } from '../../core/mcp/server.ts';
import { unknownTool } from '../../core/operation.ts';
import { cleanEnvironment, compiled, runTrivet, serveTrivet, type Running } from '../executable.ts';
import { temporaryDirectory } from '../temporary.ts';

/*
 * The protocol's own conformance suite, against the executable and against a server of the suite's tools on the same adapter.
 *
 * Mutation note: seen to fail when a failed tool is answered without isError (tools-call-error), and when the guard lets a
 * foreign Host through (dns-rebinding-protection).
 */
const suite = join(import.meta.dir, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Runs the suite against a server. Exit 0: what is not in the baseline passed, and what is in it failed. */
async function conforms(url: string, baseline: string) {
  const directory = temporaryDirectory('conformance');
  const file = join(import.meta.dir, baseline);
  const args = ['server', '--url', url, '--expected-failures', file, '--output-dir', directory];
  const child = Bun.spawn([process.execPath, suite, ...args], {
    cwd: directory,
    env: cleanEnvironment(),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const report = await new Response(child.stdout).text();
  const passed = [...report.matchAll(/^✓ (\S+): [1-9]/gm)].map(([, scenario]) => scenario);
  return { exitCode: await child.exited, passed, report };
}

/** The suite cannot send a token, so this sends it along with everything else as it is. */
function withToken(origin: string, token: string) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(`${origin}${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body,
        redirect: 'manual',
      });
    },
  });
}

const always = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];
let server: Running;
let token: string;
beforeAll(async () => {
  const data = temporaryDirectory('conformance');
  server = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  const made = await runTrivet(compiled, [
    'token',
    'create',
    '--email',
    'a@b.co',
    '--name',
    'c',
    '--data',
    data,
  ]);
  token = made.stdout.trim();
});
afterAll(() => server.stop());

test('the executable', async () => {
  const proxy = withToken(server.origin, token);
  const { exitCode, passed, report } = await conforms(`${proxy.url.origin}/mcp`, 'executable.yml');
  await proxy.stop(true);
  expect(exitCode, report).toBe(0);
  expect(passed).toEqual(expect.arrayContaining(always));
}, 60_000);

/** The suite's tools, as far as an operation of ours could be one of them. */
const fixture: Executor = {
  tools: async () =>
    ['test_simple_text', 'test_error_handling', 'test_tool_with_progress', 'test_embedded_resource'].map(
      (name) => ({
        name,
        toolset: 'fixture',
        title: name,
        description: name,
        effect: 'read' as const,
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      }),
    ),
  call: async (name, _input, { progress }) => {
    switch (name) {
      case 'test_simple_text':
        return { text: 'This is a simple text response for testing.' };
      case 'test_error_handling':
        throw fail.CONFLICT('This tool intentionally returns an error for testing');
      case 'test_tool_with_progress':
        for (const done of [0, 50, 100]) {
          progress?.(done, 100);
          await Bun.sleep(20);
        }
        return { done: true };
      case 'test_embedded_resource':
        return fileAnswer('note.txt', 'text/plain', async function* () {
          yield 'This is an embedded resource content.';
        });
      default:
        throw unknownTool(name, []);
    }
  },
  close: async () => {},
};

test('the suite’s own tools on the same adapter', async () => {
  const guard = hostAndOriginGuard({
    hostname: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
  });
  const log = createLog('error', Date.now, () => {});
  const served = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      try {
        guard(request);
        const adapter = mcpServer(fixture, { modules: [], log });
        const transport = new WebStandardStreamableHTTPServerTransport({});
        await adapter.connect(transport as Parameters<typeof adapter.connect>[0]);
        return await transport.handleRequest(request);
      } catch (error) {
        return faultAnswer(asFault(error), { withTip: false });
      }
    },
  });
  const { exitCode, passed, report } = await conforms(`${served.url.origin}/mcp`, 'fixture.yml');
  await served.stop(true);
  expect(exitCode, report).toBe(0);
  expect(passed).toEqual(
    expect.arrayContaining([
      ...always,
      'tools-call-simple-text',
      'tools-call-error',
      'tools-call-with-progress',
      'tools-call-embedded-resource',
    ]),
  );
}, 60_000);

describe('versions of the protocol', () => {
  const initialize = async (protocolVersion: string) => {
    const response = await fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      }),
    });
    const [, data = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    return (JSON.parse(data) as { result: { protocolVersion: string } }).result.protocolVersion;
  };
  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('%s is spoken', async (version) => {
    expect(await initialize(version)).toBe(version);
  });
  test.each(['1999-01-01', '2099-01-01'])('%s is answered with one that is spoken', async (version) => {
    expect(await initialize(version)).toBe('2025-11-25');
  });
});
