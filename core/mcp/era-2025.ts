import './zod-interpreted.ts';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { agentNameIn } from '../base/agent-name.ts';
import { toolBodyLimit } from '../http/request/body.ts';
import { canAsk, idempotencyKeyIn, NotAMessage, type Era } from './era-adapter.ts';
import { NotOffered } from './mcp-context.ts';
import { UnknownTool, type McpTools } from './mcp-tools.ts';

/** The SDK declares the optional callbacks of its transports in a way that exactOptionalPropertyTypes refuses. */
type Transport = Parameters<Server['connect']>[0];

/** Serves the tools. It uses the SDK's low-level server: the high-level one accepts only Zod schemas. */
export function serverOf(tools: McpTools): Server {
  const server = new Server(tools.serverInfo, {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions: tools.instructions,
    // Only elicitation validates data, and this server asks for nothing but yes or no. The default would load a validator per server.
    jsonSchemaValidator: {
      getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
    },
  });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: await tools.list() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    const progress = (done: number, total: number) =>
      void sendNotification({
        method: 'notifications/progress',
        params: { progressToken: progressToken ?? 0, progress: done, total },
      }).catch(() => {});
    try {
      const client = agentNameIn(server.getClientVersion());
      return await tools.call(params.name, params.arguments ?? {}, {
        signal,
        ...(client === undefined ? {} : { client }),
        ask: canAsk(server.getClientCapabilities())
          ? (question) => asked(server, question, signal)
          : undefined,
        ...idempotencyKeyIn(_meta),
        ...(progressToken === undefined ? {} : { progress }),
      });
    } catch (error) {
      if (error instanceof UnknownTool) throw new McpError(ErrorCode.InvalidParams, error.message);
      throw error;
    }
  });
  const { context } = tools;
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    orRefuse(context.resources(params?.cursor), ErrorCode.InvalidParams),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => context.templates());
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    orRefuse(context.read(params.uri), resourceNotFound),
  );
  server.setRequestHandler(ListPromptsRequestSchema, () => context.prompts());
  server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument, context: known } }) =>
    orRefuse(
      context.complete({
        ...(ref.type === 'ref/prompt' ? { prompt: ref.name } : { uriTemplate: ref.uri }),
        argument,
        given: known?.arguments ?? {},
      }),
      ErrorCode.InvalidParams,
    ),
  );
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    orRefuse(context.prompt(params.name, params.arguments ?? {}), ErrorCode.InvalidParams),
  );
  return server;
}

/** A person may take long to reply. */
const askingMs = 10 * 60_000;

/** Asks by `elicitation/create`. A client that aborts, or cannot show the question, counts as a refusal. */
async function asked(server: Server, message: string, signal: AbortSignal): Promise<boolean> {
  try {
    const requestedSchema = { type: 'object' as const, properties: {} };
    const { action } = await server.elicitInput({ message, requestedSchema }, { timeout: askingMs, signal });
    return action === 'accept';
  } catch {
    return false;
  }
}

/** Version 2025-11-25, Resources, Error handling. */
const resourceNotFound = -32002;

async function orRefuse<T>(answer: Promise<T>, code: number): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof NotOffered ? new McpError(code, error.message) : error;
  }
}

/** Versions 2024-11-05 to 2025-11-25 of the protocol. */
export const era2025: Era = {
  open: async (tools, { send, onError }) => {
    const server = serverOf(tools);
    server.onerror = onError;
    const transport: Transport = { start: async () => {}, send, close: async () => {} };
    await server.connect(transport);
    return {
      receive: (message) => {
        const { success, data } = JSONRPCMessageSchema.safeParse(message);
        if (!success) throw new NotAMessage();
        transport.onmessage?.(data);
      },
      close: () => server.close(),
    };
  },
  answer: async (tools, request, body) => {
    const transport = new WebStandardStreamableHTTPServerTransport({ maxRequestBodySize: toolBodyLimit });
    await serverOf(tools).connect(transport as Transport);
    return transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  },
};
