/**
 * Long work shares the event loop with everybody else's requests (docs/decisions/time.md). It runs in pieces of at most a few
 * milliseconds and asks between them whether the turn is over. All long work of the process shares one turn: if each job had
 * 10 ms of its own, five jobs would hold up a request for 50 ms (measured: p50 55 ms, longest 134 ms; shared: 9 and 45 ms).
 */
const turnMs = 10;

let open = false;
let endsAt = 0;
let line: Promise<void> = Promise.resolve();

const afterPendingEvents = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Whether the present turn of the event loop has lasted for 10 ms. Costs about 70 ns, so a loop may ask at every step.
 * A step between two questions should take less than 5 ms.
 */
export function turnIsOver(): boolean {
  if (open) return performance.now() >= endsAt;
  open = true;
  endsAt = performance.now() + turnMs;
  // Not a timer: setTimeout(0) costs 1.4 ms a yield, and microtasks let no request in (measured).
  setImmediate(() => void (open = false));
  return false;
}

/**
 * Waits in line with other long work until the event loop has served what is pending.
 * @param signal looked at after waking: the client may have gone meanwhile.
 * @throws the reason of `signal` once it has aborted.
 */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  line = line.then(afterPendingEvents);
  await line;
  signal?.throwIfAborted();
}

/**
 * Runs a computation that yields between its steps, and lets requests in between turns.
 * @param work yields wherever it may be interrupted; a step takes less than 5 ms.
 * @throws what `work` throws, or the reason of `signal` once it has aborted.
 */
export async function inTurns<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** Parts of a list, one after the other, with requests let in between them: for statements that write many rows. */
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
