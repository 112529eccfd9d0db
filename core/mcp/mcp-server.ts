import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { asFault } from '../foreign-errors.ts';
import { Fault, fail } from '../errors.ts';
import { toolNamesOf } from '../kernel/module-loading.ts';
import { withinCut, type Executor, type ToolCut, type ToolName } from '../tools/executor.ts';
import { bytesOf, isFile, isJson, isText, type FileAnswer } from '../tools/file-answer.ts';
import { errorFields, type Log } from '../log.ts';
import { JsonScan, parsePieces } from '../json/json-scan.ts';
import type { Module } from '../module.ts';
import type { ToolDescription } from '../tools/operation.ts';
import { notAnObject } from './call-message.ts';
import { inTurns } from '../turns.ts';
import { version } from '../version.ts';

/** What MCP offers when nobody asked for other toolsets: those of the modules that say how an agent works with them. */
export const defaultToolsets = (modules: readonly Module[]): readonly string[] =>
  modules.filter((module) => module.mcpInstructions).map(({ name }) => name);

/** How the tools of each module work together, as far as all that are named are offered. */
const instructionsOf = ({ modules, cut }: Offer): string =>
  [
    ...modules.flatMap(({ mcpInstructions: text }) =>
      text === undefined || notOffered(text, { modules, cut }).length > 0 ? [] : [text],
    ),
    'A failed call says after "Tip:" how to repair it.',
  ].join(' ');

/** What a client is offered. */
export interface Offer {
  readonly modules: readonly Module[];
  readonly cut: ToolCut;
}

/** The tools that a text names and that are not offered. */
function notOffered(text: string, { modules, cut }: Offer): readonly ToolName[] {
  const words = new Set(text.match(/[a-z]+(?:-[a-z]+)+/g));
  return modules.flatMap(toolNamesOf).filter((tool) => words.has(tool.name) && !withinCut(tool, cut));
}

/** A tip must not send an agent to a tool that it does not have without a word. */
function tipFor({ tip }: Fault, offer: Offer): string {
  const missing = notOffered(tip, offer);
  if (missing.length === 0) return tip;
  const named = missing.map(({ name, toolset }) => `${name} (toolset ${toolset})`).join(', ');
  return `${tip} Not offered here: ${named}; whoever configured this server can add it with --toolsets or --tools.`;
}

/**
 * A Model Context Protocol server over an executor. The SDK's high-level server takes only Zod schemas; ours are JSON
 * Schema already, so this is its low-level one.
 */
export function mcpServer(executor: Executor, { log, ...offer }: Offer & { readonly log: Log }): Server {
  const server = new Server(
    { name: 'trivet', title: 'Trivet', version },
    {
      capabilities: { tools: {} },
      instructions: instructionsOf(offer),
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
      // An unknown tool is a fault of the protocol; everything else is a result that the agent can read and repair.
      if (fault.code === 'UNKNOWN_TOOL')
        throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${fault.message}`);
      return failure(fault, offer);
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

/** No model reads more, and an answer of MCP is one text that is made in one go (4 MiB: about 40 ms). */
const fileBytes = 4 * 1024 * 1024;

/**
 * A file: JSON is answered as any other data, the rest as an embedded resource (text as it is, bytes in base64) beside a
 * line that says what it is.
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

/** Specification, Errors rule 5: marker, `Error:`, message, a blank line, marker, `Tip:`, guidance. */
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
