import ky, { HTTPError, TimeoutError } from 'ky';
import { systemClock, type Clock } from '../clock.ts';
import { Fault, fail } from '../errors.ts';
import { withinCut, type Executor, type ToolCut } from './executor.ts';
import { fileAnswer, type FileAnswer } from './file-answer.ts';
import { unknownTool, type ToolDescription } from './operation.ts';

/** 5 attempts in all, within this time (docs/contract.md, Retries): longer than the server's window of a minute, even twice. */
const attempts = 5;
const maximumMs = 150_000;

/** Where to send tools and on whose behalf. */
interface Upstream {
  readonly url: string;
  readonly token: string;
}

/**
 * Runs tools on a Trivet server somewhere else. A refusal for rate (429) is retried for every tool, since the server did
 * nothing; an outage (502, 503, 504, network) only for tools that read or have an idempotency key: a write may have happened.
 */
export function remoteExecutor(
  { url, token }: Upstream,
  cut: ToolCut,
  { totalMs = maximumMs, clock = systemClock }: { readonly totalMs?: number; readonly clock?: Clock } = {},
): Executor {
  const client = ky.create({
    baseUrl: url.endsWith('/') ? url : `${url}/`,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    redirect: 'error',
    timeout: totalMs,
    totalTimeout: totalMs,
    fetch: (input, init) => fetchWhole(input, init, clock),
  });

  const retryFor = (safe: boolean) => {
    const giveUpAt = performance.now() + totalMs;
    return {
      limit: attempts - 1,
      methods: ['get' as const, 'post' as const],
      statusCodes: safe ? [429, 502, 503, 504] : [429],
      afterStatusCodes: [429, 503],
      jitter: true,
      backoffLimit: 10_000,
      shouldRetry: ({ error }: { error: Error }) => {
        if (error instanceof TimeoutError || error.name === 'AbortError') return undefined;
        // A write whose connection broke on the way back may have happened. Whether an error is one of the network ky tells
        // by the words of browsers and Node; Bun has others (measured: it repeats nothing that broke).
        if (!(error instanceof HTTPError)) return safe;
        // Waiting for longer than there is time would end in a timeout; the refusal itself says more.
        const wait = waitOf(error.response.headers, clock.now());
        return wait !== undefined && performance.now() + wait * 1000 > giveUpAt ? false : undefined;
      },
    };
  };

  let listed: Promise<readonly ToolDescription[]> | undefined;
  const tools = () =>
    (listed ??= client
      .get('api/tools', { retry: retryFor(true) })
      .json<{ tools: ToolDescription[] }>()
      .then(
        (answer) => answer.tools.filter((tool) => withinCut(tool, cut)),
        (error: unknown) => {
          listed = undefined;
          throw upstreamFault(error, url, clock.now());
        },
      ));

  return {
    tools,
    call: async (name, input, { signal, idempotencyKey }) => {
      const offered = await tools();
      const tool = offered.find((known) => known.name === name);
      if (!tool)
        throw unknownTool(
          name,
          offered.map((known) => known.name),
        );
      try {
        const safe = tool.effect === 'read' || idempotencyKey !== undefined;
        const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
        const response = await client.post(`api/tools/${name}`, {
          json: input,
          headers,
          signal,
          retry: retryFor(safe),
        });
        const file = fileOf(response);
        if (file) return file;
        if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) {
          throw fail.UPSTREAM_FAILED(
            `The server at ${new URL(url).origin} answered, but not as Trivet does.`,
          );
        }
        return await response.json();
      } catch (error) {
        throw upstreamFault(error, url, clock.now());
      }
    },
    close: async () => {},
  };
}

/**
 * Fetches an answer with its body, so that a connection that breaks in the middle of it counts as one that broke before: ky
 * has done its work when the head is there. A file is passed on as it arrives. Whatever header names the wait becomes
 * Retry-After, the one that ky reads in any case.
 */
async function fetchWhole(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  clock: Clock,
): Promise<Response> {
  const response = await fetch(input, init);
  if (response.headers.has('content-disposition')) return response;
  const body = await response.bytes();
  const announced = response.headers.get('content-length');
  // Bun takes a connection that ends early for the end of the body.
  if (announced !== null && body.byteLength < Number(announced) && !response.headers.has('content-encoding'))
    throw new TypeError('The answer was cut off.');
  const headers = new Headers(response.headers);
  const wait = waitOf(headers, clock.now());
  if (wait !== undefined) headers.set('retry-after', String(Math.ceil(wait)));
  const { status, statusText } = response;
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

/** The file that a response brings, as it arrives; null when it brings data. */
function fileOf(response: Response): FileAnswer | null {
  const disposition = response.headers.get('content-disposition');
  if (disposition === null) return null;
  const name = /filename="([\w.-]+)"/.exec(disposition)?.[1] ?? 'download';
  const mediaType = response.headers.get('content-type') ?? 'application/octet-stream';
  return fileAnswer(name, mediaType, async function* () {
    for await (const chunk of response.body ?? []) yield chunk;
  });
}

/** Epoch seconds begin here; what is smaller is a number of seconds to wait. */
const epochFrom = 1_000_000_000;

/**
 * The seconds that a refusal asks to wait: `Retry-After` (RFC 9110 §10.2.3: seconds or a date), the same in milliseconds, or
 * what the limit needs to begin anew (seconds, or as some servers have it the time in epoch seconds).
 */
function waitOf(headers: Headers, now: number): number | undefined {
  const inMs = headers.get('retry-after-ms');
  if (inMs !== null && /^\d+(\.\d+)?$/.test(inMs)) return Number(inMs) / 1000;
  const after =
    headers.get('retry-after') ?? headers.get('ratelimit-reset') ?? headers.get('x-ratelimit-reset');
  if (after === null) return undefined;
  const number = /^\d+(\.\d+)?$/.test(after) ? Number(after) : undefined;
  const seconds =
    number === undefined
      ? (Date.parse(after) - now) / 1000
      : number < epochFrom
        ? number
        : number - now / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** What the server said, as the same Fault it was there; or that it could not be reached. */
function upstreamFault(error: unknown, url: string, now: number): unknown {
  if (error instanceof HTTPError) {
    const { status, headers } = error.response;
    const body = (error.data as { error?: Record<string, unknown> } | undefined)?.error;
    const word = (key: string) => (typeof body?.[key] === 'string' ? (body[key] as string) : undefined);
    const code = word('code');
    if (code === undefined) {
      return fail.UPSTREAM_FAILED(
        `The server at ${new URL(url).origin} answered ${status}, not as Trivet does.`,
      );
    }
    const cause = word('cause');
    const wait = waitOf(headers, now);
    const waiting = status === 429 && wait !== undefined;
    return new Fault(code, { status, tip: word('tip') ?? '' }, word('message') ?? '', {
      ...(cause === undefined ? {} : { cause }),
      ...(waiting ? { retryAfter: wait, tip: `Wait ${Math.ceil(wait)} seconds, then try again.` } : {}),
    });
  }
  if (error instanceof Fault || (error instanceof Error && error.name === 'AbortError')) return error;
  const reason = error instanceof TimeoutError ? 'did not answer in time' : 'cannot be reached';
  return fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} ${reason}.`);
}
