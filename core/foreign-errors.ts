import { fail, Fault } from './errors.ts';

/*
 * Translates errors of engines, drivers and the operating system. No other file compares their codes
 * (test/architecture.test.ts).
 */

/** The code of an error of a driver or the operating system, e.g. `EEXIST`; undefined for an error without one. */
export function codeOf(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Error codes on the thrown error or the error it wraps: drizzle wraps the driver's. */
function* codesOf(thrown: unknown): Generator<string> {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const code = codeOf(error);
    if (code !== undefined) yield code;
  }
}

const has = (thrown: unknown, codes: readonly string[]) =>
  [...codesOf(thrown)].some((code) => codes.includes(code));

/** SQLite: another connection writes. The statement did nothing and may be retried. */
export const isBusy = (thrown: unknown) =>
  has(thrown, ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED']);

/** PostgreSQL: serialization failure or deadlock. The whole transaction did nothing and may be retried. */
export const isRetryable = (thrown: unknown) => has(thrown, ['40001', '40P01']);

/** PostgreSQL: a lock was not free within `lock_timeout`. The whole transaction did nothing and may be retried. */
export const isLockTimeout = (thrown: unknown) => has(thrown, ['55P03']);

/** SQLite: the file is damaged or is no database. */
export const isCorrupt = (thrown: unknown) => has(thrown, ['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/**
 * PostgreSQL: another process has created it meanwhile. `IF NOT EXISTS` does not help when two processes create it at the same
 * instant: the slower one gets a unique violation, a duplicate table or (about one in twenty, measured) a duplicate type.
 */
export const isAlreadyThere = (thrown: unknown) => has(thrown, ['23505', '42P07', '42710']);

export const isExistingFile = (thrown: unknown) => codeOf(thrown) === 'EEXIST';

export const isMissingFile = (thrown: unknown) => codeOf(thrown) === 'ENOENT';

/** A read-only directory, a full disk, or a file that another process locks. The data may still be readable. */
export const isUnwritable = (thrown: unknown) =>
  /^(SQLITE_(BUSY|READONLY|FULL|IOERR|CANTOPEN)|EACCES|EROFS|ENOSPC|EFBIG|EDQUOT|EPERM)/.test(
    codeOf(thrown) ?? '',
  );

export const isAddressTaken = (thrown: unknown) => codeOf(thrown) === 'EADDRINUSE';

/** The reader of the pipe has closed it. */
export const isBrokenPipe = (thrown: unknown) => codeOf(thrown) === 'EPIPE';

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

/** A failure of the storage itself as the Fault STORAGE_FAILED or DATABASE_BUSY. Returns any other error unchanged. */
export function storageFault(thrown: unknown): unknown {
  if (thrown instanceof Fault) return thrown;
  for (const code of codesOf(thrown)) {
    if (storageCodes.some((known) => code === known || code.startsWith(`${known}_`))) {
      return fail.STORAGE_FAILED('The storage failed; nothing was written.', {
        cause: code.toLowerCase(),
      });
    }
  }
  return isBusy(thrown)
    ? fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 })
    : thrown;
}

/**
 * Any thrown value as the Fault that a surface sends. An unexpected error becomes INTERNAL: its text, which may quote data, stays
 * out of the response.
 */
export function asFault(thrown: unknown): Fault {
  const known = storageFault(thrown);
  return known instanceof Fault ? known : fail.INTERNAL('The server failed to answer this request.');
}
