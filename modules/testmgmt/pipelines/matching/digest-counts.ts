/**
 * Counts how often each of up to a million numbers occurred. A Map of them takes 50 MB and twice that while it grows; this takes 12 bytes
 * for each from the beginning.
 */
export class DigestCounts {
  readonly #keys: Float64Array;
  readonly #counts: Uint32Array;
  readonly #mask: number;

  /** @param most the maximum number of different numbers. */
  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(16, most * 1.5)));
    this.#keys = new Float64Array(size);
    this.#counts = new Uint32Array(size);
    this.#mask = size - 1;
  }

  /** @param digest a whole number below 2^53. @returns how often it has occurred, including this time. */
  add(digest: number): number {
    for (let at = digest % (this.#mask + 1); ; at = (at + 1) & this.#mask) {
      const count = this.#counts[at] ?? 0;
      if (count > 0 && this.#keys[at] !== digest) continue;
      this.#keys[at] = digest;
      this.#counts[at] = count + 1;
      return count + 1;
    }
  }
}
