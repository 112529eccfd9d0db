import { useEffect, useRef, useState } from 'react';
import { send, Refusal } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { randomWord } from '../../api/random-word.ts';

type Changes = Output<'get-run-changes'>;

interface Followed {
  readonly projectId: number;
  readonly runId: number;
  /** The cursor of the moment before the page read the run; undefined: not known yet, nothing is followed. */
  readonly since: string | undefined;
}

/** A person who has the run open, and the selected test. */
export interface RunPerson {
  readonly userId: number;
  readonly testId: number | null;
}

interface RunNews {
  readonly onChanges: (changes: Changes) => void;
  /** Everybody who has the run open, this person included; nobody while it does not follow. */
  readonly onPeople: (people: readonly RunPerson[]) => void;
  /** The run was deleted or may not be read any more, or it is back. */
  readonly onAccess: () => void;
}

/** This window, among those that show a run. */
const windowName = randomWord(32);

/** How long a test is selected before the others see it: somebody holds j down. */
const settleMs = 250;

/** Tells the others which test is selected here. */
export function useRunPlace(runId: number, testId: number | undefined, isLive: boolean): void {
  useEffect(() => {
    if (!isLive) return;
    const query = new URLSearchParams({ runId: String(runId), window: windowName });
    if (testId !== undefined) query.set('testId', String(testId));
    // Who learns nothing of it misses little: the next selection is told again.
    const tell = () => void send(`/console/run-place?${query}`, { method: 'POST' }).catch(() => {});
    const timer = setTimeout(tell, settleMs);
    return () => clearTimeout(timer);
  }, [runId, testId, isLive]);
}

/** How long until the next try after the server went away. */
const retryMs = 1_000;
/** How long until the next try after it refused: a deleted run may come back. */
const refusedMs = 5_000;
/** How long a stream may be silent. */
const silentMs = 40_000;

/**
 * Follows a run: every stored change arrives as an event. After an interruption it resumes where it stopped, so nothing is missed. A hidden
 * window does not follow, because a browser opens only a few connections to one server.
 * @returns whether it follows at the moment.
 */
export function useRunChanges({ projectId, runId, since }: Followed, news: RunNews): boolean {
  const [isLive, setLive] = useState(false);
  const latest = useRef(news);
  latest.current = news;
  useEffect(() => {
    const over = new AbortController();
    let stream = new AbortController();
    let isRefused = false;
    let cursor = since;
    if (cursor === undefined) return;
    const follow = async () => {
      const query = new URLSearchParams({
        projectId: String(projectId),
        runId: String(runId),
        ...(cursor !== undefined && { after: cursor }),
        window: windowName,
      });
      const response = await send(`/console/run-changes?${query}`, { signal: stream.signal });
      setLive(true);
      if (isRefused) latest.current.onAccess();
      isRefused = false;
      for await (const { event, data } of eventsOf(response)) {
        if (event === 'people') latest.current.onPeople(JSON.parse(data) as RunPerson[]);
        else {
          const changes = JSON.parse(data) as Changes;
          cursor = changes.cursor;
          latest.current.onChanges(changes);
        }
      }
    };
    const repeat = async () => {
      while (!over.signal.aborted) {
        let pauseMs = retryMs;
        if (!document.hidden) {
          stream = new AbortController();
          try {
            await follow();
          } catch (error) {
            if (error instanceof Refusal && error.status < 429) {
              isRefused = true;
              pauseMs = refusedMs;
              latest.current.onAccess();
            }
          }
          setLive(false);
          latest.current.onPeople([]);
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
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

interface ServerEvent {
  /** undefined: a change. */
  readonly event: string | undefined;
  readonly data: string;
}

const fieldOf = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

/** The server-sent events that have data, until the stream ends. */
async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
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
      for (const event of events) {
        const data = fieldOf(event, 'data');
        if (data !== undefined) yield { event: fieldOf(event, 'event'), data };
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
