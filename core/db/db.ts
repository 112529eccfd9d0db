import { AsyncLocalStorage } from 'node:async_hooks';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Engine } from './engine.ts';

/**
 * The query builder of both engines. Always `await` a query: it answers an array of rows. What only one engine has
 * (`.get()`, `.all()`, `.run()`, row counts of writes) is not used; a write that must know what it did asks `returning()`.
 */
export type Query = Pick<
  BaseSQLiteDatabase<'async', unknown, Record<string, never>>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$with' | 'with'
>;

export interface Db {
  readonly engine: Engine;
  /** Reads outside a transaction. Sees everything that was answered before. */
  readonly q: Query;
  /**
   * Runs `work` in one write transaction: all of it is stored, durably, before the promise resolves, or nothing is.
   * Reads inside must use the given `q`. No network and no timers inside: everybody else's writes wait.
   * PostgreSQL may run `work` again after a serialization failure, so it must not change anything but the database.
   * @throws what `work` throws; Fault DATABASE_BUSY or STORAGE_FAILED; an Error when called inside another `tx`.
   */
  tx<T>(work: (q: Query) => Promise<T>): Promise<T>;
  /** Why the last write failed, when the storage itself did not take it; null otherwise. */
  failing(): string | null;
  close(): Promise<void>;
}

/** Where the data is: a directory (SQLite, `trivet.db` in it) or a PostgreSQL URL. */
export type Location =
  | { readonly engine: 'sqlite'; readonly directory: string; readonly durability: 'full' | 'normal' }
  | { readonly engine: 'postgres'; readonly url: string };

const insideTx = new AsyncLocalStorage<true>();

/** Marks `work` as being inside a transaction; a nested one is an error at once instead of a deadlock. */
export function markTx<T>(work: () => Promise<T>): Promise<T> {
  return insideTx.run(true, work);
}

/** @throws Error when called inside `tx`: for `tx` itself and for everything that talks to a network. */
export function refuseInsideTx(what: string): void {
  if (insideTx.getStore()) throw new Error(`${what} inside a transaction`);
}

/**
 * A statement that is built once per connection instead of once per call: on hot paths building costs more than running
 * (measured: prepared 1.1 times raw, ad hoc 7 times). Give values by `sql.placeholder('name')`.
 * @example
 * const noteById = prepared<{ id: number }, Note>(
 *   (q) => q.select().from(entries).where(eq(entries.id, sql.placeholder('id'))),
 *   'notes_entry_by_id',
 * );
 * const [note] = await noteById(db.q, { id: 7 });
 */
export function prepared<V extends Record<string, unknown>, R>(
  build: (q: Query) => { prepare(name?: never): { execute(values?: Record<string, unknown>): unknown } },
  name: string,
): (q: Query, values: V) => Promise<R[]> {
  const statements = new WeakMap<Query, { execute(values?: Record<string, unknown>): unknown }>();
  return async (q, values) => {
    let statement = statements.get(q);
    if (!statement) {
      statement = build(q).prepare(name as never);
      statements.set(q, statement);
    }
    return (await statement.execute(values)) as R[];
  };
}
