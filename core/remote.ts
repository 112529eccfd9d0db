import ky, { HTTPError, TimeoutError } from 'ky';
import { Fault, fail } from './errors.ts';
import { withinCut, type Executor, type ToolCut } from './executor.ts';
import { unknownTool, type ToolDescription } from './operation.ts';

/** 5 attempts in all, within this time. */
const attempts = 5;
const totalMs = 60_000;

/** Where to send tools and on whose behalf. */
export interface Upstream {
  readonly url: string;
  readonly token: string;
}

/**
 * Runs tools on a Trivet server somewhere else. A refusal for rate (429) is retried for every tool, since the server did
 * nothing; an outage (502, 503, 504, network) only for tools that read or have an idempotency key: a write may have happened.
 */
export function remoteExecutor({ url, token }: Upstream, cut: ToolCut): Executor {
  const client = ky.create({
    baseUrl: url.endsWith('/') ? url : `${url}/`,
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    redirect: 'error',
    timeout: totalMs,
    totalTimeout: totalMs,
  });

  const retryFor = (safe: boolean) => ({
    limit: attempts - 1,
    methods: ['get' as const, 'post' as const],
    statusCodes: safe ? [429, 502, 503, 504] : [429],
    afterStatusCodes: [429, 503],
    jitter: true,
    backoffLimit: 10_000,
    // Without this, ky would also repeat a write whose connection broke on the way back.
    ...(safe
      ? {}
      : { shouldRetry: ({ error }: { error: Error }) => (error instanceof HTTPError ? undefined : false) }),
  });

  let listed: Promise<readonly ToolDescription[]> | undefined;
  const tools = () =>
    (listed ??= client
      .get('api/tools', { retry: retryFor(true) })
      .json<{ tools: ToolDescription[] }>()
      .then(
        (answer) => answer.tools.filter((tool) => withinCut(tool, cut)),
        (error: unknown) => {
          listed = undefined;
          throw upstreamFault(error, url);
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
        return await client
          .post(`api/tools/${name}`, { json: input, headers, signal, retry: retryFor(safe) })
          .json();
      } catch (error) {
        throw upstreamFault(error, url);
      }
    },
    close: async () => {},
  };
}

/** What the server said, as the same Fault it was there; or that it could not be reached. */
function upstreamFault(error: unknown, url: string): unknown {
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
    const wait = Number(headers.get('retry-after'));
    const waiting = status === 429 && wait > 0;
    return new Fault(code, { status, tip: word('tip') ?? '' }, word('message') ?? '', {
      ...(cause === undefined ? {} : { cause }),
      ...(waiting ? { retryAfter: wait, tip: `Wait ${wait} seconds, then try again.` } : {}),
    });
  }
  if (error instanceof Error && error.name === 'AbortError') return error;
  const reason = error instanceof TimeoutError ? 'did not answer in time' : 'cannot be reached';
  return fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} ${reason}.`);
}
