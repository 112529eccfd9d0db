/**
 * Long work yields to other requests (docs/decisions/time.md). It runs in steps of at most a few milliseconds and asks between
 * them whether the time slice (a turn of 10 ms) is over. All long work of the process shares one slice: if each job had its own,
 * five jobs would delay a request by 50 ms (measured: p50 55 ms, longest 134 ms; shared: 9 and 45 ms).
 */
const turnMs = 10;

let open = false;
let endsAt = 0;
let line: Promise<void> = Promise.resolve();

const afterPendingEvents = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Whether the time slice is over. Costs about 70 ns, so a loop may ask at every step. A step should take less than 5 ms. */
export function turnIsOver(): boolean {
  if (open) return performance.now() >= endsAt;
  open = true;
  endsAt = performance.now() + turnMs;
  // Not a timer: setTimeout(0) costs 1.4 ms per yield, and microtasks do not yield to requests (measured).
  setImmediate(() => void (open = false));
  return false;
}

/**
 * Queues with other long work until the event loop has served what is pending.
 * @throws the reason of `signal` when it has aborted meanwhile: the client may have disconnected.
 */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  line = line.then(afterPendingEvents);
  await line;
  signal?.throwIfAborted();
}

/**
 * Runs a long computation and yields to other requests after each time slice.
 * @param work a generator that yields wherever it may be interrupted; a step takes less than 5 ms.
 * @throws what `work` throws, or the reason of `signal` when it has aborted.
 */
export async function inTurns<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** The chunks of a list, for statements that write many rows. Yields to other requests between chunks. */
export async function* partsInTurns<T>(
  items: readonly T[],
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) {
    if (turnIsOver()) await nextTurn(signal);
    yield items.slice(start, start + size);
  }
}
