import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { fail, Fault } from '../errors.ts';
import { asFault } from '../foreign-errors.ts';
import { JsonScan, parsePieces } from '../json/json-scan.ts';
import { toolNamesOf } from '../kernel/module-loading.ts';
import { errorFields, type Log } from '../log.ts';
import type { Module } from '../module.ts';
import { withinCut, type Executor, type ToolCut, type ToolName } from '../tools/executor.ts';
import { bytesOf, isFile, isJson, isText, type FileAnswer } from '../tools/file-answer.ts';
import type { ToolDescription } from '../tools/operation.ts';
import { inTurns } from '../turns.ts';
import { version } from '../version.ts';
import { notAnObject } from './call-message.ts';

/** The toolsets that MCP offers by default: those of the modules with instructions for agents. */
export const defaultToolsets = (modules: readonly Module[]): readonly string[] =>
  modules.filter((module) => module.mcpInstructions).map(({ name }) => name);

/** The instructions of each module, if all tools that they name are offered. */
const instructionsOf = ({ modules, cut }: Offer): string =>
  [
    ...modules.flatMap(({ mcpInstructions: text }) =>
      text === undefined || notOffered(text, { modules, cut }).length > 0 ? [] : [text],
    ),
    'A failed call says after "Tip:" how to repair it.',
  ].join(' ');

export interface Offer {
  readonly modules: readonly Module[];
  readonly cut: ToolCut;
}

/** The tools that a text names but that are not offered. */
function notOffered(text: string, { modules, cut }: Offer): readonly ToolName[] {
  const words = new Set(text.match(/[a-z]+(?:-[a-z]+)+/g));
  return modules.flatMap(toolNamesOf).filter((tool) => words.has(tool.name) && !withinCut(tool, cut));
}

/** The tip. If it names a tool that the agent does not have, it says so. */
function tipFor({ tip }: Fault, offer: Offer): string {
  const missing = notOffered(tip, offer);
  if (missing.length === 0) return tip;
  const named = missing.map(({ name, toolset }) => `${name} (toolset ${toolset})`).join(', ');
  return `${tip} Not offered here: ${named}; the administrator of this server can add it with --toolsets or --tools.`;
}

/** A Model Context Protocol server. It uses the SDK's low-level server: the high-level one accepts only Zod schemas. */
export function mcpServer(executor: Executor, { log, ...offer }: Offer & { readonly log: Log }): Server {
  const server = new Server(
    { name: 'trivet', title: 'Trivet', version },
    {
      capabilities: { tools: {} },
      instructions: instructionsOf(offer),
      // Only elicitation validates data, and this server never elicits. The default would load a validator per server.
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
      if (notAnObject in (params.arguments ?? {})) {
        throw fail.INVALID_REQUEST('The arguments of a tool are one JSON object.', {
          cause: 'arguments',
          tip: `Send "arguments" as an object, e.g. {"projectId": 1}; "tools/list" shows what ${params.name.slice(0, 64)} takes.`,
        });
      }
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
      // An unknown tool is a protocol error. Every other error is a result that the agent can read.
      if (fault.code === 'UNKNOWN_TOOL')
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${fault.message}`);
      return failure(fault, offer);
    }
  });
  return server;
}

/** The data as compact JSON text, and as an object for clients that read structured content. */
function success(data: unknown): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: data as Record<string, unknown>,
  };
}

/** No model reads more, and a result of MCP is one text that is created in one step (4 MiB: about 40 ms). */
const fileBytes = 4 * 1024 * 1024;

/**
 * A file as a result. JSON is returned like other data, any other file as an embedded resource (text unchanged, bytes in base64)
 * with its name and media type as text.
 * @throws Fault ANSWER_TOO_LARGE.
 */
async function fileContent(file: FileAnswer): Promise<CallToolResult> {
  const bytes = await bytesOf(file, fileBytes);
  if (isJson(file)) {
    const scan = new JsonScan({ depth: Infinity, tokens: Infinity });
    scan.take(bytes);
    return success(await inTurns(parsePieces(bytes, scan)));
  }
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

/** docs/contract.md, Tool results: marker, `Error:`, message, a blank line, marker, `Tip:`, guidance. */
function failure(fault: Fault, offer: Offer): CallToolResult {
  return {
    content: [{ type: 'text', text: `❌ Error: ${fault.message}\n\n💡 Tip: ${tipFor(fault, offer)}` }],
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
