/*
 * How much a suite of `npm run verify` does: little enough for every change (`ci`), or as much as a night allows (`nightly`). The seed and
 * the amount of work are printed, so that a failure can be repeated and an empty run is noticed.
 */
const nightly = process.env['TRIVET_VERIFY'] === 'nightly';

export const scaled = (ci: number, night: number): number => (nightly ? night : ci);

/** Repeats a run: `SEED=… npm run verify -- <suite>`. */
export const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);

/** One line that the verify run collects. */
export function ran(count: number, what: string): void {
  process.stdout.write(`ran ${count} ${what} (SEED=${seed})\n`);
}

export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** @throws when `from` is empty. */
  pick<T>(from: readonly T[]): T;
}

/** The same numbers for the same seed (mulberry32); Math.random has no seed. */
export function randomFrom(start: number): Random {
  let state = start >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    pick: (from) => {
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[below(from.length)] as (typeof from)[number];
    },
  };
}
