/** Choices that look like chance and are the same in every example. */
export interface DemoChoice {
  /** At least 0 and below 1. */
  next(): number;
  /** Whether something of this probability happens. */
  chance(probability: number): boolean;
  among<T>(items: readonly T[]): T;
}

/** mulberry32: 32 bits of state are enough for an example. */
export function demoChoice(seed: number): DemoChoice {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    among: <T>(items: readonly T[]): T => {
      const found = items[Math.floor(next() * items.length)];
      if (found === undefined) throw new Error('there is nothing to choose among');
      return found;
    },
  };
}
