import { useEffect, useRef, useState } from 'react';
import { send, Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';

type Changes = Output<'get-run-changes'>;

interface Followed {
  readonly projectId: number;
  readonly runId: number;
  /** The cursor of the moment before the page read the run; undefined: not known yet, nothing is followed. */
  readonly since: string | undefined;
}

/** How long until the next try after the server went away. */
const retryMs = 1_000;
/** How long a stream may be silent. */
const silentMs = 40_000;

/**
 * Follows a run: every stored change arrives as an event. After an interruption it resumes where it stopped, so nothing is missed. A hidden
 * window does not follow, because a browser opens only a few connections to one server.
 * @returns whether it follows at the moment.
 */
export function useRunChanges(
  { projectId, runId, since }: Followed,
  onChanges: (changes: Changes) => void,
): boolean {
  const [isLive, setLive] = useState(false);
  const latest = useRef(onChanges);
  latest.current = onChanges;
  useEffect(() => {
    const over = new AbortController();
    let stream = new AbortController();
    let cursor = since;
    if (cursor === undefined) return;
    const follow = async () => {
      const query = new URLSearchParams({
        projectId: String(projectId),
        runId: String(runId),
        ...(cursor !== undefined && { after: cursor }),
      });
      const response = await send(`/console/run-changes?${query}`, { signal: stream.signal });
      setLive(true);
      for await (const data of eventsOf(response)) {
        const changes = JSON.parse(data) as Changes;
        cursor = changes.cursor;
        latest.current(changes);
      }
    };
    const repeat = async () => {
      while (!over.signal.aborted) {
        if (!document.hidden) {
          stream = new AbortController();
          try {
            await follow();
          } catch (error) {
            // The run is gone, or may not be read: the page says so.
            if (error instanceof Refusal && error.status < 429) return;
          }
          setLive(false);
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    };
    const hide = () => document.hidden && stream.abort();
    document.addEventListener('visibilitychange', hide);
    void repeat();
    return () => {
      over.abort();
      stream.abort();
      document.removeEventListener('visibilitychange', hide);
    };
  }, [projectId, runId, since]);
  return isLive;
}

/** The data of each server-sent event, until the stream ends. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  // The server sends something every 15 s. Otherwise the connection is lost, even without an error.
  const lost = () => setTimeout(() => void reader?.cancel(), silentMs);
  let timer = lost();
  let text = '';
  try {
    for (;;) {
      const part = await reader?.read();
      clearTimeout(timer);
      if (!part || part.done) return;
      timer = lost();
      const events = (text + part.value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events)
        for (const line of event.split('\n')) if (line.startsWith('data: ')) yield line.slice(6);
    }
  } finally {
    clearTimeout(timer);
  }
}
