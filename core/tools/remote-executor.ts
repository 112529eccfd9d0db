import ky, { HTTPError, TimeoutError } from 'ky';
import { systemClock, type Clock } from '../base/clock.ts';
import { agentHeader } from '../base/agent-name.ts';
import { fail, Fault } from '../base/errors.ts';
import { certificateFailure, certificateFaultOf } from '../base/foreign-errors.ts';
import { notTrivet, refuseRedirect } from '../base/server-address.ts';
import { withinCut, type Executor, type ToolCut } from './executor.ts';
import type { GivenFile } from '../base/given-file.ts';
import { fileAnswer, partOfHeaders, type FileAnswer } from './file-answer.ts';
import { unknownTool } from './operation.ts';
import type { ToolDescription } from './tool-description.ts';

/** 5 attempts within this time (docs/contract.md, Retries): more than two rate windows of the server (a minute each). */
const attempts = 5;
const maxMs = 150_000;

/** Bytes of the files of one call; the server takes a little more (core/http/request/given-files.ts). */
const sentAtMost = 31 * 2 ** 20;

/**
 * Runs tools on another Trivet server. A 429 is retried for every tool, since the server did nothing; an outage (502, 503, 504,
 * network) only for a tool that reads or has an idempotency key: a write may have happened.
 * @param server its URL, and the token or what gives the present one.
 * @param options `forAgent`: an agent calls, so its writes are those of an agent there, too.
 */
export function remoteExecutor(
  { url, token }: { readonly url: string; readonly token: string | (() => Promise<string>) },
  cut: ToolCut,
  {
    totalMs = maxMs,
    clock = systemClock,
    forAgent = false,
  }: { readonly totalMs?: number; readonly clock?: Clock; readonly forAgent?: boolean } = {},
): Executor {
  const client = ky.create({
    baseUrl: url.endsWith('/') ? url : `${url}/`,
    headers: { accept: 'application/json' },
    hooks: {
      // Before each call: a client of MCP lives longer than an access token.
      beforeRequest: [
        async ({ request }) => {
          const bearer = typeof token === 'string' ? token : await token();
          request.headers.set('authorization', `Bearer ${bearer}`);
        },
      ],
    },
    redirect: 'manual',
    timeout: totalMs,
    totalTimeout: totalMs,
    fetch: (input, init) => fetchWhole(input, init, clock),
  });

  let listed: Promise<readonly ToolDescription[]> | undefined;
  const tools = () =>
    (listed ??= client
      .get('api/tools', { retry: retryWithin(totalMs, { safe: true, clock }) })
      .then((response) => dataOf(response, url) as Promise<{ tools: ToolDescription[] }>)
      .then(
        (answer) => answer.tools.filter((tool) => withinCut(tool, cut)),
        (error: unknown) => {
          listed = undefined;
          // Every Trivet lists its tools.
          if (error instanceof HTTPError && error.response.status === 404) throw notTrivet(url);
          throw upstreamFault(error, url, clock.now());
        },
      ));

  return {
    tools,
    tool: async (name) => (await tools()).find((one) => one.name === name),
    call: async (name, input, { signal, idempotencyKey, client: agent, files = [] }) => {
      const offered = await tools();
      const tool = offered.find((known) => known.name === name);
      if (!tool) throw unknownTool(name, offered);
      try {
        // An operation that takes files is safe to repeat.
        const safe = tool.effect === 'read' || idempotencyKey !== undefined || files.length > 0;
        const headers = {
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(forAgent ? { [agentHeader]: encodeURIComponent(agent ?? '') } : {}),
        };
        const response = await client.post(`api/tools/${name}`, {
          ...(files.length > 0 ? { body: await formOf(input, files) } : { json: input }),
          headers,
          signal,
          retry: retryWithin(totalMs, { safe, clock }),
        });
        const file = fileOf(response);
        if (file) return file;
        return await dataOf(response, url);
      } catch (error) {
        throw upstreamFault(error, url, clock.now());
      }
    },
    close: async () => {},
  };
}

/** How ky repeats one call. @param safe whether a call that may have happened may be repeated. */
function retryWithin(totalMs: number, { safe, clock }: { readonly safe: boolean; readonly clock: Clock }) {
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
      if (error instanceof Fault) return false;
      // A write whose connection broke before the response may have happened. ky recognizes network errors by the texts of browsers
      // and Node; Bun has others (measured: by itself ky retries none of them).
      if (!(error instanceof HTTPError)) return safe && certificateFailure(error) === undefined;
      // A wait longer than the time left would end in a timeout; the error itself says more.
      const wait = waitOf(error.response.headers, clock.now());
      return wait !== undefined && performance.now() + wait * 1000 > giveUpAt ? false : undefined;
    },
  };
}

/** A file as it is sent: compressed, unless it is so already, because the server unpacks once. It is read once: it may be a pipe. */
async function* packed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const head: Uint8Array[] = [];
    while (Buffer.concat(head).length < 2) {
      const next = await source.next();
      if (next.done) break;
      head.push(next.value);
    }
    const whole = (async function* () {
      yield* head;
      yield* { [Symbol.asyncIterator]: () => source };
    })();
    const [first, second] = Buffer.concat(head);
    if (first === 0x1f && second === 0x8b) yield* whole;
    else yield* new Response(whole).body?.pipeThrough(new CompressionStream('gzip')) ?? [];
  } finally {
    await source.return?.();
  }
}

/** Input and files as multipart/form-data, the files compressed: reports of tests take a tenth. */
async function formOf(input: unknown, files: readonly GivenFile[]): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(input as object))
    if (value !== undefined) form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  let size = 0;
  for (const { name, chunks, asIs } of files) {
    const blob = await new Response(asIs ? chunks() : packed(chunks())).blob();
    size += blob.size;
    if (size > sentAtMost)
      throw fail.PAYLOAD_TOO_LARGE(
        `The files take more than ${sentAtMost / 2 ** 20} MiB, compressed where they may be, which is too much for one call.`,
        { tip: 'Upload them in several calls with the same --run-key: they meet in one run.' },
      );
    form.append('file', blob, name);
  }
  return form;
}

/**
 * Fetches a response with its body, so that a connection that breaks within the body is retried too: ky retries only until the head
 * has arrived. A file is streamed. Any header with a time to wait becomes Retry-After, which ky reads.
 */
async function fetchWhole(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  clock: Clock,
): Promise<Response> {
  const response = await fetch(input, init);
  refuseRedirect(response);
  if (response.headers.has('content-disposition')) return response;
  const body = await response.bytes();
  const announced = response.headers.get('content-length');
  // Bun treats a connection that ends early as the end of the body.
  if (announced !== null && body.byteLength < Number(announced) && !response.headers.has('content-encoding'))
    throw new TypeError('The answer was cut off.');
  const headers = new Headers(response.headers);
  const wait = waitOf(headers, clock.now());
  if (wait !== undefined) headers.set('retry-after', String(Math.ceil(wait)));
  const { status, statusText } = response;
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

/** The data of a response. @throws Fault UPSTREAM_FAILED for a page, e.g. of a proxy that wants a sign-in. */
async function dataOf(response: Response, url: string): Promise<unknown> {
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) throw notTrivet(url);
  return await response.json();
}

/** The file of a response as a stream; null for data. */
function fileOf(response: Response): FileAnswer | null {
  const disposition = response.headers.get('content-disposition');
  if (disposition === null) return null;
  const name = /filename="([\w.-]+)"/.exec(disposition)?.[1] ?? 'download';
  const mediaType = response.headers.get('content-type') ?? 'application/octet-stream';
  const content = async function* () {
    for await (const chunk of response.body ?? []) yield chunk;
  };
  return fileAnswer(name, mediaType, content, partOfHeaders(response.headers));
}

/** Numbers from this value on are epoch seconds; smaller ones are seconds to wait. */
const epochFrom = 1_000_000_000;

/**
 * The seconds to wait before a retry: `Retry-After` (RFC 9110 §10.2.3: seconds or a date), the same in milliseconds, or the reset of
 * the rate limit (seconds, or epoch seconds from some servers).
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

/** The error of the server as the same Fault, or UPSTREAM_UNREACHABLE. */
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
    const busy = status === 502 || status === 503 || status === 504;
    const waits = wait === undefined ? '' : `Wait ${Math.ceil(wait)} seconds, then try again.`;
    const tip = word('tip') ?? '';
    return new Fault(code, { status, tip }, word('message') ?? '', {
      ...(cause === undefined ? {} : { cause }),
      ...(status === 429 && wait !== undefined ? { retryAfter: wait, tip: waits } : {}),
      ...(busy && wait ? { retryAfter: wait, tip: `${tip} ${waits}`.trim() } : {}),
    });
  }
  if (error instanceof Fault || (error instanceof Error && error.name === 'AbortError')) return error;
  const certificate = certificateFailure(error);
  if (certificate) return certificateFaultOf(url, certificate);
  const reason = error instanceof TimeoutError ? 'did not answer in time' : 'cannot be reached';
  return fail.UPSTREAM_UNREACHABLE(`The server at ${new URL(url).origin} ${reason}.`);
}
