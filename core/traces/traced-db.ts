import type { Db } from '../db/query/db.ts';
import { asFault } from '../base/foreign-errors.ts';
import type { Tracing } from './tracing.ts';

/** The database with a span for each transaction. Reads outside a transaction belong to the enclosing span. */
export function traceDb(db: Db, tracing: Tracing): Db {
  const attributes = { 'db.system.name': db.engine === 'sqlite' ? 'sqlite' : 'postgresql' };
  const traced = <T>(kind: string, work: () => Promise<T>): Promise<T> =>
    tracing.span(`transaction ${kind}`, attributes, async (span) => {
      try {
        return await work();
      } catch (error) {
        span.fail(asFault(error).code);
        throw error;
      }
    });
  return {
    engine: db.engine,
    q: db.q,
    tx: (work, options) => traced('tx', () => db.tx(work, options)),
    write: (statement) => traced('write', () => db.write(statement)),
    pipeline: (send) => traced('pipeline', () => db.pipeline(send)),
    reads: (work) => traced('reads', () => db.reads(work)),
    refusal: () => db.refusal(),
    failing: () => db.failing(),
    forgetDeleted: () => db.forgetDeleted(),
    refreshStatistics: () => db.refreshStatistics(),
    close: () => db.close(),
  };
}
