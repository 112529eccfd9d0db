/*
 * Whether a history of concurrent operations is linearizable: is there an order that respects real time (an operation that ended before
 * another began comes first) in which a sequential model gives every observed response? Uses the search of Wing and Gong (1993) with the
 * memo of Lowe (2017): a state reached again after the same set of operations is not searched again.
 */
export interface Operation<I, O> {
  readonly input: I;
  readonly output: O;
  /** When it was sent and when its response arrived, on one clock. */
  readonly from: number;
  readonly to: number;
}

export interface Model<S, I, O> {
  readonly initial: S;
  /** The state after the operation, or null where the model would have responded differently. Must not change its argument. */
  step(state: S, input: I, output: O): S | null;
  /** The same text for states that cannot be told apart. */
  key(state: S): string;
}

/** An order that explains the history, as indexes; null if there is none. */
export function linearization<S, I, O>(
  model: Model<S, I, O>,
  history: readonly Operation<I, O>[],
): readonly number[] | null {
  const seen = new Set<string>();
  const order: number[] = [];

  const search = (state: S, done: bigint): boolean => {
    if (order.length === history.length) return true;
    const known = `${done.toString(36)}|${model.key(state)}`;
    if (seen.has(known)) return false;
    seen.add(known);
    // Only an operation that began before any other ended can come next.
    let firstEnd = Infinity;
    for (const [index, { to }] of history.entries()) {
      if (!isDone(done, index)) firstEnd = Math.min(firstEnd, to);
    }
    for (const [index, operation] of history.entries()) {
      if (isDone(done, index) || operation.from > firstEnd) continue;
      const next = model.step(state, operation.input, operation.output);
      if (next === null) continue;
      order.push(index);
      if (search(next, done | (1n << BigInt(index)))) return true;
      order.pop();
    }
    return false;
  };
  return search(model.initial, 0n) ? order : null;
}

const isDone = (done: bigint, index: number) => ((done >> BigInt(index)) & 1n) === 1n;

/** Collects operations as they happen. */
export function recorder<I, O>() {
  const history: Operation<I, O>[] = [];
  return {
    history,
    record: async (input: I, work: () => Promise<O>): Promise<O> => {
      const from = performance.now();
      const output = await work();
      history.push({ input, output, from, to: performance.now() });
      return output;
    },
  };
}
