import { alarm } from '../base/alarm.ts';
import type { Environment } from '../base/environment.ts';
import { backoff, failureOf, isRefused, send } from '../base/request.ts';
import { waitingMeasures, type Measure } from './waiting-measures.ts';

/** Measures wait in the storage until the server has them. */
export interface MeasureQueue {
  add(measure: Measure): void;
  inherit(userId: string): void;
  flush(): Promise<void>;
  /** The page may end now. */
  flushAtEnd(): void;
  stop(): void;
}

/** The characters of a request: the server takes 256 KiB, and a character has at most three bytes. */
const mostText = 85_000;
/** Milliseconds in which others may follow. */
const gathering = 1000;

/**
 * @param sendState sends what the user's state has that the server lacks. It goes first: the server counts an impression of a state again
 * only if it knows that the user left the state meanwhile.
 */
export function measureQueue(
  environment: Environment,
  userId: string,
  headers: Readonly<Record<string, string>>,
  fetching: Environment['fetch'],
  sendState: () => Promise<boolean>,
): MeasureQueue {
  let flight: Promise<void> | undefined;
  let failures = 0;
  let room = mostText;
  let stopped = false;
  const next = alarm(environment, () => flush());
  const waiting = waitingMeasures(environment, userId, () => next.ensure(gathering));

  const flush = (): Promise<void> =>
    (flight ??= sendAll().finally(() => {
      flight = undefined;
    }));

  async function sendAll(): Promise<void> {
    next.clear();
    // Not those of later: the state that goes out lacks what led to them.
    const all = waiting.all();
    if (all.length === 0) return;
    if (!(await sendState())) return next.set(backoff(++failures, 0, environment.random));
    let sent = all;
    let json;
    while ((json = JSON.stringify({ events: sent })).length > room && sent.length > 1)
      sent = sent.slice(0, sent.length >> 1);
    const answer = await send(environment, '/cta/events/', { json, headers }, fetching);
    const { status, retryAfter, body } = answer;
    const taken = body['data'] as { readonly dropped?: number } | undefined;
    // A proxy may take less than the server.
    if (status === 413 && sent.length > 1) {
      room = json.length >> 1;
      return sendAll();
    }
    const refused = isRefused(answer);
    if (refused) waiting.dropped(failureOf(answer, environment).message);
    // Another server that answers 200 has taken nothing.
    if (!taken && !refused) return next.set(backoff(++failures, retryAfter, environment.random));
    failures = 0;
    // The server answers 200 for measures that it cannot count, too: otherwise they would be sent for ever (docs/client-api.md).
    if (taken?.dropped)
      waiting.dropped(
        `the server cannot count ${taken.dropped}, e.g. of an unknown CTA or tenant, or because the clock of the device is wrong.`,
      );
    waiting.remove(sent, stopped);
    if (sent !== all) return sendAll();
    if (waiting.all().length > 0) next.ensure(gathering);
  }

  return {
    add(measure) {
      waiting.add(measure);
      // After a failure a later time is set already.
      next.ensure(gathering);
    },
    inherit: waiting.inherit,
    flush: async () => {
      await flight;
      await flush();
    },
    flushAtEnd() {
      const events = waiting.all();
      if (events.length > 0 && !beacon(environment, userId, JSON.stringify({ events }))) void flush();
    },
    stop() {
      stopped = true;
      next.stop();
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
