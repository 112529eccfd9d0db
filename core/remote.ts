import ky, { HTTPError, TimeoutError } from 'ky';
import { systemClock, type Clock } from './clock.ts';
import { Fault, fail } from './errors.ts';
import { withinCut, type Executor, type ToolCut } from './executor.ts';
import { fileAnswer, type FileAnswer } from './file-answer.ts';
import { unknownTool, type ToolDescription } from './operation.ts';

/** 5 attempts in all, within this time (CONTRACT §3). */
const attempts = 5;
const maximumMs = 60_000;

/** Where to send tools and on whose behalf. */
export interface Upstream {
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

/** The seconds that a refusal asks to wait (RFC 9110 §10.2.3: seconds or a date), or that its limit needs to begin anew. */
function waitOf(headers: Headers, now: number): number | undefined {
  const after = headers.get('retry-after') ?? headers.get('ratelimit-reset');
  if (after === null) return undefined;
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
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
      ...(waiting ? { retryAfter: wait, tip: `Wait ${wait} seconds, then try again.` } : {}),
    });
  }
  if (error instanceof Fault || (error instanceof Error && error.name === 'AbortError')) return error;
  const reason = error instanceof TimeoutError ? 'did not answer in time' : 'cannot be reached';
  return fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} ${reason}.`);
}
