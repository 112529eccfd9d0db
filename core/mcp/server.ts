import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { asFault } from '../as-fault.ts';
import { Fault } from '../errors.ts';
import type { Executor } from '../executor.ts';
import { bytesOf, isFile, isJson, isText, type FileAnswer } from '../file-answer.ts';
import { errorFields, type Log } from '../log.ts';
import type { Module } from '../module.ts';
import type { ToolDescription } from '../operation.ts';
import { version } from '../version.ts';

/** What MCP offers when nobody asked for other toolsets: those of the modules that say how an agent works with them. */
export const defaultToolsets = (modules: readonly Module[]): readonly string[] =>
  modules.filter((module) => module.mcpInstructions).map(({ name }) => name);

const instructionsOf = (modules: readonly Module[]): string =>
  [
    ...modules.flatMap(({ mcpInstructions }) => mcpInstructions ?? []),
    'A failed call says after "Tip:" how to repair it.',
  ].join(' ');

/**
 * A Model Context Protocol server over an executor. The SDK's high-level server takes only Zod schemas; ours are JSON
 * Schema already, so this is its low-level one.
 */
export function mcpServer(
  executor: Executor,
  { modules, log }: { modules: readonly Module[]; log: Log },
): Server {
  const server = new Server(
    { name: 'trivet', title: 'Trivet', version },
    {
      capabilities: { tools: {} },
      instructions: instructionsOf(modules),
      // Only elicitation validates answers and this server never elicits; the default would load a validator per server.
      jsonSchemaValidator: {
        getValidator: () => {
          throw new Error('no elicitation');
        },
      },
    },
  );

  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await executor.tools()).map(toolOf),
  }));

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    try {
      const data = await executor.call(params.name, params.arguments ?? {}, {
        signal,
        ...(progressToken === undefined
          ? {}
          : {
              progress: (progress: number, total: number) =>
                void sendNotification({
                  method: 'notifications/progress',
                  params: { progressToken, progress, total },
                }).catch(() => {}),
            }),
      });
      return isFile(data) ? await fileContent(data) : success(data);
    } catch (error) {
      const fault = asFault(error);
      if (!(error instanceof Fault))
        log.error('tool_failed', { tool: params.name.slice(0, 64), ...errorFields(error) });
      // An unknown tool is a fault of the protocol; everything else is a result that the agent can read and repair.
      if (fault.code === 'UNKNOWN_TOOL')
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${fault.message}`);
      return failure(fault);
    }
  });
  return server;
}

/** Compact JSON as text, and the same object for clients that read structured content. */
function success(data: unknown): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: data as Record<string, unknown>,
  };
}

/**
 * A file: JSON is answered as any other data, the rest as an embedded resource (text as it is, bytes in base64) beside a
 * line that says what it is.
 */
async function fileContent(file: FileAnswer): Promise<CallToolResult> {
  const bytes = await bytesOf(file);
  if (isJson(file)) return success(JSON.parse(bytes.toString('utf8')));
  const { name, mediaType } = file;
  const described = { name, mediaType, bytes: bytes.byteLength };
  const content = isText(file) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
  return {
    content: [
      { type: 'text', text: JSON.stringify(described) },
      { type: 'resource', resource: { uri: `trivet://files/${name}`, mimeType: mediaType, ...content } },
    ],
    structuredContent: described,
  };
}

/** Specification, Errors rule 5: marker, `Error:`, message, a blank line, marker, `Tip:`, guidance. */
function failure(fault: Fault): CallToolResult {
  return {
    content: [{ type: 'text', text: `❌ Error: ${fault.message}\n\n💡 Tip: ${fault.tip}` }],
    isError: true,
  };
}

function toolOf({ name, title, description, effect, inputSchema }: ToolDescription) {
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as { type: 'object' },
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'delete',
      idempotentHint: effect !== 'create',
      openWorldHint: false,
    },
  };
}
