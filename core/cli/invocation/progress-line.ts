import { isTerminal, writeError } from '../../base/standard-streams.ts';

/**
 * How often progress is shown: in place on a terminal, as log lines elsewhere. Work of less than 2 s shows none. Completion is not logged,
 * since the result follows.
 */
const firstShownMs = 2_000;
const shownEveryMs = { terminal: 250, log: 5_000 };
const barCells = 24;

interface ProgressLine {
  /** @param what the current activity, e.g. `Copied 100 rows`. */
  show(done: number, total: number, what?: string): void;
  /** Removes the line from a terminal. */
  end(): void;
}

interface ProgressOptions {
  /** Whether progress is shown when stderr is not a terminal: a program may read it, e.g. that of `trivet call`. */
  readonly lines?: boolean;
  /** Show every step when it begins, for a few long steps that cannot report their progress. */
  readonly atOnce?: boolean;
}

/** Shows the progress of long work on stderr: a bar on a terminal, lines elsewhere. */
export function progressLine({ lines = true, atOnce = false }: ProgressOptions = {}): ProgressLine {
  const terminal = isTerminal('stderr');
  if (!terminal && !lines) return { show: () => {}, end: () => {} };
  const everyMs = atOnce ? 0 : terminal ? shownEveryMs.terminal : shownEveryMs.log;
  let showAt = atOnce ? 0 : performance.now() + firstShownMs;
  let open = false;
  return {
    show: (done, total, what = '') => {
      const now = performance.now();
      if (now < showAt || (!terminal && done >= total)) return;
      showAt = now + everyMs;
      const share = total <= 0 ? 1 : Math.min(1, done / total);
      const percent = `${Math.floor(share * 100)} %`;
      writeError(
        terminal ? `\r\x1b[K${bar(share)} ${percent} ${what}` : `${percent} ${what}`.trimEnd() + '\n',
      );
      open = terminal;
    },
    end: () => {
      if (open) writeError('\r\x1b[K');
      open = false;
    },
  };
}

function bar(share: number): string {
  const full = Math.round(share * barCells);
  return `[${'#'.repeat(full)}${'.'.repeat(barCells - full)}]`;
}
