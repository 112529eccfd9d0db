import { Fault, fail } from './errors.ts';

/*
 * Errors of engines, drivers and the operating system, translated. Nothing outside this file compares their codes
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

/** SQLite: another connection writes. The statement did nothing and may be tried again. */
export const isBusy = (thrown: unknown) =>
  has(thrown, ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED']);

/** PostgreSQL: serialization failure or deadlock. The whole transaction did nothing and may be tried again. */
export const isRetryable = (thrown: unknown) => has(thrown, ['40001', '40P01']);

/** SQLite: the file holds something else than it should. */
export const isCorrupt = (thrown: unknown) => has(thrown, ['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/**
 * PostgreSQL: somebody else has made it by now. `IF NOT EXISTS` is no help against a second process at the same instant: the slower
 * one is told of a unique violation, of a table or (about one in twenty, measured) of a type that is there.
 */
export const isAlreadyThere = (thrown: unknown) => has(thrown, ['23505', '42P07', '42710']);

/** The file is there already. */
export const isExistingFile = (thrown: unknown) => codeOf(thrown) === 'EEXIST';

export const isMissingFile = (thrown: unknown) => codeOf(thrown) === 'ENOENT';

/** A directory that may only be read, a full disk, a file that another process holds: what is there may still be read. */
export const isUnwritable = (thrown: unknown) =>
  /^(SQLITE_(BUSY|READONLY|FULL|IOERR|CANTOPEN)|EACCES|EROFS|ENOSPC|EFBIG|EDQUOT|EPERM)/.test(
    codeOf(thrown) ?? '',
  );

/** The address is taken by another server. */
export const isAddressTaken = (thrown: unknown) => codeOf(thrown) === 'EADDRINUSE';

/** Whoever read the other end of the pipe has gone. */
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

/** A failure of the storage itself as a Fault that says so; anything else comes back as it is. */
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
 * Any thrown value as a Fault: what every surface answers with. A storage that cannot be read is said so; whatever else is
 * unexpected becomes INTERNAL: its text stays out of the answer.
 */
export function asFault(thrown: unknown): Fault {
  const known = storageFault(thrown);
  return known instanceof Fault ? known : fail.INTERNAL('The server failed to answer this request.');
}
