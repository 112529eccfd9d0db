import { expect } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import {
  cleanEnvironment,
  compiled,
  createToken,
  runTrivet,
  serveTrivet,
  type Running,
} from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

const [trivet = ''] = compiled.command;
const person = 'ann@example.org';
export const toolsets = 'testmgmt,extra,results,insights';

export type Answer =
  | { readonly data: unknown }
  | { readonly message: string; readonly tip: string; readonly code?: string };

/** One way to call a tool, on its own data. */
export interface Surface {
  readonly name: string;
  call(tool: string, args: object): Promise<Answer>;
  stop(): Promise<unknown>;
}

/** Only times and links may differ between the surfaces. */
const settled = (answer: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answer)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}Z)?/g, 'TIME')
      // CTRF has epoch milliseconds.
      .replace(/"(start|stop)":\d{13}/g, '"$1":0')
      // So does the cursor of get-run-changes.
      .replace(/"cursor":"\d{13}"/g, '"cursor":"TIME"')
      // The audit log has the sign-ins of the surface, too.
      .replace(/"activityId":\d+/g, '"activityId":0')
      // A proposal keeps where it came from.
      .replace(/"surface":"(?:http|mcp|stdio|cli)"/g, '"surface":"SURFACE"')
      // Only over MCP a client says its name.
      .replace(/"client":(?:null|"[^"]*")/g, '"client":"CLIENT"')
      // A link has a random code, and the origin of the surface.
      .replace(/"url":"http:[^"]*\/share\/[\w-]{43}"/g, '"url":"LINK"')
      // Only a server knows where its console is.
      .replace(/,"url":"http:[^"]*\/console\/projects\/\d+\/runs\/\d+"/g, ''),
  ) as unknown;

async function prepared(name: string) {
  const data = temporaryDirectory(name);
  return { data, token: await createToken(compiled, ['--data', data], person) };
}

async function overMcp(name: string, client: Client, stop: () => Promise<unknown>): Promise<Surface> {
  return {
    name,
    call: async (tool, args) => {
      const result = (await client.callTool({
        name: tool,
        arguments: args as Record<string, unknown>,
      })) as CallToolResult;
      const [first, second] = result.content;
      const text = first?.type === 'text' ? first.text : '';
      const failed = /^❌ Error: (.*)\n\n💡 Tip: (.*)$/s.exec(text);
      if (result.isError) return { message: failed?.[1] ?? text, tip: failed?.[2] ?? '' };
      expect(JSON.parse(text)).toEqual(result.structuredContent);
      if (second?.type !== 'resource') return { data: settled(result.structuredContent) };
      const { resource } = second;
      return { data: settled('text' in resource ? resource.text : resource.blob) };
    },
    stop: async () => {
      await client.close();
      await stop();
    },
  };
}

async function stdio(): Promise<Surface> {
  const { data } = await prepared('stdio');
  const client = new Client({ name: 'test', version: '1' });
  const args = ['--mcp', '--data', data, '--as', person, '--toolsets', toolsets];
  await client.connect(new StdioClientTransport({ command: trivet, args, env: cleanEnvironment() }));
  return overMcp('MCP on stdio', client, async () => {});
}

async function mcpOverHttp(): Promise<Surface> {
  const { data, token } = await prepared('mcp');
  const server: Running = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp?toolsets=${toolsets}`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return overMcp('MCP over HTTP', client, () => server.stop());
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly tip: string };
}

async function http(): Promise<Surface> {
  const { data, token } = await prepared('http');
  const server = await serveTrivet(compiled, ['--port', '0', '--data', data]);
  return {
    name: '/api/tools',
    call: async (tool, args) => {
      const response = await fetch(`${server.origin}/api/tools/${tool}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(args),
      });
      const text = await response.text();
      if (!response.ok) {
        const { message, tip, code } = (JSON.parse(text) as ErrorBody).error;
        return { message, tip, code };
      }
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      return { data: settled(isJson ? JSON.parse(text) : text) };
    },
    stop: () => server.stop(),
  };
}

async function commandLine(): Promise<Surface> {
  const { data } = await prepared('call');
  return {
    name: 'trivet call',
    call: async (tool, args) => {
      const flags = ['--args', '-', '--data', data, '--as', person];
      const { exitCode, stdout, stderr } = await runTrivet(compiled, ['call', tool, ...flags], {
        stdin: JSON.stringify(args),
      });
      if (exitCode !== 0) {
        expect(stdout).toBe('');
        const { message, tip, code } = (JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as ErrorBody)
          .error;
        return { message, tip, code };
      }
      const isJson = /^[[{]/.test(stdout);
      return { data: settled(isJson ? JSON.parse(stdout) : stdout) };
    },
    stop: async () => {},
  };
}

/** All four, each with a new data directory. The first is the one whose failures include their code. */
export const startSurfaces = (): Promise<readonly Surface[]> =>
  Promise.all([http(), stdio(), mcpOverHttp(), commandLine()]);

/** The common response of all surfaces. The surface with the code determines it, because MCP shows none. */
export async function agreedBy(surfaces: readonly Surface[], tool: string, args: object): Promise<Answer> {
  const answers = await Promise.all(surfaces.map((surface) => surface.call(tool, args)));
  const [first] = answers;
  if (!first) throw new Error('no surface');
  const shown = (answer: Answer) =>
    'data' in answer ? answer : { message: answer.message, tip: answer.tip };
  for (const [index, answer] of answers.entries()) {
    expect({ surface: surfaces[index]?.name, ...shown(answer) }).toEqual({
      surface: surfaces[index]?.name,
      ...shown(first),
    });
  }
  return first;
}
