import { StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { cleanEnvironment, compiled, createToken, requireBuilt, serveTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/** The compiled executable with its own data, as the clients of both eras of MCP reach it: over HTTP, and over stdio. */
export interface McpServer {
  readonly data: string;
  /** The endpoint over HTTP. */
  readonly url: URL;
  readonly token: string;
  /** Calls a tool over plain HTTP. */
  api(tool: string, input: object): Promise<Record<string, unknown>>;
  stdio1(): Stdio1;
  http1(): Http1;
  stdio2(): Stdio2;
  http2(): Http2;
  stop(): Promise<unknown>;
}

/** @param toolsets that its clients request; the default ones if omitted. */
export async function serveMcp(name: string, toolsets?: string): Promise<McpServer> {
  requireBuilt();
  const data = temporaryDirectory(name);
  const server = await serveTrivet(compiled, ['--data', data]);
  const token = await createToken(compiled, ['--data', data]);
  const url = new URL(`${server.origin}/mcp${toolsets === undefined ? '' : `?toolsets=${toolsets}`}`);
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const [command = '', ...before] = compiled.command;
  const chosen = toolsets === undefined ? [] : ['--toolsets', toolsets];
  const args = [...before, '--mcp', '--data', data, ...chosen];
  const started = () => ({ command, args, env: cleanEnvironment(), stderr: 'ignore' as const });
  return {
    data,
    url,
    token,
    api: async (tool, input) => {
      const response = await fetch(`${server.origin}/api/tools/${tool}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      return (await response.json()) as Record<string, unknown>;
    },
    stdio1: () => new Stdio1(started()),
    http1: () => new Http1(url, options),
    stdio2: () => new Stdio2(started()),
    http2: () => new Http2(url, options),
    stop: () => server.stop(),
  };
}
