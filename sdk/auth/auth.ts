import { environmentOf, type Environment, type TrivetOptions } from '../base/environment.ts';
import type { Ready } from '../base/ready.ts';
import { failureOf, send, type Answer } from '../base/request.ts';
import { refresher } from './refresh.ts';
import { sessionKeeper } from './session-keeper.ts';
import { shown, type Session } from './session.ts';
import { signInCalls, type SignIn } from './sign-in.ts';
import { sessionsToEnd } from './sessions-to-end.ts';

export type { Lifecycle, Trouble, TrivetOptions } from '../base/environment.ts';
export type { TrivetError } from '../base/failure.ts';
export type { TrivetStorage } from '../base/storage.ts';
export type { Session } from './session.ts';
export type { Identity, SignIn } from './sign-in.ts';

export interface Auth extends SignIn {
  identities(): Promise<ReadonlyArray<{ readonly identityId: string; readonly provider: string }>>;
  unlink(identityId: string): Promise<void>;
  /** From memory. With an asynchronous storage null until it was read; `change` tells. */
  session(): Session | null;
  /** The live sessions of the user, as the server lists them. */
  sessions(): Promise<ReadonlyArray<Readonly<Record<string, unknown>> & { readonly sessionId: string }>>;
  endSession(sessionId: string): Promise<void>;
  /**
   * A live access token, refreshed if needed; null: nobody is signed in. @param options.minTtl seconds that it should still live.
   * @throws TrivetError while the token has expired and cannot be refreshed. The session stays.
   */
  accessToken(options?: { readonly minTtl?: number }): Promise<string | null>;
  /**
   * Like `fetch`, with the access token, so only for servers that may see it. After a 401 one refresh and one repeat. Rejects while
   * the token cannot be refreshed.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Is told the new session, or null, whenever it begins, changes or ends. @returns its own removal. */
  on(event: 'change', listener: (session: Session | null) => void): () => void;
  dispose(): void;
}

/** Sign-in for an app. Touches nothing until it is used. */
export const createAuth = (options: TrivetOptions): Auth => authIn(environmentOf(options));

/** @param lastWords sends what a user has not sent before their session ends. */
export function authIn(
  environment: Environment,
  lastWords: () => Promise<unknown> = async () => {},
): Auth & { open(): Ready<unknown>; fetching(userId: string): Environment['fetch'] | undefined } {
  const keeper = sessionKeeper(environment);
  const tokens = refresher(keeper);
  const authorized: Auth['fetch'] = (input, init) =>
    sentWith(
      tokens,
      (token) => withToken(environment, token)(input, init),
      ({ status }) => status === 401,
    );
  const toEnd = sessionsToEnd(environment, `${keeper.key}-to-end`);

  /** A request for the signed-in user. @throws TrivetError unless it succeeds. */
  async function asked(method: string, path: string, body?: object): Promise<Answer> {
    await tokens.token(0);
    keeper.present();
    const json = body && JSON.stringify(body);
    const answer = await sentWith(
      tokens,
      (token) => send(environment, `/v1/auth/${path}`, { method, json }, withToken(environment, token)),
      // Not if the ID token of a link was refused.
      (refused) => failureOf(refused, environment).code === 'UNAUTHENTICATED',
    );
    if (answer.status !== 200) throw failureOf(answer, environment);
    return answer;
  }
  const listed = async (name: string) => ((await asked('GET', name)).body[name] ?? []) as never;
  keeper.onOpen(toEnd.endAll);

  const others: Omit<Auth, keyof SignIn> = {
    identities: async () => {
      const identities: ReadonlyArray<{ readonly identityId: unknown; readonly provider: string }> =
        await listed('identities');
      return identities.map((one) => Object.assign({}, one, { identityId: String(one.identityId) }));
    },
    unlink: async (id) => void (await asked('DELETE', `identities/${encodeURIComponent(id)}`)),
    session: () => {
      void keeper.open();
      return keeper.view();
    },
    sessions: () => listed('sessions'),
    endSession: async (id) => void (await asked('DELETE', `sessions/${encodeURIComponent(id)}`)),
    accessToken: ({ minTtl = 0 } = {}) => tokens.token(minTtl * 1000),
    fetch: authorized,
    on: (_event, listener) => {
      void keeper.open();
      return keeper.on(listener);
    },
    dispose: keeper.dispose,
  };
  return Object.assign(others, signInCalls(keeper, toEnd, asked, lastWords), {
    open: keeper.open,
    /** How the requests of a user are sent who is signed in, or is just signing out. */
    fetching: (userId: string): Environment['fetch'] | undefined => {
      const { leaving } = keeper;
      if (keeper.view()?.userId === userId) return authorized;
      return leaving && shown(leaving).userId === userId ? withToken(environment, leaving.access) : undefined;
    },
  });
}

const withToken =
  (environment: Environment, token: string | null): Auth['fetch'] =>
  (input, init = {}) => {
    const request = typeof input === 'object' && 'clone' in input ? input : undefined;
    const headers = new Headers(init.headers ?? request?.headers);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    return environment.fetch((request?.clone() ?? input) as string, Object.assign({}, init, { headers }));
  };

/** Sends with the access token, and once more with a fresh one if the first was refused. @throws TrivetError if none can be had. */
async function sentWith<T>(
  tokens: ReturnType<typeof refresher>,
  sent: (token: string | null) => Promise<T>,
  isRefused: (answer: T) => boolean,
): Promise<T> {
  const token = await tokens.token(0);
  const answer = await sent(token);
  if (token === null || !isRefused(answer)) return answer;
  const next = await tokens.refreshed(token);
  return next && next.access !== token ? sent(next.access) : answer;
}
