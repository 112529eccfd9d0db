/** A value of a row. Booleans are 0 and 1. */
export type Value = string | number | null;

/** The values of a row in the order of its table's columns. */
export type Row = readonly Value[];

/** The content of a table in a form that two databases can be compared by. */
export interface TableContent {
  readonly rows: number;
  /** 16 hexadecimal digits. */
  readonly checksum: string;
}

/**
 * Adds up rows in any order, because the engines sort texts differently. The checksum is the sum of the XXH64 of each row as JSON, modulo
 * 2^64. It detects mistakes; it is no protection against someone who chooses the rows.
 */
export function contentSum() {
  let rows = 0;
  let sum = 0n;
  return {
    /** @throws Error for a number that is not an integer below 2^53: it was rounded when it was read. */
    add(row: Row): void {
      for (const value of row) {
        if (typeof value === 'number' && !Number.isSafeInteger(value))
          throw new Error(`the number ${value} cannot be copied exactly`);
      }
      rows++;
      sum = BigInt.asUintN(64, sum + Bun.hash.xxHash64(JSON.stringify(row)));
    },
    content: (): TableContent => ({ rows, checksum: sum.toString(16).padStart(16, '0') }),
  };
}
