import type { Query } from '../../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../../core/base/turns.ts';
import { testStatuses, type TestStatus } from '../../rules/test-status.ts';
import { liveTestIds } from '../../runs/run-case-store.ts';
import { statusesOfRun } from '../../runs/run-status-store.ts';

/** Initial capacity in tests. */
const roomAtFirst = 2_000;

/**
 * The tests of a run with their statuses, and whether each was seen. In typed arrays: a run may have a million tests, for which a Map takes
 * 200 MB.
 */
export class RunTests {
  #ids = new Float64Array(roomAtFirst);
  #statuses = new Uint8Array(roomAtFirst);
  /** 1: seen. */
  #seen = new Uint8Array(roomAtFirst);
  #count = 0;
  #unseen = 0;

  /** Adds a test, whose id must be greater than all before. */
  add(testId: number, status: TestStatus): void {
    if (this.#count === this.#ids.length) this.#grow();
    this.#ids[this.#count] = testId;
    this.#statuses[this.#count++] = testStatuses.indexOf(status);
    this.#unseen++;
  }

  get size(): number {
    return this.#count;
  }

  statusOf(testId: number): TestStatus | undefined {
    const at = this.#find(testId);
    return at === undefined ? undefined : testStatuses[this.#statuses[at] ?? 0];
  }

  see(testId: number): void {
    const at = this.#find(testId);
    if (at === undefined || this.#seen[at] === 1) return;
    this.#seen[at] = 1;
    this.#unseen--;
  }

  /** Like {@link see}, for up to a million tests. Yields to other requests. */
  async seeAll(testIds: Iterable<number>, signal: AbortSignal): Promise<void> {
    if (this.#count === 0) return;
    for (const testId of testIds) {
      this.see(testId);
      if (turnIsOver()) await nextTurn(signal);
    }
  }

  isUnseen(testId: number): boolean {
    const at = this.#find(testId);
    return at !== undefined && this.#seen[at] === 0;
  }

  get unseenCount(): number {
    return this.#unseen;
  }

  /** The first unseen tests. */
  unseen(limit: number): readonly number[] {
    const found: number[] = [];
    for (let at = 0; at < this.#count && found.length < limit; at++)
      if (this.#seen[at] === 0) found.push(this.#ids[at] ?? 0);
    return found;
  }

  *ids(): Generator<number> {
    for (let at = 0; at < this.#count; at++) yield this.#ids[at] ?? 0;
  }

  #grow(): void {
    const larger = <A extends Float64Array | Uint8Array>(from: A, to: A): A => {
      to.set(from);
      return to;
    };
    const size = this.#ids.length * 2;
    this.#ids = larger(this.#ids, new Float64Array(size));
    this.#statuses = larger(this.#statuses, new Uint8Array(size));
    this.#seen = larger(this.#seen, new Uint8Array(size));
  }

  #find(testId: number): number | undefined {
    let low = 0;
    let high = this.#count - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const id = this.#ids[middle] ?? 0;
      if (id === testId) return middle;
      if (id < testId) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}

/** The tests of a run; empty without a run. Yields to other requests. */
export async function testsOfRun(
  q: Query,
  runId: number | undefined,
  signal: AbortSignal,
): Promise<RunTests> {
  const found = new RunTests();
  if (runId === undefined) return found;
  for await (const rows of statusesOfRun(q, runId, signal))
    for (const { testId, status } of rows) found.add(testId, status);
  return found;
}

/** Marks the tests as seen that are deleted by now: nobody misses them, and no case is their new name. Yields to other requests. */
export async function seeDeleted(
  q: Query,
  projectId: number,
  ofRun: RunTests,
  signal: AbortSignal,
): Promise<void> {
  if (ofRun.unseenCount === 0) return;
  const unseen = ofRun.unseen(ofRun.size);
  const live = await liveTestIds(q, projectId, unseen, signal);
  await ofRun.seeAll(
    unseen.filter((testId) => !live.has(testId)),
    signal,
  );
}
