import type { Host } from '../../../core/host.ts';
import { endsWithServer } from '../../../core/http/server-stop.ts';
import { watchRun, type WatchedRun } from './run-watch.ts';

/** A stream says something at least this often: proxies close silent connections. */
const aliveMs = 15_000;

interface Changes {
  readonly cursor: string;
  readonly more: boolean;
}

interface RunStream {
  /** The last cursor that the browser knows; undefined: it begins now. */
  readonly after: string | undefined;
  /** Whether the person is still signed in and may read the run. Asked from time to time, because a stream has no further request. */
  readonly mayRead: () => Promise<boolean>;
}

/** The changes of a run as server-sent events (HTML Standard §9.2): first what the browser missed, then each change. */
export function runStream(host: Host, run: WatchedRun, { after, mayRead }: RunStream): Response {
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let cursor = after;
      let sent: string | undefined;
      let isOver = false;
      let reading: Promise<void> | undefined;
      let changedMeanwhile = false;
      const text = new TextEncoder();
      const { orgId, ...input } = run;

      const readAll = async () => {
        for (;;) {
          const given = cursor === undefined ? input : { ...input, after: cursor };
          const changes = (await host.readTool(orgId, 'get-run-changes', given)) as Changes;
          if (isOver) return;
          if (changes.cursor !== sent)
            controller.enqueue(text.encode(`id: ${changes.cursor}\ndata: ${JSON.stringify(changes)}\n\n`));
          cursor = sent = changes.cursor;
          if (!changes.more) return;
        }
      };
      const tell = () => {
        if (reading) {
          changedMeanwhile = true;
          return;
        }
        reading = readAll()
          .catch(() => end())
          .finally(() => {
            reading = undefined;
            if (changedMeanwhile && !isOver) {
              changedMeanwhile = false;
              tell();
            }
          });
      };
      const alive = setInterval(() => {
        controller.enqueue(text.encode(': alive\n\n'));
        void mayRead().then(
          (may) => may || end(),
          () => end(),
        );
      }, aliveMs);
      const forget = watchRun(host, run, tell);
      end = () => {
        if (isOver) return;
        isOver = true;
        clearInterval(alive);
        forget();
        endsWithServer(host).delete(end);
        try {
          controller.close();
        } catch {
          // The browser has closed it.
        }
      };
      endsWithServer(host).add(end);
      tell();
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      // nginx would hold the events back.
      'X-Accel-Buffering': 'no',
    },
  });
}
