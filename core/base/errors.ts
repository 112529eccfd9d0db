/**
 * Every failure that may leave Trivet is a {@link Fault}: a stable code, a message, and a tip that says how to repair the call.
 * Each module declares its codes in one table. This file has the kernel's table and maps a status to an exit code. Surfaces
 * translate a Fault and never invent one.
 */

/** One error code. `status` is the HTTP status; `tip` is the default guidance, shown after `💡 Tip:`. */
export interface FaultKind {
  readonly status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 423 | 429 | 499 | 500 | 502 | 503;
  readonly tip: string;
}

/** What one occurrence adds: `cause` is one stable word, `tip` replaces the default, `retryAfter` is in seconds. */
interface FaultDetail {
  readonly cause?: string;
  readonly tip?: string;
  readonly retryAfter?: number;
}

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: string;
  readonly status: number;
  readonly tip: string;
  /** One stable word, e.g. the name of the invalid field. Not `Error.cause`: it is part of the response. */
  readonly causeWord: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    code: string,
    kind: { status: number; tip: string },
    message: string,
    detail: FaultDetail = {},
  ) {
    super(message);
    this.code = code;
    this.status = kind.status;
    this.tip = detail.tip ?? kind.tip;
    this.causeWord = detail.cause;
    this.retryAfter = detail.retryAfter;
  }

  /** The same error in other words, for a caller who knows more of what it means. */
  retold(message: string, tip: string): Fault {
    const { code, status, causeWord, retryAfter } = this;
    return new Fault(code, { status, tip }, message, {
      ...(causeWord !== undefined && { cause: causeWord }),
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}

type Thrower<K extends string> = Record<K, (message: string, detail?: FaultDetail) => Fault>;

/**
 * Turns a table of error codes into functions that create the error.
 * @example
 * const fail = defineErrors({ NOTE_NOT_FOUND: { status: 404, tip: 'Use list-notes to see the notes.' } });
 * throw fail.NOTE_NOT_FOUND('There is no note 7.');
 */
export function defineErrors<K extends string>(kinds: Readonly<Record<K, FaultKind>>): Readonly<Thrower<K>> {
  const makers = {} as Thrower<K>;
  for (const code of Object.keys(kinds) as K[]) {
    makers[code] = (message, detail) => new Fault(code, kinds[code], message, detail);
  }
  return makers;
}

export const coreErrors = {
  INVALID_JSON: { status: 400, tip: 'Send one JSON document encoded as UTF-8.' },
  INVALID_REQUEST: { status: 400, tip: 'Correct the named field and send the request again.' },
  UNAUTHENTICATED: {
    status: 401,
    tip: 'Send a live access token or a personal access token as "Authorization: Bearer …"; "trivet token create" makes one.',
  },
  FORBIDDEN: { status: 403, tip: 'Ask an administrator of the organization for a role that allows this.' },
  NOT_CONFIRMED: {
    status: 403,
    tip: 'Ask the person what to do instead; repeat the call only if they say so.',
  },
  READ_ONLY: { status: 403, tip: 'Use a token, or start Trivet, without the read-only restriction.' },
  HOST_NOT_ALLOWED: {
    status: 403,
    tip: 'Address the server by its own name, or name this host with --public-url or --allowed-hosts.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    tip: 'Call from a program instead of a web page, or name this origin with --cors-origin.',
  },
  NOT_FOUND: { status: 404, tip: 'Check the path against GET /openapi.json.' },
  ORGANIZATION_NOT_FOUND: { status: 404, tip: 'Use get-orgs-list to see the organizations you belong to.' },
  USER_NOT_FOUND: { status: 404, tip: 'Use get-all-users to see the users of your organizations.' },
  NOTHING_TO_UPDATE: { status: 400, tip: 'Give at least one field to change, besides the ids.' },
  UNKNOWN_TOOL: { status: 404, tip: 'List the tools you may use with "trivet tools" or GET /api/tools.' },
  CONFLICT: { status: 409, tip: 'Read the record again and repeat the change on its newest version.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    tip: 'Give each change a key of its own; repeat a call under its key only with the same arguments.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, tip: 'Send less at once; the limits are in docs/operations.md.' },
  ANSWER_TOO_LARGE: {
    status: 413,
    tip: 'Get the file over HTTP (POST /api/tools/{name}) or with "trivet call": both stream it.',
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, tip: 'Send the header "Content-Type: application/json".' },
  RATE_LIMITED: { status: 429, tip: 'Wait the seconds named in Retry-After, then try again.' },
  CLIENT_LEFT: { status: 499, tip: 'Keep the connection open until the response has arrived.' },
  INTERNAL: { status: 500, tip: 'Report this with the X-Request-Id; the server log has the details.' },
  UPSTREAM_FAILED: { status: 502, tip: 'Check that --url names a Trivet server of this version.' },
  UPSTREAM_UNREACHABLE: { status: 503, tip: 'Check --url, that the server runs, and the network between.' },
  DATABASE_BUSY: { status: 503, tip: 'Try again: another process held the database for too long.' },
  STORAGE_FAILED: {
    status: 503,
    tip: 'Check free space and permissions of the data directory, or the database server.',
  },
  OUTPUT_FAILED: {
    status: 500,
    tip: 'The tool has run. Free space at the destination of the output, then read the result with a tool that reads.',
  },
  STANDBY: {
    status: 503,
    tip: 'Send writes to the server that this one follows; trivet promote lets this one take over.',
  },
  FENCED: { status: 503, tip: 'Use the server that has taken over.' },
  CLAIM_LOST: {
    status: 503,
    tip: 'Try again: the server goes on once it can reach the target of --replicate.',
  },
  SCHEMA_IS_NEWER: { status: 503, tip: 'Restart the server with the version that changed the database.' },
  SERVER_BUSY: { status: 503, tip: 'Wait the seconds named in Retry-After, then try again.' },
  NOT_READY: { status: 503, tip: 'See the server log; trivet doctor names what is wrong and the remedy.' },
  SHUTTING_DOWN: { status: 503, tip: 'Try again in a few seconds: the server is restarting.' },
} as const satisfies Record<string, FaultKind>;

/**
 * Creates the kernel's errors.
 * @example throw fail.INVALID_REQUEST('The color must be red or blue.', { cause: 'color' });
 */
export const fail = defineErrors(coreErrors);

/** Exit codes of the command line. They are stable: scripts depend on them. */
export const exit = { ok: 0, failed: 1, badArguments: 2, auth: 3, unreachable: 4, usage: 64 } as const;

/** The exit code of a Fault (docs/contract.md, Exit codes). */
export function exitCodeOf(fault: Fault): number {
  switch (fault.status) {
    case 400:
    case 413:
    case 415:
      return exit.badArguments;
    case 401:
    case 403:
      return exit.auth;
    case 429:
    case 502:
    case 503:
      return exit.unreachable;
    default:
      return exit.failed;
  }
}

/** The error code that programs read for a usage error. One code has one exit code. */
const usageCodes = {
  [exit.badArguments]: 'INVALID_REQUEST',
  [exit.auth]: 'UNAUTHENTICATED',
  [exit.usage]: 'USAGE',
} as const;

/** A mistake in the command line or the configuration file. Its message is printed unchanged. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode: keyof typeof usageCodes;
  constructor(message: string, exitCode: keyof typeof usageCodes = exit.badArguments) {
    super(message);
    this.exitCode = exitCode;
  }

  get code(): string {
    return usageCodes[this.exitCode];
  }
}
