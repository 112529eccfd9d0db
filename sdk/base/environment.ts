import { attempt, whenReady } from './ready.ts';
import { timer } from './timer.ts';
import { memoryStorage, pageStorage, type TrivetStorage } from './storage.ts';

/** What `onError` is told: one sentence, and the thing that was thrown if there is one. */
export interface Trouble {
  /** One stable word. */
  readonly code: string;
  readonly message: string;
  readonly cause?: unknown;
}

/** Says when the app is in sight (true) and when it goes out of sight (false). @returns its own removal. */
export type Lifecycle = (listener: (visible: boolean) => void) => () => void;

export interface TrivetOptions {
  /** Where Trivet runs, e.g. `https://id.example.com`. */
  readonly url: string;
  /** Whose CTAs; `default` unless given. */
  readonly tenantId?: string;
  /** What rules may ask about the app. */
  readonly app?: {
    readonly version?: string;
    readonly packageName?: string;
    readonly platform?: string;
    readonly hotupdateVersion?: string;
  };
  /** localStorage in a page, else memory. */
  readonly storage?: TrivetStorage;
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** From 0 to less than 1. */
  readonly random?: () => number;
  /** Is told of each kind of trouble once, until it is over. The console's warning unless given. */
  readonly onError?: (trouble: Trouble) => void;
  /** That of the page unless given; React Native has its own (trivet-sdk/react-native). */
  readonly lifecycle?: Lifecycle;
  /** Runs `work` after some milliseconds; returns how to cancel it. `setTimeout` unless given. */
  readonly later?: (milliseconds: number, work: () => void) => () => void;
}

/** A storage whose methods never throw and never reject. What it cannot read is undefined; what is not there is null. */
export interface GuardedStorage extends Required<TrivetStorage> {
  /** @param orNothing if the value cannot be written, the one before must not stay. */
  set(key: string, value: string, orNothing?: boolean): unknown;
}

/** What the parts of the SDK use of the world. Nothing of it is touched before the first use. */
export interface Environment {
  /** Without a slash at the end. */
  readonly url: string;
  readonly tenantId: string;
  readonly app: NonNullable<TrivetOptions['app']>;
  readonly storage: GuardedStorage;
  fetch(input: string, init: RequestInit): Promise<Response>;
  now(): number;
  /** Milliseconds on a clock that nobody sets, where there is one. */
  uptime(): number;
  random(): number;
  /** @param isAwaited the program waits for it: Node must not end before. */
  later(milliseconds: number, work: () => void, isAwaited?: boolean): () => void;
  /** Tells `onError`, once for each code until {@link recovered}. Never throws. */
  report(code: string, message: string, cause?: unknown): void;
  recovered(code: string): void;
  /** Calls a listener of the app. What it throws is reported and stops nothing else. */
  call<Args extends readonly unknown[]>(listener: (...args: Args) => void, ...args: Args): void;
  /** Begins to listen to the life of the page or the app; a second call does nothing. */
  readonly lifecycle: Lifecycle;
}

export function environmentOf(options: TrivetOptions): Environment {
  const said = new Set<string>();
  const report = (code: string, message: string, cause?: unknown) => {
    if (said.has(code)) return;
    said.add(code);
    try {
      if (options.onError) options.onError({ code, message, cause });
      // oxlint-disable-next-line no-console -- an app that gives no onError must still learn of it.
      else console.warn(`trivet: ${message}`, cause ?? '');
    } catch {
      // An app whose report fails has nobody left to tell.
    }
  };
  return {
    url: String(options.url).replace(/\/+$/, ''),
    tenantId: options.tenantId ?? 'default',
    app: options.app ?? {},
    storage: guarded(options.storage, report),
    fetch: (input, init) => (options.fetch ?? fetch)(input, init),
    now: options.now ?? (() => Date.now()),
    uptime: () => (typeof performance === 'object' ? performance.now() : Date.now()),
    random: options.random ?? (() => Math.random()),
    later: options.later ?? timer,
    report,
    recovered: (code) => said.delete(code),
    call: (listener, ...args) => {
      try {
        listener(...args);
      } catch (error) {
        report('LISTENER_FAILED', 'A listener threw.', error);
      }
    },
    lifecycle: options.lifecycle ?? pageLifecycle,
  };
}

const pageLifecycle: Lifecycle = (listener) => {
  if (typeof document !== 'object') return () => {};
  const changed = () => listener(document.visibilityState !== 'hidden');
  const hidden = () => listener(false);
  document.addEventListener('visibilitychange', changed);
  // Safari ends a page without a visibilitychange.
  addEventListener('pagehide', hidden);
  addEventListener('online', changed);
  return () => {
    document.removeEventListener('visibilitychange', changed);
    removeEventListener('pagehide', hidden);
    removeEventListener('online', changed);
  };
};

/**
 * The storage of the app, with memory behind it: a value that cannot be written (quota, private mode) is kept in memory, which is reported
 * once, and one that is still being written is read from there.
 */
function guarded(given: TrivetStorage | undefined, report: Environment['report']): GuardedStorage {
  /** Null: removed. */
  const memory = new Map<string, string | null>();
  const failed = (error: unknown): undefined =>
    void report('STORAGE_FAILED', 'The storage cannot be used: what is new ends with this page.', error);
  let area = given;
  const opened = (): TrivetStorage => {
    try {
      // Node 25 has a localStorage as well: without events, and shared by everybody whom a process serves.
      if (!area && typeof addEventListener === 'function' && typeof localStorage === 'object')
        area = pageStorage();
    } catch (error) {
      failed(error);
    }
    return (area ??= memoryStorage());
  };
  const write = (key: string, value: string | null, work: () => unknown, orNothing = false) => {
    memory.set(key, value);
    return attempt(
      () => whenReady(work(), () => memory.get(key) === value && memory.delete(key)),
      (error) => {
        failed(error);
        // Otherwise the old value is better than none: other tabs would take its removal for a sign-out.
        return orNothing && attempt(() => opened().remove(key), failed);
      },
    );
  };
  return {
    get: (key) =>
      memory.has(key)
        ? memory.get(key)
        : attempt(() => whenReady(opened().get(key), (value) => value ?? null), failed),
    set: (key, value, orNothing) => write(key, value, () => opened().set(key, value), orNothing),
    remove: (key) => write(key, null, () => opened().remove(key)),
    subscribe: (listener) =>
      opened().subscribe?.((key, value) => {
        memory.delete(key);
        listener(key, value);
      }) ?? (() => {}),
  };
}
