import type { Host } from '../../../core/host/host.ts';
import { endsWithServer } from '../../../core/http/answer/server-stop.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { enterRun, peopleIn } from './run-presence.ts';
import { watchRun, type WatchedRun } from './run-watch.ts';

/** A stream sends something at least this often: proxies close silent connections. */
const aliveMs = 15_000;
/** How often the permission of the person is checked again: a stream has no further request. */
const lookMs = 1_000;
/**
 * A client that reads nothing for this long is disconnected. 20 streams that nobody read took 3 GB when data was buffered for them
 * (measured).
 */
const patienceMs = 30_000;

/** The maximum results per event: about 5 ms of work. */
const pageLength = 100;

interface Changes {
  readonly cursor: string;
  readonly more: boolean;
}

interface RunStream {
  /** The last cursor that the browser knows; undefined: it begins now. */
  readonly after: string | undefined;
  readonly userId: number;
  /** The browser's name of its window; undefined: the others do not learn that it is there. */
  readonly window: string | undefined;
  /** Whether the person is still signed in and may read the run. Asked before each change and once a second. */
  readonly mayRead: () => Promise<boolean>;
}

export const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would buffer the events.
  'X-Accel-Buffering': 'no',
} as const;

/**
 * The changes of a run as server-sent events (HTML Standard §9.2): first what the browser missed, then each change. The next page is read
 * when the browser has taken the one before. The events `people` say who has the run open, and at which test.
 */
export function runStream(host: Host, run: WatchedRun, stream: RunStream): Response {
  let feed: Feed | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      feed = startFeed({ host, run, ...stream, controller });
    },
    pull: () => feed?.advance(),
    cancel: () => feed?.end(),
  });
  return new Response(body, { headers: streamHeaders });
}

/** Says who has the run open, whenever that has changed. @param say whether the words could be said. */
function peopleSaid(host: Host, runId: number, say: (words: string) => boolean): () => void {
  let sent = '[]';
  return () => {
    const people = JSON.stringify(peopleIn(host, runId));
    if (people !== sent && say(`event: people\ndata: ${people}\n\n`)) sent = people;
  };
}

interface Feed {
  /** Reads the next page if there is one and the browser has taken the one before. */
  readonly advance: () => void;
  readonly end: () => void;
}

interface Fed extends RunStream {
  readonly host: Host;
  readonly run: WatchedRun;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
}

/** Feeds a stream until it is over: the browser leaves or takes nothing, the person may not read any more, the server ends. */
function startFeed({ host, run, after, mayRead, controller, userId, window }: Fed): Feed {
  const text = new TextEncoder();
  const { orgId, ...input } = run;
  let cursor = after;
  let sent: string | undefined;
  let hasChanges = true;
  let isReading = false;
  let isOver = false;
  let spokeAt = host.clock.now();
  let takenAt = spokeAt;
  const isTaken = () => (controller.desiredSize ?? 0) > 0;
  const say = (words: string) => {
    controller.enqueue(text.encode(words));
    spokeAt = host.clock.now();
  };
  const readPage = async () => {
    // Many streams of a large run together are long work.
    if (turnIsOver()) await nextTurn();
    const given = { ...input, limit: pageLength, ...(cursor !== undefined && { after: cursor }) };
    // Before the read: what is written meanwhile is read with the next page.
    hasChanges = false;
    const changes = (await host.readTool(orgId, 'get-run-changes', given)) as Changes;
    if (!(await mayRead())) return end();
    if (isOver) return;
    hasChanges ||= changes.more;
    if (changes.cursor !== sent) say(`id: ${changes.cursor}\ndata: ${JSON.stringify(changes)}\n\n`);
    cursor = sent = changes.cursor;
  };
  const advance = () => {
    if (isOver || isReading || !hasChanges || !isTaken()) return;
    isReading = true;
    readPage()
      .catch(() => end())
      .finally(() => {
        isReading = false;
        advance();
      });
  };
  const sayPeople = peopleSaid(host, run.runId, (words) => !isOver && isTaken() && (say(words), true));
  const look = setInterval(() => {
    const now = host.clock.now();
    sayPeople();
    if (isTaken()) takenAt = now;
    else if (now - takenAt > patienceMs) return end(true);
    if (isTaken() && now - spokeAt >= aliveMs) say(': alive\n\n');
    void mayRead().then(
      (may) => may || end(),
      () => end(),
    );
  }, lookMs);
  const forget = watchRun(host, run, () => {
    hasChanges = true;
    advance();
  });
  const leave =
    window === undefined
      ? () => {}
      : enterRun(host, { runId: run.runId, window, userId }, () => queueMicrotask(sayPeople));
  const endNow = () => end();
  const end = (failed = false) => {
    if (isOver) return;
    isOver = true;
    clearInterval(look);
    forget();
    leave();
    endsWithServer(host).delete(endNow);
    try {
      // Closing would wait until the rest is read.
      if (failed) controller.error(new Error('nobody reads the stream'));
      else controller.close();
    } catch {
      // The browser has closed it.
    }
  };
  endsWithServer(host).add(endNow);
  advance();
  return { advance, end: endNow };
}
