/** A request that failed, or one that cannot be made now. */
export interface TrivetError extends Error {
  /** One stable word: the server's `error.code`, or one of this SDK's (see the README, Errors). */
  readonly code: string;
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** The server's `error.cause`, e.g. `exp` of an ID token that is too old; absent if it gives none. */
  readonly cause?: unknown;
}

export function failure(code: string, message: string, status = 0, cause?: unknown): TrivetError {
  return Object.assign(new Error(message), { code, status }, cause && { cause });
}
