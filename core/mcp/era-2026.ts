import './zod-interpreted.ts';
import {
  createMcpHandler,
  inputRequired,
  parseJSONRPCMessage,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { agentNameIn } from '../base/agent-name.ts';
import { canAsk, idempotencyKeyIn, NotAMessage, type Era } from './era-adapter.ts';
import { membersOf } from './message-members.ts';
import { NotOffered } from './mcp-context.ts';
import { NotAskedYet, UnknownTool, type McpTools } from './mcp-tools.ts';

/** The name of the question to the person, and of their reply. */
const consent = 'consent';

/** JSON-RPC 2.0 §5.1. */
const invalidParams = -32602;

/** Serves the tools. It uses the SDK's low-level server: the high-level one validates with schemas of its own. */
export function serverOf(tools: McpTools): Server {
  const server = new Server(tools.serverInfo, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions: tools.instructions,
  });
  server.setRequestHandler('tools/list', async () => ({ tools: await tools.list() }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { _meta, signal, envelope, inputResponses } = mcpReq;
    const answer = inputResponses?.[consent] as { readonly action?: unknown } | undefined;
    const progressToken = _meta?.progressToken;
    const progress = (done: number, total: number) =>
      void mcpReq
        .notify({
          method: 'notifications/progress',
          params: { progressToken: progressToken ?? 0, progress: done, total },
        })
        .catch(() => {});
    try {
      const said = membersOf(envelope);
      const client = agentNameIn(said['io.modelcontextprotocol/clientInfo']);
      return await tools.call(params.name, params.arguments ?? {}, {
        signal,
        ...(client === undefined ? {} : { client }),
        ask: canAsk(said['io.modelcontextprotocol/clientCapabilities'])
          ? async (question) => {
              if (answer === undefined) throw new NotAskedYet(question);
              return answer.action === 'accept';
            }
          : undefined,
        wasAsked: answer !== undefined,
        ...idempotencyKeyIn(_meta),
        ...(progressToken === undefined ? {} : { progress }),
      });
    } catch (error) {
      if (error instanceof NotAskedYet) {
        const requestedSchema = { type: 'object' as const, properties: {} };
        const asking = inputRequired.elicit({ message: error.question, requestedSchema });
        return inputRequired({ inputRequests: { [consent]: asking } });
      }
      if (error instanceof UnknownTool) throw new ProtocolError(invalidParams, error.message);
      throw error;
    }
  });
  const { context } = tools;
  server.setRequestHandler('resources/list', ({ params }) => orRefuse(context.resources(params?.cursor)));
  server.setRequestHandler('resources/templates/list', () => context.templates());
  server.setRequestHandler('resources/read', ({ params }) => orRefuse(context.read(params.uri)));
  server.setRequestHandler('prompts/list', () => context.prompts());
  server.setRequestHandler('completion/complete', ({ params: { ref, argument, context: known } }) =>
    orRefuse(
      context.complete({
        ...(ref.type === 'ref/prompt' ? { prompt: ref.name } : { uriTemplate: ref.uri }),
        argument,
        given: known?.arguments ?? {},
      }),
    ),
  );
  server.setRequestHandler('prompts/get', ({ params }) =>
    orRefuse(context.prompt(params.name, params.arguments ?? {})),
  );
  return server;
}

/** Since 2026-07-28 an unknown resource is an invalid parameter, like an unknown prompt. */
async function orRefuse<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof NotOffered ? new ProtocolError(invalidParams, error.message) : error;
  }
}

/** Version 2026-07-28 of the protocol: no sessions, each request is self-contained. */
export const era2026: Era = {
  open: async (tools, { send, onError }) => {
    type Transport = NonNullable<NonNullable<Parameters<typeof serveStdio>[1]>['transport']>;
    const transport: Transport = { start: async () => {}, send, close: async () => {} };
    const served = serveStdio(() => serverOf(tools), { legacy: 'reject', transport, onerror: onError });
    return {
      receive: (message) => {
        let known;
        try {
          known = parseJSONRPCMessage(message);
        } catch {
          throw new NotAMessage();
        }
        transport.onmessage?.(known);
      },
      close: () => served.close(),
    };
  },
  // A subscription to changes ends at once, because no capability announces any changes.
  answer: (tools, request, body) =>
    createMcpHandler(() => serverOf(tools), { legacy: 'reject' }).fetch(
      request,
      body === undefined ? {} : { parsedBody: body },
    ),
};
