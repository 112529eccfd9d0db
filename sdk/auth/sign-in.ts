import { send, type Answer } from '../base/request.ts';
import { within } from '../base/timer.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { shown, sidOf, type Session } from './session.ts';
import type { SessionsToEnd } from './sessions-to-end.ts';

/** The proof of an identity provider. */
export interface Identity {
  /** The name of the provider in the server's configuration, e.g. `google`. */
  readonly provider: string;
  readonly idToken: string;
}

/** The latest of `signIn`, `signInAsGuest`, `link` and `signOut` decides; what an earlier one still gets is not taken. */
export interface SignIn {
  /** Exchanges an ID token for a session. @throws TrivetError, e.g. INVALID_ID_TOKEN, ACCESS_DENIED, UNREACHABLE. */
  signIn(identity: Identity & { readonly resources?: readonly string[] }): Promise<Session>;
  /** A session for somebody who has not signed in (server: `--guests`). Keeps a session that exists. */
  signInAsGuest(options?: { readonly resources?: readonly string[] }): Promise<Session>;
  /**
   * Gives the signed-in user one more identity; a guest becomes a user and keeps the id. If the identity is another user's:
   * `IDENTITY_IN_USE`, or with `switch` the session becomes that user's, who gets the guest's state.
   */
  link(identity: Identity & { readonly onConflict?: 'fail' | 'switch' }): Promise<Session>;
  /**
   * Ends the session here at once, and on the server after what is unsent was sent; without network at the next start. With `everywhere`
   * all sessions of the user end; if the server does not confirm that, nothing ends. @throws TrivetError, with `everywhere` only.
   */
  signOut(options?: { readonly everywhere?: boolean }): Promise<void>;
}

/** Milliseconds that a sign-out waits for the server. */
const patience = 2_000;

/** Numbers calls: the latest decides, in whichever order the answers come. */
function latestCall(keeper: SessionKeeper, toEnd: SessionsToEnd) {
  let calls = 0;
  let decided = 0;
  /** @returns whether no later call has decided. */
  function decides(call: number): boolean {
    if (call < decided) return false;
    decided = call;
    return true;
  }
  /** Takes the tokens of an answer if its call decides. @throws TrivetError if it has none, or nobody is signed in. */
  function settled(call: number, answer: Answer): Session {
    const next = keeper.sessionIn(answer);
    if (decides(call)) return shown(keeper.commit(next));
    const current = keeper.current();
    // Nobody will hold its tokens.
    if (!current || sidOf(current) !== sidOf(next)) void toEnd.end(next.refresh);
    return keeper.present();
  }
  return { begin: () => ++calls, decides, settled };
}

/**
 * The calls that begin or end a session.
 * @param asked sends a request for the signed-in user. @param lastWords sends what the app has not sent for this user.
 */
export function signInCalls(
  keeper: SessionKeeper,
  toEnd: SessionsToEnd,
  asked: (method: string, path: string, body?: object) => Promise<Answer>,
  lastWords: () => Promise<unknown>,
): SignIn {
  const { environment } = keeper;
  const { begin, decides, settled } = latestCall(keeper, toEnd);
  let guest: Promise<Session> | undefined;

  /** @returns whether the user is still the one of now. */
  function sameUser(): () => boolean {
    const userId = keeper.view()?.userId;
    return () => keeper.view()?.userId === userId;
  }
  async function signedIn(path: string, body: object, call: number): Promise<Session> {
    await keeper.open();
    return settled(call, await send(environment, `/v1/auth/${path}`, { json: JSON.stringify(body) }));
  }

  return {
    signIn: ({ provider: idProvider, idToken: identifier, resources = [] }) => {
      const request = { responseType: 'token', grantType: 'id_token', identifier, idProvider, resources };
      return signedIn('social/authenticate', request, begin());
    },
    signInAsGuest: async ({ resources = [] } = {}) => {
      const call = begin();
      await keeper.open();
      const session = keeper.view();
      if (session) return session;
      const flight = (guest ??= signedIn('guest', { resources }, call));
      try {
        return await flight;
      } finally {
        if (guest === flight) guest = undefined;
      }
    },
    link: async ({ provider: idProvider, idToken: identifier, onConflict = 'fail' }) => {
      const call = begin();
      await keeper.open();
      const isStill = sameUser();
      // While the token of a guest still lives.
      await lastWords();
      // The identity must not become that of somebody else.
      if (!isStill()) return keeper.present();
      const answer = await asked('POST', 'link', { idProvider, identifier, onConflict });
      // Another tab may have signed out or in: that is later than this.
      return settled(isStill() ? call : -1, answer);
    },
    signOut: async ({ everywhere = false } = {}) => {
      const call = begin();
      await keeper.open();
      const session = keeper.current();
      const isStill = sameUser();
      // A guest has this session alone.
      const isEverywhere = everywhere && !keeper.view()?.isGuest;
      const sent = session ? within(patience, lastWords()) : undefined;
      if (session && isEverywhere) {
        await sent;
        if (isStill()) await asked('DELETE', 'sessions');
      }
      if (!isStill() || !decides(call)) return;
      guest = undefined;
      if (!session) return;
      // First here: the app may leave the page without waiting. The last words go with the token that still lives.
      keeper.leaving = session;
      await environment.storage.remove(keeper.key);
      keeper.become(null);
      if (!isEverywhere) await within(patience, toEnd.end(session.refresh, sent));
      if (keeper.leaving === session) keeper.leaving = null;
    },
  };
}
