import type { Environment } from '../base/environment.ts';
import { whenReady } from '../base/ready.ts';
import { backoff, send } from '../base/request.ts';

/** What a person did with a call to action, or a goal that they reached: `custom` with a `name`. */
export interface Measure {
  readonly type: 'impression' | 'click' | 'dismiss' | 'conversion' | 'custom';
  /** Absent: a goal that names no CTA counts for each. */
  readonly ctaId?: string | undefined;
  /** The arm of the user in an experiment of the CTA. */
  readonly variant?: string | undefined;
  readonly groupKey?: string | undefined;
  readonly actionId?: string | undefined;
  /** What was pressed. */
  readonly element?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: number | undefined;
}

/** Measures wait in the storage until the server has them. */
export interface MeasureQueue {
  add(measure: Measure): void;
  flush(): Promise<void>;
  /** The page may end now. */
  flushAtEnd(): void;
  stop(): void;
}

type Stored = Measure & { readonly id: string; readonly at: number };

/** The server takes 500 in a request; beyond that the oldest are dropped. */
const most = 500;
/** Milliseconds in which others may follow. */
const gathering = 1000;

function read(text: string | null | undefined): readonly Stored[] {
  try {
    const list = JSON.parse(text ?? '[]') as unknown;
    return Array.isArray(list) ? (list as Stored[]) : [];
  } catch {
    return [];
  }
}

/**
 * @param sendState sends what the user's state has that the server lacks. It goes first: the server counts an impression of a state again
 * only if it knows that the user left the state meanwhile.
 */
export function measureQueue(
  environment: Environment,
  userId: string,
  headers: Readonly<Record<string, string>>,
  fetching: Environment['fetch'],
  sendState: () => Promise<void>,
): MeasureQueue {
  const { storage, tenantId, now, later, random } = environment;
  const key = `trivet:${encodeURIComponent(tenantId)}:${userId}:measures`;
  let waiting: readonly Stored[] = [];
  let flight: Promise<void> | undefined;
  let failures = 0;
  let count = 0;
  let cancel = () => {};
  let stopped = false;

  /** With what another tab left there. An id tells the server, and us, what is the same. */
  function save(sent: ReadonlySet<string>): void {
    void whenReady(storage.get(key), (text) => {
      const own = new Set(waiting.map(({ id }) => id));
      waiting = read(text)
        .filter(({ id }) => !own.has(id))
        .concat(waiting)
        .filter(({ id }) => !sent.has(id))
        .slice(-most);
      if (waiting.length > 0) storage.set(key, JSON.stringify(waiting));
      else storage.remove(key);
    });
  }
  function wake(delay: number): void {
    cancel();
    if (!stopped) cancel = later(delay, () => void flush());
  }
  const flush = (): Promise<void> =>
    (flight ??= sendAll().finally(() => {
      flight = undefined;
    }));

  async function sendAll(): Promise<void> {
    cancel();
    if (waiting.length === 0) return;
    await sendState();
    const json = JSON.stringify({ events: waiting });
    const sent = new Set(waiting.map(({ id }) => id));
    const { status, retryAfter } = await send(environment, '/cta/events/', { json, headers }, fetching);
    // A request that is refused will be refused again. A server without the route is older than this SDK.
    const isOver = status === 200 || status === 400 || status === 404 || status === 413;
    failures = isOver ? 0 : failures + 1;
    if (isOver) save(sent);
    if (!isOver || waiting.length > 0) wake(isOver ? gathering : backoff(failures, retryAfter, random));
  }

  void whenReady(storage.get(key), (text) => {
    waiting = read(text).concat(waiting);
    if (waiting.length > 0) wake(gathering);
  });

  return {
    add(measure) {
      const id = `${now().toString(36)}-${(count++).toString(36)}-${random().toString(36).slice(2, 12)}`;
      waiting = waiting.concat(Object.assign({}, measure, { id, at: Math.trunc(now()) })).slice(-most);
      save(new Set());
      if (failures === 0) wake(gathering);
    },
    flush: async () => {
      await flight;
      await flush();
    },
    flushAtEnd() {
      if (waiting.length > 0 && !beacon(environment, userId, JSON.stringify({ events: waiting })))
        void flush();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/**
 * A request with keepalive is lost with many pages that are closed; a beacon is not. What arrives is sent again by the next page, and the
 * server knows the ids. @returns whether there are beacons.
 */
function beacon({ url, tenantId }: Environment, userId: string, text: string): boolean {
  if (typeof navigator !== 'object' || typeof navigator.sendBeacon !== 'function') return false;
  const query = `?u=${encodeURIComponent(userId)}&t=${encodeURIComponent(tenantId)}&v=1`;
  return navigator.sendBeacon(`${url}/cta/events/${query}`, text);
}
