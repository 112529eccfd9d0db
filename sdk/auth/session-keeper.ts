import { emitter } from '../base/emitter.ts';
import type { Environment } from '../base/environment.ts';
import { failure } from '../base/failure.ts';
import { whenReady, type Ready } from '../base/ready.ts';
import { failureOf, type Answer } from '../base/request.ts';
import {
  parseSession,
  remaining,
  sessionOf,
  sessionText,
  shown,
  type Session,
  type StoredSession,
} from './session.ts';

export type SessionKeeper = ReturnType<typeof sessionKeeper>;

/** Milliseconds before its end at which an access token is replaced. */
export const lead = ({ ttl }: StoredSession): number => Math.min(60_000, ttl / 10);

/** The session in memory, and the timer of its refresh. */
function heldSession(environment: Environment) {
  const changes = emitter<Session | null>(environment);
  let current: StoredSession | null = null;
  let view: Session | null = null;
  let cancelTimer = () => {};
  let disposed = false;
  let due: () => unknown = () => {};

  const left = (session: StoredSession) => remaining(session, environment.now(), environment.uptime());
  function schedule(delay: number): void {
    cancelTimer();
    if (!disposed) cancelTimer = environment.later(Math.max(delay, 100), () => due());
  }
  return {
    left,
    schedule,
    current: () => current,
    view: () => view,
    on: changes.on,
    due: () => due(),
    /** What is done when the token is due. */
    onDue(work: () => unknown) {
      due = work;
    },
    become(next: StoredSession | null): void {
      const isOther = current?.access !== next?.access;
      current = next;
      cancelTimer();
      if (next) schedule(left(next) - lead(next) - environment.random() * Math.min(5_000, lead(next)));
      if (!isOther) return;
      view = next && shown(next);
      changes.emit(view);
    },
    stop() {
      disposed = true;
      cancelTimer();
    },
  };
}

/** The session in memory and in storage, which tabs share. */
export function sessionKeeper(environment: Environment) {
  const { storage } = environment;
  const held = heldSession(environment);
  const key = `trivet:${encodeURIComponent(environment.tenantId)}:session`;
  let loading: Ready<unknown>;
  let release: ReadonlyArray<() => void> | undefined;
  let opened: () => unknown = () => {};

  /** Takes what storage holds; a session that is ours keeps its time on the clock of the process. */
  function take(text: string | null | undefined): StoredSession | null {
    // A storage that cannot be read now says nothing: memory takes its place.
    if (text === undefined) return held.current();
    const stored = parseSession(text);
    if (text && !stored) {
      environment.report('CORRUPT_STORAGE', 'The stored session cannot be read: sign in again.');
    }
    if (stored?.access !== held.current()?.access) held.become(stored);
    return held.current();
  }
  /** First look, then ask: another tab may have refreshed while this one slept. */
  function seen(visible: boolean): void {
    if (!visible) return;
    void whenReady(storage.get(key), (text) => {
      const session = take(text);
      if (session && held.left(session) <= lead(session)) held.due();
    });
  }

  return Object.assign(held, {
    /** The one that was signed out here, while the server has not been told. */
    leaving: null as StoredSession | null,
    key,
    environment,
    take,
    onOpen(work: () => unknown) {
      opened = work;
    },
    /** Reads the storage, once. */
    open(): Ready<unknown> {
      if (release) return loading;
      release = [
        storage.subscribe((changed, value) => {
          if (changed === key) take(value);
        }),
        environment.lifecycle(seen),
      ];
      return (loading = whenReady(storage.get(key), (text) => {
        take(text);
        void opened();
      }));
    },
    /** @throws TrivetError if nobody is signed in. */
    present(): Session {
      const session = held.view();
      if (!session) throw failure('UNAUTHENTICATED', 'Nobody is signed in.', 401);
      return session;
    },
    /** @throws TrivetError if the answer has no tokens. */
    sessionIn(answer: Answer): StoredSession {
      const next = sessionOf(answer.body, environment.now(), environment.uptime());
      if (answer.status !== 200 || !next) throw failureOf(answer, environment);
      return next;
    },
    commit(next: StoredSession): StoredSession {
      const isOther = held.view()?.userId !== shown(next).userId;
      storage.set(key, sessionText(next), isOther);
      held.become(next);
      return next;
    },
    dispose() {
      held.stop();
      for (const remove of release ?? []) remove();
    },
  });
}
