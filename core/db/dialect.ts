import { Fault, fail } from '../errors.ts';

/** What the two engines say differently. Nothing outside this file compares an engine's error codes. */

/** Error codes on the thrown error or the error it wraps: drizzle wraps the driver's. */
function* codesOf(thrown: unknown): Generator<string> {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') yield code;
  }
}

const has = (thrown: unknown, codes: readonly string[]) =>
  [...codesOf(thrown)].some((code) => codes.includes(code));

/** SQLite: another connection writes. The statement did nothing and may be tried again. */
export const isBusy = (thrown: unknown) =>
  has(thrown, ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED']);

/** PostgreSQL: serialization failure or deadlock. The whole transaction did nothing and may be tried again. */
export const isRetryable = (thrown: unknown) => has(thrown, ['40001', '40P01']);

/** SQLite: the file holds something else than it should. */
export const isCorrupt = (thrown: unknown) => has(thrown, ['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

export const isUniqueViolation = (thrown: unknown) =>
  has(thrown, ['SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY', '23505']);

const storageCodes = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  '53100',
  '53300',
  '57P01',
  '57P03',
];

/** A failure of the storage itself as a Fault that says so; anything else comes back as it is. */
export function storageFault(thrown: unknown): unknown {
  if (thrown instanceof Fault) return thrown;
  for (const code of codesOf(thrown)) {
    if (storageCodes.some((known) => code === known || code.startsWith(`${known}_`))) {
      return fail.STORAGE_FAILED('The storage did not take the request; nothing was written.', {
        cause: code.toLowerCase(),
      });
    }
  }
  return isBusy(thrown)
    ? fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 })
    : thrown;
}
