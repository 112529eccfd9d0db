import type { RandomBytes } from '../base/clock.ts';
import type { Query } from '../db/query/db.ts';

/**
 * The id of one call that writes, for rows that have to be found by the write that made them. The audit entry has an id of its own, but
 * gets it last: a store needs one before its first change. Drawn when a store asks for it first, and then kept in the audit entry too.
 */
export interface WriteMark {
  /** A random whole number below 2^48; always the same for one call. */
  id(): number;
  /** The id if a store asked for it; null otherwise. */
  used(): number | null;
}

export function newWriteMark(random: RandomBytes): WriteMark {
  let drawn: number | null = null;
  return {
    id: () => (drawn ??= random(6).reduce((sum, byte) => sum * 256 + byte, 0)),
    used: () => drawn,
  };
}

const marks = new WeakMap<Query, WriteMark>();

/** Runs the work of a transaction as part of a write. On SQLite transactions share a query builder, but never at the same time. */
export async function withinWrite<T>(q: Query, mark: WriteMark, work: (q: Query) => Promise<T>): Promise<T> {
  marks.set(q, mark);
  try {
    return await work(q);
  } finally {
    marks.delete(q);
  }
}

/** The id of the write that a transaction belongs to; null outside of an audited call. */
export const writeIdOf = (q: Query): number | null => marks.get(q)?.id() ?? null;
