import {
  createMcpHandler,
  MissingRequiredClientCapabilityError,
  ResourceNotFoundError,
  type CallToolResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { createLog } from '../../core/base/log.ts';
import { serverOf } from '../../core/mcp/era-2026.ts';
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
 * The server that the conformance suite expects under test, on our adapter of 2026-07-28 and behind our guard, like fixture-2025.ts for the
 * first era. It has no tool that asks the client for input: Trivet never does, so the suite would test only this file.
 */

/** Tools whose results none of our operations can produce. */
const others: Readonly<Record<string, (context: ServerContext) => Promise<CallToolResult>>> = {
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({ content: [audio] }),
  test_multiple_content_types: async () => ({ content: mixed() }),
  test_streaming_elicitation: async () => ({ content: [text('done')] }),
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'A line for clients that asked for lines');
    return { content: [text('done')] };
  },
  test_missing_capability: async () => {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
};

function fixtureServer(): Server {
  const log = createLog('error', Date.now, () => {});
  const tools = toolsNamed([...ofOperations, ...Object.keys(others)]);
  const server = serverOf(
    mcpTools(
      { tools, tool: async () => undefined, call: operations, close: async () => {} },
      { modules: [], cut: {}, log },
    ),
  );
  server.registerCapabilities({ logging: {}, completions: {}, prompts: {}, resources: {} });
  // Calls are still answered by the adapter itself, so that the suite tests it.
  const adapter = server['_requestHandlers'].get('tools/call');
  server.setRequestHandler('tools/call', async (request, context) => {
    const other = others[request.params.name];
    if (other) return other(context);
    if (!adapter) throw new Error('the adapter answers no calls');
    return (await adapter({ jsonrpc: '2.0', id: context.mcpReq.id, ...request }, context)) as CallToolResult;
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park'] } }));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({ name, description: name })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts[params.name];
    if (!prompt) throw new Error(`no prompt ${params.name}`);
    return prompt(params.arguments ?? {});
  });
  server.setRequestHandler('resources/list', () => ({ resources }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (!resources.some((one) => one.uri === uri) && !uri.startsWith('test://template/'))
      throw new ResourceNotFoundError(uri);
    return { contents: [read(uri)] };
  });
  return server;
}

export function serveFixture() {
  const handler = createMcpHandler(fixtureServer, { legacy: 'reject' });
  return serveGuarded((request) => handler.fetch(request));
}
