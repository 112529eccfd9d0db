import type { Session } from '../auth/auth.ts';
import type { Action, UserChange } from '../cta/cta.ts';
import type { Trivet } from '../trivet/trivet.ts';

/** What the hooks share below one provider. It listens to Trivet only while something is mounted. */
export interface Shared {
  readonly subscribe: (changed: () => void) => () => void;
  readonly session: () => Session | null;
  readonly action: () => Action | null;
  readonly dismiss: () => void;
  readonly listen: (listener: (action: Action) => void) => () => void;
  readonly track: Trivet['cta']['track'];
}

export function sharedOf({ auth, cta }: Trivet): Shared {
  const listeners = new Set<() => void>();
  let session: Session | null = null;
  let action: Action | null = null;
  let release = () => {};
  const changed = () => listeners.forEach((listener) => listener());
  const become = (next: Action | null) => {
    action = next;
    changed();
  };
  /** What somebody was shown is not for the next one; a guest who became a user by a link is the same person. */
  const follow = ({ before }: UserChange) => {
    if (before !== null && before !== auth.session()?.mergedFrom) become(null);
  };
  return {
    subscribe: (listener) => {
      // An entry of its own, also if a component passes the same function twice.
      const entry = () => listener();
      if (listeners.size === 0) {
        const removals = [auth.on('change', changed), cta.on('action', become), cta.on('user', follow)];
        release = () => removals.forEach((remove) => remove());
      }
      listeners.add(entry);
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) release();
      };
    },
    // React compares snapshots by identity, and a client may answer a new object each time.
    session: () => {
      const next = auth.session();
      if (JSON.stringify(next) !== JSON.stringify(session)) session = next;
      return session;
    },
    action: () => action,
    dismiss: () => become(null),
    listen: (listener) => cta.on('action', listener),
    track: (name, properties) => cta.track(name, properties),
  };
}
