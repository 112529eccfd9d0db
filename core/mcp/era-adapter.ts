import { membersOf } from './message-members.ts';
import type { McpTools } from './mcp-tools.ts';

/** A connection on which a client and this server exchange messages, e.g. stdin and stdout. */
export interface Session {
  /** Takes a message of the client. @throws NotAMessage. */
  receive(message: unknown): void;
  close(): Promise<void>;
}

/** The input is not a JSON-RPC message. */
export class NotAMessage extends Error {
  override readonly name = 'NotAMessage';
}

/** The output of a session: where to send messages, and where to report errors that no message can carry. */
interface SessionOptions {
  readonly send: (message: object) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Names in `_meta` that are not the protocol's have a prefix (2025-11-25, General fields). */
const idempotencyKeyName = 'trivet/idempotencyKey';

/** The idempotency key of a call, if its client sends one. The check of keys refuses values that are not text. */
export function idempotencyKeyIn(meta: unknown): { readonly idempotencyKey?: string } {
  const key = membersOf(meta)[idempotencyKeyName];
  return key === undefined ? {} : { idempotencyKey: typeof key === 'string' ? key : '' };
}

/** Whether a client with these capabilities can show a form to its user: `elicitation` without a mode means a form. */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = membersOf(capabilities)['elicitation'];
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

/**
 * The versions of the protocol that one SDK speaks. Only the adapters (`era-2025.ts`, `era-2026.ts`) depend on an SDK. To drop an era,
 * delete its adapter and its line in `era.ts`.
 */
export interface Era {
  /** Serves a connection. */
  open(tools: McpTools, options: SessionOptions): Promise<Session>;
  /**
   * Handles one request over Streamable HTTP.
   * @param body its message, or undefined when its Content-Type is not JSON: the SDK refuses it.
   */
  answer(tools: McpTools, request: Request, body: unknown): Promise<Response>;
}
