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
};

export type EraName = keyof typeof eras;
