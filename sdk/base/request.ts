import type { Environment } from './environment.ts';
import { failure, type TrivetError } from './failure.ts';
import { timer } from './timer.ts';

/** The answer of the server; status 0: there was none. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Milliseconds that the server asks to wait; 0 unless it does. */
  readonly retryAfter: number;
}

const timeout = 10_000;

/** Sends JSON and reads JSON. Never rejects: without an answer within 10 s the status is 0. */
export async function send(
  environment: Environment,
  path: string,
  init: RequestInit & { readonly json?: string | undefined },
  fetching = environment.fetch,
): Promise<Answer> {
  const nothing: Answer = { status: 0, body: {}, retryAfter: 0 };
  const abort = typeof AbortController === 'function' ? new AbortController() : undefined;
  let stop = () => {};
  try {
    const late = new Promise<Answer>((resolve) => {
      // Real time, also in a test with a clock of its own: what hangs is the network.
      stop = timer(timeout, () => {
        resolve(nothing);
        abort?.abort();
      });
    });
    const { json: body = null, headers } = init;
    const given = Object.assign({}, body === null ? {} : { 'content-type': 'application/json' }, headers);
    const request = Object.assign(
      { method: 'POST' },
      init,
      { body, headers: given },
      abort && { signal: abort.signal },
    );
    const answer = await Promise.race([
      late,
      fetching(environment.url + path, request).then(async (response) => ({
        status: response.status,
        retryAfter: waitOf(response.headers.get('retry-after') ?? '', environment.now()),
        body: await bodyOf(response),
      })),
    ]);
    if (answer.status > 0) environment.recovered('UNREACHABLE');
    return answer;
  } catch (error) {
    // There is no token for the request: that is why there is no answer. What another `fetch` throws has no status.
    return Object.assign(nothing, (Object(error) as TrivetError).status >= 0 && { body: { error } });
  } finally {
    stop();
  }
}

/** `Retry-After`: seconds, or a date. Of a date at most a minute: the clock of the device may be wrong. */
const waitOf = (header: string, now: number): number =>
  1000 * Number(header) || Math.min(60_000, Math.max(0, Date.parse(header) - now)) || 0;

async function bodyOf(response: Response): Promise<Answer['body']> {
  const text = await response.text();
  try {
    const given = JSON.parse(text) as Answer['body'] | null;
    // A server with --auth-envelope.
    const body = given?.['error'] === null ? given['data'] : given;
    return typeof body === 'object' && body !== null ? (body as Answer['body']) : {};
  } catch {
    return {};
  }
}

/** What an answer that is no success means, as an error that says what to do. */
export function failureOf({ status, body }: Answer, environment: Environment): TrivetError {
  const error = body['error'] as { code?: unknown; message?: unknown; cause?: unknown } | undefined;
  if (typeof error?.code === 'string') return failure(error.code, String(error.message), status, error.cause);
  return status === 0
    ? failure('UNREACHABLE', `There is no answer from ${environment.url}.`)
    : failure('UNEXPECTED_ANSWER', `${environment.url} is no Trivet server: it answered ${status}.`, status);
}

/** Whether the same request may succeed later: no answer, too many requests, a server that is busy or away. */
export const mayPass = ({ status }: Answer): boolean => status === 0 || status === 429 || status >= 500;

/**
 * Whether the same request will be refused again. A server without the route is older than this SDK. A proxy whose server is away says 404,
 * too, or 400.
 */
export const isRefused = ({ status, body }: Answer): boolean =>
  status === 413 || ((status === 400 || status === 404) && !!body['error']);

/** Milliseconds before the next attempt: 1, 2, 4 … 60 s ± 50 %, and never before the server wants it. */
export function backoff(failures: number, retryAfter: number, random: () => number): number {
  return Math.max(retryAfter, Math.min(60_000, 1000 * 2 ** (failures - 1)) * (0.5 + random()));
}
