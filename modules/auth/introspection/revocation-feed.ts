import { isoTime } from '../../../core/base/clock.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { endsWithServer } from '../../../core/http/answer/server-stop.ts';
import { fail } from '../base/errors.ts';
import { feedState, hasNewRevocations, placeRevocations, revocationsAfter } from './revocation-feed-store.ts';

/** A place in the feed: a restore and a position in the feed since. */
interface Cursor {
  readonly restore: number;
  readonly position: number;
}

/** How often a waiting request looks for new revocations. Each look is one read of a small index, and holds nothing. */
const lookMs = 500;
export const maxWaitSeconds = 30;
/** The requests of one process that may wait. Each service needs one. */
const maxWaiting = 200;
const waiting = perHost(() => ({ requests: 0 }));

/** @throws Fault INVALID_REQUEST. */
export function feedCursorOf(text: string | null): Cursor | null {
  if (text === null) return null;
  const [, restore, position] = /^(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  if (restore === undefined || position === undefined)
    throw fail.INVALID_REQUEST('after must be a cursor of an earlier answer. Leave it out to begin.', {
      cause: 'after',
    });
  return { restore: Number(restore), position: Number(position) };
}

/** @throws Fault INVALID_REQUEST. */
export function waitSecondsOf(text: string | null): number {
  if (text === null) return 0;
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (seconds <= maxWaitSeconds) return seconds;
  throw fail.INVALID_REQUEST(`wait must be a number of seconds from 0 to ${maxWaitSeconds}.`, {
    cause: 'wait',
  });
}

/**
 * The revocations after a cursor, the oldest first; without a cursor all that are kept, which are those of which an access token may still
 * be alive. If there are none, waits for one.
 * @param signal ends the wait when the client leaves.
 * @throws Fault SERVER_BUSY when too many requests wait.
 */
export async function revocationsSince(
  host: Host,
  { after, waitSeconds }: { readonly after: Cursor | null; readonly waitSeconds: number },
  signal: AbortSignal,
) {
  const until = host.clock.now() + waitSeconds * 1000;
  const stopping = new AbortController();
  const ended = AbortSignal.any([signal, stopping.signal]);
  const endNow = () => stopping.abort();
  const held = waiting(host);
  if (waitSeconds > 0 && held.requests >= maxWaiting)
    throw fail.SERVER_BUSY(`${maxWaiting} requests wait for revocations already.`, { retryAfter: 5 });
  endsWithServer(host).add(endNow);
  held.requests++;
  try {
    for (;;) {
      const page = await pageAfter(host, after);
      const leftMs = until - host.clock.now();
      if (page.items.length > 0 || leftMs <= 0 || ended.aborted) return page;
      await host.clock.wait(Math.min(leftMs, lookMs), ended);
    }
  } finally {
    held.requests--;
    endsWithServer(host).delete(endNow);
  }
}

async function pageAfter(host: Host, after: Cursor | null) {
  if (await hasNewRevocations(host.db.q)) await host.db.tx(placeRevocations);
  const { last, restore } = await feedState(host.db.q);
  // After a restore, or with the cursor of another database, the service gets everything again: better twice than never.
  const isKnown = after?.restore === restore && after.position <= last;
  const from = isKnown ? after.position : 0;
  const rows = await revocationsAfter(host.db.q, from);
  return {
    items: rows.map(({ sessionId, userId, at, reason }) => ({
      sid: sessionId,
      sub: String(userId),
      at: isoTime(at),
      reason,
    })),
    cursor: `${restore}.${rows.at(-1)?.position ?? from}`,
  };
}
