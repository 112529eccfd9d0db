import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Executor } from '../executor.ts';
import type { Log } from '../log.ts';
import type { Module } from '../module.ts';
import { toolBodyLimit } from '../http/body.ts';
import { mcpServer } from './server.ts';

/**
 * Speaks MCP on standard input and output until the client closes its end, answering what is under way first.
 * Nothing else may write to stdout: the caller has pointed the console at stderr before anything was loaded.
 */
export async function serveStdio(
  executor: Executor,
  { modules, log }: { readonly modules: readonly Module[]; readonly log: Log },
  stopping: AbortSignal,
): Promise<void> {
  const underWay = new Set<symbol>();
  const counted: Executor = {
    ...executor,
    call: async (...call) => {
      const mark = Symbol('call');
      underWay.add(mark);
      try {
        return await executor.call(...call);
      } finally {
        underWay.delete(mark);
      }
    },
  };
  const server = mcpServer(counted, { modules, log });
  server.onerror = (error) => log.warn('mcp_protocol_error', { error: error.name });
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
    process.stdout.once('error', resolve);
    stopping.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(
    new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: 2 * toolBodyLimit }),
  );
  await ended;
  // Answers leave in the turn after the call has ended.
  do await Bun.sleep(1);
  while (underWay.size > 0 && !stopping.aborted);
  await server.close();
}
