import { fail, type Fault } from '../base/errors.ts';
import { asFault, isEndedBy } from '../base/foreign-errors.ts';
import { isObject, JsonScan, parsePieces } from '../json/json-scan.ts';
import { errorFields, type Log } from '../base/log.ts';
import type { CallOptions, Executor } from '../tools/executor.ts';
import { bytesOf, isFile, isJsonFile, isTextFile, type FileAnswer } from '../tools/file-answer.ts';
import type { ToolDescription } from '../tools/tool-description.ts';
import { inTurns } from '../base/turns.ts';
import { version } from '../base/version.ts';
import { notAnObject } from './readable-message.ts';
import { aboutOf } from './consent-question.ts';
import { mcpContext, type McpContext } from './mcp-context.ts';
import { ownLine } from './own-line.ts';
import { shortenInput, shortenOutput, type Said } from './shown-schema.ts';
import { elsewhere, instructionsOf, tipFor, type ToolOffer } from './tool-offer.ts';

/** A tool as listed by `tools/list`. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { type: 'object'; [keyword: string]: unknown };
  readonly outputSchema?: { type: 'object'; [keyword: string]: unknown };
  /** Hints that differ from the defaults of the protocol. */
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly destructiveHint?: false;
    readonly idempotentHint?: true;
    readonly openWorldHint: false;
  };
}

type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | {
      type: 'resource';
      resource:
        | { uri: string; mimeType: string; text: string }
        | { uri: string; mimeType: string; blob: string };
    };

/** The result of a call. */
interface ToolResult {
  [key: string]: unknown;
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** What a caller is offered over MCP, in terms that all versions of the protocol share. An adapter of an era serves it. */
export interface McpTools {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions: string;
  /** Resources and prompts. */
  readonly context: McpContext;
  list(): Promise<ListedTool[]>;
  /**
   * Runs a tool. A failure is a result that the agent can read.
   * @param given its arguments, as {@link readableMessage} has left them.
   * @throws UnknownTool: an error of the protocol.
   */
  call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    options: CallOptions & Asking,
  ): Promise<ToolResult>;
}

/** Asks the user of the client; absent if the client cannot (capability `elicitation`). */
interface Asking {
  /**
   * Whether the person agrees.
   * @throws NotAskedYet when the response to this call is the question itself. The client repeats the call with the reply.
   */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
  /** The client has already asked, and repeats the call. */
  readonly wasAsked?: boolean;
}

/** The question has to be sent first. */
export class NotAskedYet extends Error {
  override readonly name = 'NotAskedYet';
  constructor(readonly question: string) {
    super('the person is asked first');
  }
}

/** The tool does not exist. All versions of the protocol respond with the error -32602. */
export class UnknownTool extends Error {
  override readonly name = 'UnknownTool';
}

/** The tools of an executor. */
export function mcpTools(executor: Executor, { log, ...offer }: ToolOffer & { readonly log: Log }): McpTools {
  return {
    serverInfo: { name: 'trivet', title: 'Trivet', version },
    instructions: instructionsOf(offer),
    context: mcpContext(executor, offer.modules),
    list: async () => {
      const said: Said = new Set();
      return (await executor.tools()).map((tool) => toolOf(tool, said));
    },
    call: async (name, given, options) => {
      try {
        if (notAnObject in given) {
          throw fail.INVALID_REQUEST('The arguments of a tool are one JSON object.', {
            cause: 'arguments',
            tip: `Send "arguments" as an object, e.g. {"projectId": 1}; "tools/list" shows what ${name.slice(0, 64)} takes.`,
          });
        }
        const { ask, wasAsked = false, ...rest } = options;
        if (ask) await requireConsent(executor, { name, given, ask, wasAsked }, rest);
        const data = await executor.call(name, await shortened(executor, name, given), rest);
        return isFile(data) ? await fileContent(data) : success(data);
      } catch (error) {
        if (error instanceof NotAskedYet) throw error;
        const fault = asFault(error);
        // The storage itself logs its failures, once a minute.
        if (fault.code === 'INTERNAL' && !isEndedBy(options.signal, error))
          log.error('tool_failed', { tool: name.slice(0, 64), ...errorFields(error) });
        if (fault.code === 'UNKNOWN_TOOL')
          throw new UnknownTool(`Unknown tool: ${elsewhere(name, offer) ?? fault.message}`);
        return failure(fault, offer);
      }
    },
  };
}

/** The default `limit` of a list: 50 tests cost a model 9,600 tokens (measured), and most questions need only a few. */
const rowsOverMcp = 20;

/** The arguments with the default page and fields of a model. */
async function shortened(
  executor: Executor,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const tool = await executor.tool(name);
  const parameters = (tool?.inputSchema['properties'] ?? {}) as Readonly<Record<string, object>>;
  const limit = 'limit' in parameters && given['limit'] === undefined ? { limit: rowsOverMcp } : {};
  const fields = tool?.briefly !== undefined && given['fields'] === undefined ? { fields: tool.briefly } : {};
  return { ...given, ...limit, ...fields };
}

interface Consent extends Required<Asking> {
  readonly name: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly ask: (question: string) => Promise<boolean>;
}

/**
 * Asks the person before a tool that requires confirmation. A dry run comes first, so that nobody is asked about a call that would be
 * refused anyway.
 * @throws Fault NOT_CONFIRMED, or what the dry run throws.
 */
async function requireConsent(
  executor: Executor,
  { name, given, ask, wasAsked }: Consent,
  options: CallOptions,
): Promise<void> {
  if (given['dryRun'] === true) return;
  const tool = await executor.tool(name);
  if (tool?.confirm === undefined) return;
  if (!wasAsked) {
    const { signal, idempotencyKey } = options;
    // With the key: a call that is repeated would be refused for what it has done itself, e.g. deleted.
    await executor.call(
      name,
      { ...given, dryRun: true },
      { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
    );
  }
  if (await ask(`${tool.title}${aboutOf(given)}? ${tool.confirm}`)) return;
  throw fail.NOT_CONFIRMED(`The person did not agree to ${name}, so nothing was written.`);
}

/** The data as compact JSON text, and as an object for clients that read structured content. */
function success(data: unknown): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: data as Record<string, unknown>,
  };
}

/** The maximum result: no model reads more, and an MCP result is a single text that is created in one step (4 MiB: about 40 ms). */
const fileBytes = 4 * 1024 * 1024;

/** The maximum image that is shown to the model; a larger one is returned as a file. */
const imageBytes = 1024 * 1024;

/**
 * A file as a result. A JSON object is returned like other data, any other file as an embedded resource (text unchanged, bytes in base64, a small image as an image)
 * with its name and media type as text, and where the list continues of which it has a part.
 * @throws Fault ANSWER_TOO_LARGE.
 */
async function fileContent(file: FileAnswer): Promise<ToolResult> {
  const bytes = await bytesOf(file, fileBytes);
  const data = isJsonFile(file) ? await objectIn(bytes) : undefined;
  if (data) return success(data);
  const { name, mediaType, stored, part } = file;
  const described = { name, mediaType, bytes: bytes.byteLength, ...part };
  if (stored?.isImage && bytes.byteLength <= imageBytes)
    return {
      content: [
        { type: 'text', text: JSON.stringify(described) },
        { type: 'image', data: bytes.toString('base64'), mimeType: mediaType },
      ],
      structuredContent: described,
    };
  const content = isTextFile(file) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
  return {
    content: [
      { type: 'text', text: JSON.stringify(described) },
      { type: 'resource', resource: { uri: `trivet://files/${name}`, mimeType: mediaType, ...content } },
    ],
    structuredContent: described,
  };
}

/** The object that a JSON text is; undefined for any other text, e.g. a list that somebody attached: data over MCP is an object. */
async function objectIn(text: Uint8Array): Promise<object | undefined> {
  const scan = new JsonScan({ depth: Infinity, tokens: Infinity });
  scan.take(text);
  try {
    const data = await inTurns(parsePieces(text, scan));
    return isObject(data) ? data : undefined;
  } catch (error) {
    // A TypeError for bytes that are no UTF-8.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** docs/contract.md, Tool results: marker, `Error:`, message, a blank line, marker, `Tip:`, guidance. */
function failure(fault: Fault, offer: ToolOffer): ToolResult {
  return {
    content: [
      {
        type: 'text',
        text: `❌ Error: ${ownLine(fault.message)}\n\n💡 Tip: ${ownLine(tipFor(fault, offer))}`,
      },
    ],
    isError: true,
  };
}

function toolOf(tool: ToolDescription, said: Said): ListedTool {
  const { name, title, description, inputSchema, outputSchema } = tool;
  return {
    name,
    title,
    description,
    inputSchema: shortenInput(inputSchema, said) as { type: 'object' },
    ...(outputSchema === undefined
      ? {}
      : { outputSchema: shortenOutput(outputSchema) as { type: 'object' } }),
    annotations: { ...hintsOf(tool), openWorldHint: false },
  };
}

/**
 * The protocol's defaults: not read-only, destructive, not idempotent. The last two do not apply to read-only tools. Everything except
 * "only additive updates" is destructive (2025-11-25, ToolAnnotations), even a change of a name.
 */
const hints = {
  read: { readOnlyHint: true },
  create: {},
  update: { idempotentHint: true },
  delete: { idempotentHint: true },
} as const;

const hintsOf = ({ effect, additive = effect === 'create' }: ToolDescription) => ({
  ...hints[effect],
  ...(additive ? { destructiveHint: false as const } : {}),
});
