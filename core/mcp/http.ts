import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Elysia } from 'elysia';
import { fail } from '../errors.ts';
import type { ToolCut } from '../executor.ts';
import { toolBodyLimit } from '../http/body.ts';
import { queryOf } from '../http/query.ts';
import { servedTools } from '../http/served-tools.ts';
import type { Kernel } from '../kernel.ts';
import type { Module } from '../module.ts';
import { defaultToolsets, mcpServer } from './server.ts';

/**
 * MCP over Streamable HTTP at `/mcp`, without sessions: every request carries its token and any process may answer it.
 * `?toolsets=a,b` chooses what is listed, within what the operator allows.
 */
export function mcpRoute(app: Elysia, kernel: Kernel, cut: ToolCut, guard: (request: Request) => void): void {
  app.post(
    '/mcp',
    async ({ request }) => {
      const toolsets = chosenToolsets(request, cut, kernel.modules);
      const executor = await servedTools(kernel, request, guard, { ...cut, toolsets });
      const server = mcpServer(executor, { modules: kernel.modules, log: kernel.host.log });
      const transport = new WebStandardStreamableHTTPServerTransport({ maxRequestBodySize: toolBodyLimit });
      // The SDK declares its own transports with optional callbacks in a way that exactOptionalPropertyTypes refuses.
      await server.connect(transport as Parameters<typeof server.connect>[0]);
      return await transport.handleRequest(request);
    },
    {
      parse: 'none',
      detail: { summary: 'Model Context Protocol, Streamable HTTP', security: [{ bearer: [] }] },
    },
  );
  // There is no stream to resume and no session to end: 405 is what the protocol asks for then.
  for (const method of ['GET', 'DELETE'] as const) {
    app.route(
      method,
      '/mcp',
      ({ request }) => {
        guard(request);
        return new Response(null, { status: 405, headers: { Allow: 'POST' } });
      },
      { parse: 'none', detail: { hide: true } },
    );
  }
}

function chosenToolsets(request: Request, cut: ToolCut, modules: readonly Module[]): readonly string[] {
  const asked = queryOf(request).get('toolsets');
  if (asked === null) return cut.toolsets ?? defaultToolsets(modules);
  const names = asked.split(',').filter((name) => name !== '');
  if (names.some((name) => !/^[a-z][a-z0-9_-]{0,30}$/.test(name))) {
    throw fail.INVALID_REQUEST('toolsets must be names separated by commas.', { cause: 'toolsets' });
  }
  return cut.toolsets ? names.filter((name) => cut.toolsets?.includes(name)) : names;
}
