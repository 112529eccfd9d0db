import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type CallToolResult,
  type ElicitRequestFormParams,
} from '@modelcontextprotocol/sdk/types.js';
import { createLog } from '../../core/base/log.ts';
import { serverOf } from '../../core/mcp/era-2025.ts';
import { mcpTools } from '../../core/mcp/mcp-tools.ts';
import {
  audio,
  image,
  mixed,
  ofOperations,
  operations,
  prompts,
  read,
  resources,
  resourceTemplates,
  text,
  toolsNamed,
} from './suite-content.ts';
import { serveGuarded } from './suite-server.ts';

/*
 * The server that the conformance suite expects under test, on our adapter and behind our guard. Tools whose result one of our operations
 * can produce go through the adapter. Features that Trivet does not use (pictures, sampling, elicitation, prompts, resources) are added
 * here, so that the suite can test the adapter together with all of them. It keeps sessions, because the suite's requests from server to
 * client need them; ours at /mcp does not.
 */
/** The server that sends a request to the client, and the request on whose stream it does. */
interface Asking {
  readonly server: Server;
  readonly requestId: string | number;
}

async function elicit({ server, requestId }: Asking, message: string, properties: object) {
  const requestedSchema = { type: 'object', properties } as ElicitRequestFormParams['requestedSchema'];
  const { action, content } = await server.request(
    { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } },
    ElicitResultSchema,
    { relatedRequestId: requestId },
  );
  return { content: [text(`User response: action=${action}, content=${JSON.stringify(content)}`)] };
}

const titled = (...titles: string[]) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));
const options = ['option1', 'option2', 'option3'];

/** Tools whose results none of our operations can produce. */
const others: Readonly<Record<string, (asking: Asking) => CallToolResult | Promise<CallToolResult>>> = {
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [audio] }),
  test_multiple_content_types: () => ({ content: mixed() }),
  test_tool_with_logging: async ({ server, requestId }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      const params = { level: 'info' as const, data };
      await server.notification({ method: 'notifications/message', params }, { relatedRequestId: requestId });
      await Bun.sleep(20);
    }
    return { content: [text('done')] };
  },
  test_sampling: async ({ server, requestId }) => {
    const content = text('Test prompt for sampling');
    const answer = await server.request(
      { method: 'sampling/createMessage', params: { messages: [{ role: 'user', content }], maxTokens: 100 } },
      CreateMessageResultSchema,
      { relatedRequestId: requestId },
    );
    return { content: [text(`LLM response: ${JSON.stringify(answer.content)}`)] };
  },
  test_elicitation: (asking) =>
    elicit(asking, 'Please provide your information', {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    }),
  test_elicitation_sep1034_defaults: (asking) =>
    elicit(asking, 'Defaults', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: (asking) =>
    elicit(asking, 'Choices', {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: {
        type: 'array',
        items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
      },
    }),
};

const tools = toolsNamed([...ofOperations, ...Object.keys(others)]);

/** Our adapter, with the additional features that the suite expects. */
function fixtureServer(): Server {
  const log = createLog('error', Date.now, () => {});
  const server = serverOf(
    mcpTools(
      { tools, tool: async () => undefined, call: operations, close: async () => {} },
      { modules: [], cut: {}, log },
    ),
  );
  server.registerCapabilities({
    logging: {},
    completions: {},
    prompts: {},
    resources: { subscribe: true },
  });
  // Calls are still answered by the adapter itself, so that the suite tests it.
  const adapter = server['_requestHandlers'].get('tools/call');
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const other = others[request.params.name];
    if (other) return other({ server, requestId: extra.requestId });
    if (!adapter) throw new Error('the adapter answers no calls');
    return adapter(request, extra);
  });
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: ['paris', 'park'] } }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: name })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = prompts[params.name];
    if (!prompt) throw new Error(`no prompt ${params.name}`);
    return prompt(params.arguments ?? {});
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources,
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates,
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: [read(params.uri)] }));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

export function serveFixture() {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const opened = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await fixtureServer().connect(transport as Parameters<Server['connect']>[0]);
    return transport;
  };
  return serveGuarded(async (request) => {
    const session = sessions.get(request.headers.get('mcp-session-id') ?? '');
    return (session ?? (await opened())).handleRequest(request);
  });
}
