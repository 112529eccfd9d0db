import type { Environment } from '../base/environment.ts';
import { whenReady } from '../base/ready.ts';
import { mayPass, send } from '../base/request.ts';

/** More people than sign out of one device without network. */
const most = 20;

export type SessionsToEnd = ReturnType<typeof sessionsToEnd>;

/** The sessions that were signed out here and that the server may not know to be over: their refresh tokens, one a line. */
export function sessionsToEnd(environment: Environment, key: string) {
  const { storage } = environment;
  const own: string[] = [];
  const ended = new Set<string>();
  /** This process knows more than a storage that answers late. */
  const open = () =>
    whenReady(storage.get(key), (text) =>
      (text ?? '')
        .split('\n')
        .concat(own)
        .filter((token, at, all) => token && !ended.has(token) && all.indexOf(token) === at)
        .slice(-most),
    );
  const save = () =>
    whenReady(open(), (tokens) => {
      if (tokens.length > 0) storage.set(key, tokens.join('\n'));
      else storage.remove(key);
    });
  /** Ends a session on the server, after something else; if it cannot be reached, the next start tries again. */
  async function end(token: string, after?: Promise<unknown>): Promise<void> {
    own.push(token);
    void save();
    await after;
    const answer = await send(environment, '/v1/auth/token/revoke', { json: JSON.stringify({ token }) });
    if (mayPass(answer)) return;
    ended.add(token);
    await save();
  }
  return { end, endAll: () => whenReady(open(), (tokens) => tokens.forEach((token) => void end(token))) };
}
