import type { McpTools } from './mcp-tools.ts';

/** A connection on which a client and this server exchange messages, e.g. stdin and stdout. */
export interface Session {
  /** Takes a message of the client. @throws NotAMessage. */
  receive(message: unknown): void;
  close(): Promise<void>;
}

/** What came is no message of JSON-RPC. */
export class NotAMessage extends Error {
  override readonly name = 'NotAMessage';
}

/** What a session needs: where its messages go, and who hears of errors that no message can tell. */
export interface SessionOptions {
  readonly send: (message: object) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Names in `_meta` that are not the protocol's have a prefix (2025-11-25, General fields). */
export const idempotencyKeyName = 'trivet/idempotencyKey';

/** The idempotency key of a call, if its client gives one. What is no text is refused by the check of keys. */
export function idempotencyKeyIn(meta: unknown): { readonly idempotencyKey?: string } {
  const key = fieldsOf(meta)[idempotencyKeyName];
  return key === undefined ? {} : { idempotencyKey: typeof key === 'string' ? key : '' };
}

/** Whether a client with these capabilities can show a form to its person: `elicitation` without a mode is a form. */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = fieldsOf(capabilities)['elicitation'];
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

/**
 * The versions of the protocol that one SDK speaks. Only the adapters (`era-….ts`) know an SDK. An era ends by deleting its adapter
 * and its line below.
 */
export interface Era {
  /** Serves a connection. */
  open(tools: McpTools, options: SessionOptions): Promise<Session>;
  /**
   * Answers one request over Streamable HTTP.
   * @param body its message, or undefined when its Content-Type is not JSON: the SDK refuses it.
   */
  answer(tools: McpTools, request: Request, body: unknown): Promise<Response>;
}

/** Each era is loaded when it is chosen: an SDK takes 20 to 30 ms (docs/decisions/start.md). */
export const eras = {
  /** Versions up to 2025-11-25: a session begins with `initialize`. */
  sessions: async (): Promise<Era> => (await import('./era-2025.ts')).era2025,
  /** Version 2026-07-28: there are no sessions. */
  requests: async (): Promise<Era> => (await import('./era-2026.ts')).era2026,
};

export type EraName = keyof typeof eras;

/** The last version that begins with `initialize`. Versions are dates. */
const lastOfSessions = '2025-11-25';

/** The era of a request over HTTP, by its header, and without one by its message. */
export function eraOfRequest(request: Request, message: unknown): EraName {
  const version = request.headers.get('mcp-protocol-version');
  if (version !== null && /^\d{4}-\d\d-\d\d$/.test(version))
    return version > lastOfSessions ? 'requests' : 'sessions';
  return eraOfMessage(message);
}

/** The era of a message: since 2026-07-28 each request names its version, and a client may ask first which ones are served. */
export function eraOfMessage(message: unknown): EraName {
  const { method, params } = fieldsOf(message);
  const meta = fieldsOf(fieldsOf(params)['_meta']);
  return method === discover || 'io.modelcontextprotocol/protocolVersion' in meta ? 'requests' : 'sessions';
}

const discover = 'server/discover';

/** Whether a message only asks which versions are served. The client may go on in either era. */
export const isProbe = (message: unknown): boolean => fieldsOf(message)['method'] === discover;

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
