import { fail, Fault } from './errors.ts';
import { PluginFailure } from './plugin-failure.ts';

/*
 * Translates errors of engines, drivers and the operating system. No other file compares their codes
 * (test/architecture.test.ts).
 */

/** The code of an error of a driver or the operating system, e.g. `EEXIST`; undefined for an error without one. */
export function codeOf(thrown: unknown): string | undefined {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** An error and what it wraps, the outermost first. */
function* errorsOf(thrown: unknown): Generator<Error> {
  for (let error = thrown; error instanceof Error; error = error.cause) yield error;
}

/**
 * Error codes of the thrown error or of the error it wraps: drizzle wraps the errors of the driver. Bun's PostgreSQL client stores the
 * SQLSTATE in `errno` and uses the same `code` for all server errors.
 */
function* codesOf(thrown: unknown): Generator<string> {
  for (const error of errorsOf(thrown)) {
    if ('errno' in error && typeof error.errno === 'string') yield error.errno;
    const code = codeOf(error);
    if (code !== undefined) yield code;
  }
}

/** The SQLSTATE of an error of PostgreSQL, or the code of another one, also of one that is wrapped: for logs. */
export const codeForLog = (thrown: unknown): string | undefined => codesOf(thrown).next().value ?? undefined;

const has = (thrown: unknown, codes: readonly string[]) =>
  [...codesOf(thrown)].some((code) => codes.includes(code));

/** SQLite: another connection is writing. The statement did nothing and may be retried. */
export const isBusy = (thrown: unknown) =>
  has(thrown, ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY', 'SQLITE_LOCKED']);

/** PostgreSQL: serialization failure or deadlock. The whole transaction did nothing and may be retried. */
export const isRetryable = (thrown: unknown) => has(thrown, ['40001', '40P01']);

/** PostgreSQL: a lock was not free within `lock_timeout`. The whole transaction did nothing and may be retried. */
export const isLockTimeout = (thrown: unknown) => has(thrown, ['55P03']);

/** PostgreSQL: a division by zero, which a pipeline uses to abort. */
export const isDivisionByZero = (thrown: unknown) => has(thrown, ['22012']);

/** SQLite: the file is damaged or is not a database. */
export const isCorrupt = (thrown: unknown) => has(thrown, ['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/**
 * PostgreSQL: another process has created the object meanwhile. `IF NOT EXISTS` does not help when two processes create it at the same
 * instant: the slower one gets a unique violation, a duplicate table or (about one in twenty, measured) a duplicate type.
 */
export const isAlreadyThere = (thrown: unknown) => has(thrown, ['23505', '42P07', '42710']);

/** A constraint failed: a foreign key, a unique key or a missing value. */
export const isConstraintViolation = (thrown: unknown) =>
  [...codesOf(thrown)].some((code) => code.startsWith('23') || code.startsWith('SQLITE_CONSTRAINT'));

/** PostgreSQL: a text contains U+0000 or is not UTF-8. */
export const isUnstorableText = (thrown: unknown) => has(thrown, ['22021', '22P05']);

/** S3: the bucket has no object of this name. */
export const isMissingObject = (thrown: unknown) => has(thrown, ['NoSuchKey', 'NotFound']);

/** S3: there is no such bucket, or it refuses these keys. */
export const isRefusedByBucket = (thrown: unknown) =>
  has(thrown, ['AccessDenied', 'InvalidAccessKeyId', 'NoSuchBucket', 'SignatureDoesNotMatch']);

export const isExistingFile = (thrown: unknown) => codeOf(thrown) === 'EEXIST';

export const isMissingFile = (thrown: unknown) => codeOf(thrown) === 'ENOENT';

/** There is no such file, or a part of its path is no directory. */
export const isMissingPath = (thrown: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(thrown) ?? '');

/** This user has no permission for a file, or for a directory on its path. */
export const isForbidden = (thrown: unknown) => ['EACCES', 'EPERM'].includes(codeOf(thrown) ?? '');

/** A read-only directory, a full disk, or a file that another process locks. The data may still be readable. */
export const isUnwritable = (thrown: unknown) =>
  /^(SQLITE_(BUSY|READONLY|FULL|IOERR|CANTOPEN)|EACCES|EROFS|ENOSPC|EFBIG|EDQUOT|EPERM)/.test(
    codeOf(thrown) ?? '',
  );

/** A full disk, or a quota that is used up. */
export const isFull = (thrown: unknown) => has(thrown, ['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

export const isAddressTaken = (thrown: unknown) => codeOf(thrown) === 'EADDRINUSE';

/**
 * The client has closed its connection. Bun rejects the read of its body with this error; an operation gets it from the signal of the
 * request.
 */
export const isAbort = (thrown: unknown) => thrown instanceof Error && thrown.name === 'AbortError';

/** Work that ended because its caller wants it no more. The reason of an MCP client is a text, which the signal throws as it is. */
export const isEndedBy = (signal: AbortSignal, thrown: unknown) =>
  signal.aborted && (thrown === signal.reason || isAbort(thrown));

/** The reader of the pipe has closed it. */
export const isBrokenPipe = (thrown: unknown) => codeOf(thrown) === 'EPIPE';

const sqliteFailures = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
];

/** Of a file system that takes no more: full, over a quota, read-only, or broken. */
const fileSystemFailures: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG', 'EIO']);

/** One line of the table below: codes, a word, the remedy. */
type PostgresFailure = readonly [RegExp, string, string];

const poolerBetween: PostgresFailure = [
  /^(26000|42P05)$/,
  'pooler',
  'A pooler, e.g. PgBouncer, is between Trivet and PostgreSQL: start Trivet with --database-pooler.',
];

/** PgBouncer has one code, that of a lost connection, for all that it refuses; the message says what. */
const refusesSettings = (thrown: unknown): boolean =>
  [...errorsOf(thrown)].some(({ message }) => message.startsWith('unsupported startup parameter'));

const closedDatabase: PostgresFailure = [
  /^55000$/,
  'database_closed',
  'The database takes no connections now, e.g. for maintenance: ALTER DATABASE … ALLOW_CONNECTIONS true.',
];

/** Its SQLSTATE has other meanings inside a session. The message may be translated, the name of PostgreSQL's function is not. */
const refusesEverybody = (thrown: unknown): boolean =>
  [...errorsOf(thrown)].some(
    (error) => 'routine' in error && error.routine === 'CheckMyDatabase' && has(error, ['55000']),
  );

/** The cause of a PostgreSQL that takes no more connections. */
export const tooManyConnections = 'too_many_connections';

/**
 * Failures of a PostgreSQL server, by SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html) or by the code of Bun's client: one
 * word for logs and responses, and the remedy.
 */
const postgresFailures: readonly PostgresFailure[] = [
  [
    /^25006$/,
    'read_only',
    'The server is a standby, or default_transaction_read_only is on there, for the database or for the user. Name all hosts in ' +
      '--database, promote it, or set that to off: ALTER DATABASE … RESET default_transaction_read_only, or ALTER ROLE … for the user.',
  ],
  [
    /^53300$/,
    tooManyConnections,
    'Raise max_connections of PostgreSQL, or the CONNECTION LIMIT of the user or database, or lower --database-connections.',
  ],
  [/^53/, 'out_of_resources', 'PostgreSQL has no disk space or memory left: see its log.'],
  [
    /^(57P0[1-5]|08...)$/,
    'connection_lost',
    'PostgreSQL was restarted or ended the connection; it is tried again.',
  ],
  [
    /^28P01$/,
    'password_refused',
    'Correct the password of --database. From --database-file it is read again.',
  ],
  [
    /^28000$/,
    'login_refused',
    'Correct the user of --database, or see pg_hba.conf of the server. If it demands TLS, add sslmode=require to --database.',
  ],
  [
    /^42501$/,
    'no_permission',
    'The user of --database lacks a right there. Make it the owner: ALTER DATABASE … OWNER TO …; or give it rights: GRANT CREATE, USAGE ON ' +
      'SCHEMA public TO …; GRANT ALL ON ALL TABLES IN SCHEMA public TO …; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO …',
  ],
  [
    /^42P01$/,
    'tables_not_found',
    'PostgreSQL does not find the tables of Trivet: they are gone, in a schema that is not in the search_path of the user of --database, or ' +
      'in one that it may not use. GRANT USAGE ON SCHEMA public TO …; or ALTER ROLE … SET search_path TO …; or restore a backup.',
  ],
  [/^3D000$/, 'no_such_database', 'Create the database, or correct its name in --database.'],
  poolerBetween,
  [/^(58|XX)/, 'server_failed', 'See the log of PostgreSQL.'],
  [
    /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_|HOSTNAME_MISMATCH|ERR_TLS_)/,
    'certificate_refused',
    'Name the authority of its certificate with sslrootcert in --database, or correct the host name or sslmode.',
  ],
  [
    /^ERR_POSTGRES_(TLS|SSL|CHANNEL|UNSUPPORTED_AUTH|SASL)/,
    'tls_or_login',
    'Correct sslmode in --database: the server has no TLS, or not the certificate or the login that was asked for.',
  ],
  [
    /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)/,
    'connection_lost',
    'Check that PostgreSQL runs and can be reached at the hosts of --database.',
  ],
];

/** Reasons for a refused certificate, by the code of the TLS library. */
const certificateCodes =
  /^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;

/**
 * Why the TLS certificate of another server was refused: the end of the sentence "HOST cannot be used: …", and the remedy. Undefined for
 * any other error. The runtime reads NODE_EXTRA_CA_CERTS at startup, also in the compiled executable (test/private-authority.test.ts).
 */
export function certificateFailure(thrown: unknown): { what: string; remedy: string } | undefined {
  const code = [...codesOf(thrown)].find((one) => certificateCodes.test(one));
  if (code === undefined) return undefined;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return {
      what: `its certificate ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}`,
      remedy: 'Renew the certificate of that server, or correct the clock of this machine.',
    };
  if (code === 'HOSTNAME_MISMATCH' || code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      what: 'its certificate is for another name',
      remedy: 'Use a name that stands in the certificate, or let that server have one for this name.',
    };
  return {
    what: `its certificate is of an authority that this machine does not trust (${code})`,
    remedy:
      'If it is an authority of your own, name the file of its certificate (PEM) in the environment before Trivet starts: ' +
      'NODE_EXTRA_CA_CERTS=/etc/ssl/own-ca.pem',
  };
}

/** The error for a `--url` server whose certificate is refused. */
export const certificateFaultOf = (url: string, { what, remedy }: { what: string; remedy: string }): Fault =>
  fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} cannot be used: ${what}.`, {
    cause: 'certificate',
    tip: remedy,
  });

const postgresFailure = (thrown: unknown): PostgresFailure | undefined => {
  if (refusesSettings(thrown)) return poolerBetween;
  if (refusesEverybody(thrown)) return closedDatabase;
  for (const code of codesOf(thrown)) {
    const known = postgresFailures.find(([pattern]) => pattern.test(code));
    if (known) return known;
  }
  return undefined;
};

const closedPort = {
  what: 'nothing listens there',
  remedy: 'Start PostgreSQL, or correct the host and port.',
};
const unknownHost = { what: 'its host name is not known', remedy: 'Correct the host name.' };
const noWay = { what: 'there is no way to it', remedy: 'Check the network between, or correct the host.' };

const connectionFailures: Readonly<Record<string, { readonly what: string; readonly remedy: string }>> = {
  ECONNREFUSED: closedPort,
  ENOENT: closedPort,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  ETIMEDOUT: noWay,
};

/** Why a socket did not connect: a stable word, the end of the sentence "HOST cannot be used: …", and the remedy. */
export function noConnectionBy(thrown: unknown): { word: string; what: string; remedy: string } {
  const code = codeOf(thrown) ?? 'unknown';
  return {
    word: code.toLowerCase(),
    ...(connectionFailures[code] ?? { ...noWay, what: `it fails with ${code}` }),
  };
}

/** PostgreSQL: the connection or its server is gone. It is unknown whether the last statement ran. */
export const isConnectionLost = (thrown: unknown) => postgresFailure(thrown)?.[1] === 'connection_lost';

/** PostgreSQL: the server is read-only (a standby, or `default_transaction_read_only`). */
export const isReadOnlyServer = (thrown: unknown) => has(thrown, ['25006']);

/** PostgreSQL: a transaction ran longer than `transaction_timeout` of the server or the role. It did nothing, and its connection is gone. */
const isTransactionTimeout = (thrown: unknown) => has(thrown, ['25P04']);

/** PostgreSQL: a statement ran or waited for a lock longer than its limit. It did nothing. */
const isOverLimit = (thrown: unknown) => isTransactionTimeout(thrown) || has(thrown, ['57014', '55P03']);

/** Converts a failure of the storage itself to the Fault STORAGE_FAILED or DATABASE_BUSY. Returns any other error unchanged. */
export function storageFault(thrown: unknown): unknown {
  if (thrown instanceof Fault) return thrown;
  for (const code of codesOf(thrown)) {
    const isOfSqlite = sqliteFailures.some((known) => code === known || code.startsWith(`${known}_`));
    if (isOfSqlite || fileSystemFailures.has(code)) {
      return fail.STORAGE_FAILED(`The storage failed (${code.toLowerCase()}); nothing was written.`, {
        cause: code.toLowerCase(),
      });
    }
  }
  if (isBusy(thrown))
    return fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 });
  if (isOverLimit(thrown)) {
    const limit = isTransactionTimeout(thrown) ? 'transaction_timeout' : 'statement_timeout';
    const cause = isLockTimeout(thrown) ? 'lock_timeout' : limit;
    return fail.DATABASE_BUSY('The database took too long; nothing was written.', { cause, retryAfter: 1 });
  }
  const failure = postgresFailure(thrown);
  if (!failure) return thrown;
  const [, cause, tip] = failure;
  return fail.STORAGE_FAILED('The database cannot be used; nothing was written.', {
    cause,
    tip,
    retryAfter: 1,
  });
}

/**
 * Converts any thrown value to the Fault that a surface sends. An unexpected error becomes INTERNAL: its text may quote data, so it stays
 * out of the response.
 */
export function asFault(thrown: unknown): Fault {
  const known = storageFault(thrown);
  if (known instanceof Fault) return known;
  return thrown instanceof PluginFailure
    ? fail.INTERNAL(`The plugin "${thrown.plugin}" failed.`)
    : fail.INTERNAL('The server failed to answer this request.');
}
