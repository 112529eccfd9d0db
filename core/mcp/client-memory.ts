import { agentNameIn } from '../base/agent-name.ts';
import { perHost } from '../host/host.ts';
import type { Executor } from '../tools/executor.ts';
import { membersOf } from './message-members.ts';

/** Clients that are remembered; beyond that the one that was not heard of for longest is forgotten. */
const mostClients = 5_000;

/** The names of clients, by credential and `User-Agent`. */
const memory = perHost(() => new Map<string, string>());

/**
 * The name of the client that sends a message of an era with sessions. There `clientInfo` comes with `initialize` only, and over HTTP each
 * request is on its own: the last name of this credential and program is remembered by this process. After a restart, or on another
 * process, it is the program that the person signed in with. Clients of version 2026-07-28 say it with each request, which then counts.
 */
export function clientOfMessage(
  host: Parameters<typeof memory>[0],
  { credential, client }: { readonly credential: string; readonly client?: string },
  request: Request,
  message: unknown,
): string | undefined {
  const known = memory(host);
  const key = `${credential} ${(request.headers.get('user-agent') ?? '').slice(0, 200)}`;
  const { method, params } = membersOf(Array.isArray(message) ? message[0] : message);
  const said = method === 'initialize' ? agentNameIn(membersOf(params)['clientInfo']) : known.get(key);
  if (said !== undefined) {
    // At the end: the first key is the oldest.
    known.delete(key);
    known.set(key, said);
    const [oldest] = known.keys();
    if (known.size > mostClients && oldest !== undefined) known.delete(oldest);
  }
  return said ?? client;
}

/** An executor whose calls are of this client, unless they say another. */
export const withClient = <T extends Executor>(executor: T, client: string): T => ({
  ...executor,
  call: (tool, input, options) => executor.call(tool, input, { client, ...options }),
});
