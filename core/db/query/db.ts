import { AsyncLocalStorage } from 'node:async_hooks';
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Fault } from '../../base/errors.ts';
import type { Engine } from './engine.ts';

/**
 * The query builder of both engines. Always `await` a query: it returns an array of rows. Features of only one engine (`.get()`,
 * `.all()`, `.run()`, row counts of writes) are not used; a write that must know what it did uses `returning()`.
 */
export type Query = Pick<
  BaseSQLiteDatabase<'async', unknown, Record<string, never>>,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | '$with' | 'with'
>;

/** A part of a transaction has failed after it wrote, and may succeed if all of the transaction runs again. */
export class RepeatWhole extends Error {
  /** @param cause what the call fails with if that does not help. */
  constructor(override readonly cause: unknown) {
    super('the whole transaction is to run again');
  }
}

export interface Db {
  readonly engine: Engine;
  /** Reads outside a transaction. Sees everything committed before. */
  readonly q: Query;
  /**
   * Runs `work` in one write transaction: once the promise settles, either all of it is stored durably or nothing is. Reads inside must use
   * the given `q`. No network and no timers inside: all other writes wait.
   *
   * On SQLite transactions run one after the other. On PostgreSQL they run concurrently at READ COMMITTED: others may change what `work`
   * has read before it writes. So `work` first locks the row that its rule depends on ({@link forUpdate}), or the condition of its write
   * repeats what it read and `returning()` shows whether that still held. Only a rule over rows that cannot be locked is `serializable`.
   * PostgreSQL may run `work` again (a serialization failure, a deadlock), so it must not change anything but the database.
   * @throws what `work` throws; Fault DATABASE_BUSY or STORAGE_FAILED; an Error when called inside another `tx`.
   */
  tx<T>(work: (q: Query) => Promise<T>, options?: TxOptions): Promise<T>;
  /**
   * Its transactions are parts of one that is open: what a part has written stays when the part fails. Whoever would try a part again
   * throws {@link RepeatWhole} instead.
   */
  readonly isPart?: true;
  /**
   * Runs one write statement as its own transaction, which takes one round trip on PostgreSQL, and again after a deadlock.
   * @throws as {@link tx}.
   */
  write<T>(statement: (q: Query) => Promise<T>): Promise<T>;
  /**
   * Runs one transaction whose statements are all known in advance: PostgreSQL gets them together with BEGIN and COMMIT, replies after one
   * round trip, and holds the locks no longer than that. A statement that may abort the transaction selects {@link heldRows}.
   * @param send returns the statements in order, without awaiting one.
   * @returns their results, after the commit; `refused` when a {@link heldRows} found nothing: then nothing was written.
   * @throws as {@link tx}.
   */
  pipeline<T extends readonly PromiseLike<readonly unknown[]>[]>(
    send: (q: Query) => readonly [...T],
  ): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> } | typeof refused>;
  /**
   * Reads on one connection: statements that are started together cost one round trip together.
   * @example const [a, b] = await db.reads((q) => Promise.all([noteById(q, { id: 1 }), noteById(q, { id: 2 })]));
   */
  reads<T>(work: (q: Query) => Promise<T>): Promise<T>;
  /** Why this process may not write now, e.g. because it is a standby; undefined if it may. Writes fail with it. */
  refusal(): Fault | undefined;
  /** The code of the storage failure, e.g. `sqlite_full`, if the storage failed at the last write; otherwise null. */
  failing(): string | null;
  /**
   * Call it after an erasure to remove the deleted data from the log of SQLite, too. PostgreSQL has no log that a program could clean.
   * @returns whether it succeeded; false when another process reads for a long time.
   */
  forgetDeleted(): Promise<boolean>;
  /**
   * Updates the statistics of SQLite's planner for tables that have changed much; PostgreSQL does so by itself. Takes at most 50 ms,
   * between two transactions. Has no effect while another process writes.
   */
  refreshStatistics(): Promise<void>;
  close(): Promise<void>;
}

/** The result of a pipeline that {@link heldRows} aborted. */
export const refused = Symbol('refused');

/** Thrown where {@link heldRows} found nothing. */
export class NothingHeld extends Error {}

/** @throws NothingHeld when one of the results is that of {@link heldRows} without rows. */
export function requireHeld(results: readonly unknown[]): void {
  for (const rows of results) {
    const first: unknown = Array.isArray(rows) ? rows[0] : undefined;
    if (typeof first === 'object' && first !== null && 'held' in first && first.held === null)
      throw new NothingHeld();
  }
}

export interface TxOptions {
  /** Describes, in a few words, the rule over rows that no row lock covers. It makes the transaction SERIALIZABLE on PostgreSQL. */
  readonly serializable?: string;
}

/** Says whether this process may write, which may end at any time. */
export interface WriteGate {
  /** Why it may not; undefined if it may. Asked before each COMMIT and after it: nothing is acknowledged that was committed too late. */
  refusal(): Fault | undefined;
}

/** The location of the data: a directory with `trivet.db` (SQLite), or a PostgreSQL URL. */
export type Location =
  | {
      readonly engine: 'sqlite';
      readonly directory: string;
      readonly durability: 'full' | 'normal';
      /** MiB of pages that reads may cache; 64 by default. */
      readonly readCacheMiB?: number;
      /** A replicator copies the log into the database. */
      readonly replicated?: boolean;
      readonly gate?: WriteGate;
    }
  | PostgresLocation;

export interface PostgresLocation {
  readonly engine: 'postgres';
  readonly url: string;
  /** The file that the URL was read from. After a change of the password, the next connection uses the new one. */
  readonly urlFile?: string;
  readonly limits?: PostgresLimits;
}

/** Limits for the time and the connections of PostgreSQL. Times are in milliseconds. */
export interface PostgresLimits {
  /** Connections of this process. */
  readonly connections: number;
  /** How long a transaction may wait for a connection. */
  readonly poolMs: number;
  /** How long one statement may run. */
  readonly statementMs: number;
  /** How long one statement may wait for a lock. */
  readonly lockMs: number;
  /** The URL points to a pooler in transaction mode: no prepared statements and no session settings. */
  readonly pooler: boolean;
}

const openTx = new AsyncLocalStorage<true>();

/** Runs `work` with `q`, marked as inside a transaction, so that a nested one is an error and not a deadlock. */
export function insideTx<Q extends Query, T>(work: (q: Q) => T, q: Q): T {
  return openTx.run(true, work, q);
}

/** @throws Error when called inside `tx`. For `tx` itself and for all network access. */
export function refuseInsideTx(what: string): void {
  if (openTx.getStore()) throw new Error(`${what} inside a transaction`);
}

interface BuiltStatement {
  execute(values?: Record<string, unknown>): unknown;
}

/** How the statements of a `q` run, if that depends on the `q`. */
interface Binding {
  /** The query builder with which statements are built, once for every `q` that shares it. */
  readonly builder: Query;
  run(statement: BuiltStatement, values: Record<string, unknown>): unknown;
  later?(statement: Promise<unknown>): void;
}

const bindings = new WeakMap<Query, Binding>();

/** For an engine whose transactions run on pooled connections. */
export const bindStatements = (q: Query, binding: Binding): void => void bindings.set(q, binding);

/**
 * The same query builder until `close`: for code that may run on after its transaction has ended, when the connection belongs to another
 * transaction.
 */
export function whileOpen(q: Query): { readonly q: Query; close(): void } {
  let closed = false;
  const requireOpen = () => {
    if (closed) throw new Error('this transaction has ended');
  };
  const guarded = new Proxy(q, {
    get: (target, name) => {
      requireOpen();
      return Reflect.get(target, name, target) as unknown;
    },
  });
  const binding = bindings.get(q);
  bindings.set(guarded, {
    builder: binding?.builder ?? q,
    run: (statement, values) => {
      requireOpen();
      return binding ? binding.run(statement, values) : statement.execute(values);
    },
    ...(binding?.later && { later: binding.later }),
  });
  return { q: guarded, close: () => void (closed = true) };
}

/**
 * A statement that is built once instead of once per call: on hot paths building costs more than running (measured: prepared 1.1
 * times raw, ad hoc 7 times). Values are `sql.placeholder('name')`.
 * @example
 * const noteById = prepared<{ id: number }, Note>(
 *   (q) => q.select().from(entries).where(eq(entries.id, sql.placeholder('id'))),
 *   'notes_entry_by_id',
 * );
 * const [note] = await noteById(db.q, { id: 7 });
 */
export function prepared<V extends Record<string, unknown>, R>(
  build: (q: Query) => { prepare(name?: never): BuiltStatement },
  name: string,
): (q: Query, values: V) => Promise<R[]> {
  const statements = new WeakMap<Query, BuiltStatement>();
  return async (q, values) => {
    const binding = bindings.get(q);
    const builder = binding?.builder ?? q;
    let statement = statements.get(builder);
    if (!statement) {
      statement = build(builder).prepare(name as never);
      statements.set(builder, statement);
    }
    return (await (binding ? binding.run(statement, values) : statement.execute(values))) as R[];
  };
}

/**
 * Awaits statements that were started together. @throws the first failure in this order, so that e.g. a caller who may not see a record
 * learns nothing from later failures.
 */
export async function together<T extends readonly unknown[]>(
  statements: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(statements);
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
  return settled.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as never;
}

/**
 * Runs a write of a transaction whose result nobody reads before the commit. PostgreSQL gets it without a round trip of its own: if it
 * fails, the transaction does.
 * @example await later(q, q.insert(entries).values(entry));
 */
export async function later(q: Query, statement: PromiseLike<unknown>): Promise<void> {
  const binding = bindings.get(q);
  if (!binding?.later) await statement;
  // `then` sends it now, before the next statement.
  else binding.later(new Promise((resolve, reject) => void statement.then(resolve, reject)));
}
