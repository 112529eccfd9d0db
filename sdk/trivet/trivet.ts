import { authIn, type Auth } from '../auth/auth.ts';
import { environmentOf, type TrivetOptions } from '../base/environment.ts';
import { ctaIn, type Cta } from '../cta/cta.ts';

export type { Auth, Identity, Session, SignIn } from '../auth/auth.ts';
export type { Lifecycle, Trouble, TrivetOptions } from '../base/environment.ts';
export type { TrivetError } from '../base/failure.ts';
export { memoryStorage, type TrivetStorage } from '../base/storage.ts';
export type { Action, Cta, CtaEvents, Outcome, Preview, UserChange } from '../cta/cta.ts';

export interface Trivet {
  readonly auth: Omit<Auth, 'dispose'>;
  readonly cta: Omit<Cta, 'dispose'>;
  /** Stops timers and listeners. What is stored stays. */
  dispose(): void;
}

/** Sign-in and calls to action of one app. Touches nothing until it is used. */
export function createTrivet(options: TrivetOptions): Trivet {
  const environment = environmentOf(options);
  const auth = authIn(environment, () => cta.flush());
  const cta = ctaIn(environment, {
    userId: () => auth.session()?.userId ?? null,
    open: auth.open,
    fetching: auth.fetching,
    onChange: (listener) => auth.on('change', listener),
  });
  const link: Auth['link'] = async (identity) => {
    const session = await auth.link(identity);
    // What could not be sent as the guest belongs to the user now, as on the server.
    if (session.mergedFrom) cta.inherit(session.mergedFrom);
    return session;
  };
  return {
    auth: Object.assign({}, auth, { link }),
    cta,
    dispose: () => {
      cta.dispose();
      auth.dispose();
    },
  };
}
