import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { toolBodyLimit } from '../http/body.ts';
import type { Log } from '../log.ts';
import { protocolStreams } from '../standard-streams.ts';
import type { Executor } from '../tools/executor.ts';
import { readableCall } from './call-message.ts';
import { mcpServer, type Offer } from './mcp-server.ts';

/** The error for a line that the transport cannot read (JSON-RPC 2.0 §5.1). Its id is unknown. */
function refusalOf(error: Error): { readonly code: number; readonly message: string } | null {
  if (error instanceof SyntaxError)
    return { code: ErrorCode.ParseError, message: 'Parse error: the line is not a JSON document.' };
  if (error.name === 'ZodError' || error.name === '$ZodError')
    return {
      code: ErrorCode.InvalidRequest,
      message: 'Invalid Request: the line is not a JSON-RPC message.',
    };
  return null;
}

/**
 * Serves MCP on stdin and stdout until the client closes its end; running calls finish first. Nothing else may write to stdout: the
 * console writes to stderr (core/main.ts).
 */
export async function serveStdio(
  executor: Executor,
  { log, ...offer }: Offer & { readonly log: Log },
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
  const server = mcpServer(counted, { ...offer, log });
  const { input, output } = protocolStreams();
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    output.once('error', resolve);
    stopping.addEventListener('abort', () => resolve(), { once: true });
  });
  const transport = new StdioServerTransport(input, output, {
    maxBufferSize: 2 * toolBodyLimit,
  });
  server.onerror = (error) => {
    log.warn('mcp_protocol_error', { error: error.name });
    const refused = refusalOf(error);
    if (refused) output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: refused })}\n`);
  };
  await server.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message) => receive?.(readableCall(message) as typeof message);
  await ended;
  // A response is written in the turn of the event loop after its call has ended.
  do await Bun.sleep(1);
  while (underWay.size > 0 && !stopping.aborted);
  await server.close();
}
