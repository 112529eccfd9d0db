import type { Era } from './era-adapter.ts';
import { membersOf } from './message-members.ts';

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

/** The era of a message: since 2026-07-28 each request names its version, and a client may first ask for the supported ones. */
export function eraOfMessage(message: unknown): EraName {
  const { method, params } = membersOf(message);
  const meta = membersOf(membersOf(params)['_meta']);
  return method === discover || 'io.modelcontextprotocol/protocolVersion' in meta ? 'requests' : 'sessions';
}

const discover = 'server/discover';

/** Whether a message only asks for the supported versions. The client may then continue in either era. */
export const isProbe = (message: unknown): boolean => membersOf(message)['method'] === discover;
