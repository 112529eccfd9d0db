import { describe, expect, test } from 'bun:test';
import { engine } from '../core/db/query/engine.ts';
import { createToken, compiled, runTrivet, serveTrivet, type Executable } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Traces as a collector receives them: a real receiver of OTLP over HTTP. Mutation note: seen to fail when the span of an operation begins
 * a trace of its own, when a traceparent is ignored, and when the name of a span is the path.
 */
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

/** A collector. */
function receiver() {
  const bodies: string[] = [];
  const headers: Array<string | null> = [];
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      // Another test may call a server that had this port before.
      if (!request.url.endsWith('/v1/traces')) return new Response(null, { status: 404 });
      bodies.push(`${new URL(request.url).pathname} ${await request.text()}`);
      headers.push(request.headers.get('x-key'));
      return Response.json({});
    },
  });
  const parsed = () =>
    bodies.map(
      (body) =>
        JSON.parse(body.slice(body.indexOf(' '))) as {
          resourceSpans: ReadonlyArray<{
            resource: { attributes: readonly Attribute[] };
            scopeSpans: ReadonlyArray<{ spans: readonly SentSpan[] }>;
          }>;
        },
    );
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    bodies,
    headers,
    spans: () =>
      parsed().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    resource: () => valuesOf(parsed()[0]?.resourceSpans[0]?.resource.attributes ?? []),
    stop: () => server.stop(true),
  };
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

const place = async () => [
  '--data',
  temporaryDirectory('traces'),
  ...(engine() === 'postgres' ? ['--database', await (await startPostgres()).createMigratedDatabase()] : []),
];

/** A server with tracing, on which a client with its own trace creates a project. @returns the status. */
async function traced(
  executable: Executable,
  env: Record<string, string>,
  traceparent?: string,
): Promise<number> {
  const where = await place();
  const server = await serveTrivet(executable, where, { env });
  const token = await createToken(executable, where);
  const { status } = await fetch(`${server.origin}/api/tools/create-project?secret=1`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-request-id': 'mine-1',
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    body: JSON.stringify({ orgId: 1, projectName: 'secret plan' }),
  });
  await fetch(`${server.origin}/ann@example.org/secret`);
  await server.stop();
  return status;
}

describe.each([compiled].map((one) => [one.name, one] as const))('%s', (_name, executable) => {
  test('a request, its operation and its transaction are one trace, that of the client', async () => {
    const collector = receiver();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc',
      OTEL_SERVICE_NAME: 'shop-tests',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=stage',
    };
    expect(await traced(executable, env, `00-${traceId}-${parentId}-01`)).toBe(200);
    expect(collector.bodies[0]).toStartWith('/v1/traces ');
    expect(collector.headers[0]).toBe('abc');
    expect(collector.resource()).toMatchObject({
      'service.name': 'shop-tests',
      'service.version': expect.any(String) as string,
      'deployment.environment.name': 'stage',
    });
    const spans = collector.spans();
    const named = (name: string) => spans.find((span) => span.name === name && span.traceId === traceId);
    const request = named('POST /api/tools/:name');
    const operation = named('operation create-project');
    const transaction = named('transaction tx');
    expect([request?.parentSpanId, request?.kind]).toEqual([parentId, 2]);
    expect(operation?.parentSpanId).toBe(request?.spanId ?? '');
    expect(transaction?.parentSpanId).toBe(operation?.spanId ?? '');
    expect(valuesOf(request?.attributes ?? [])).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/tools/:name',
      'http.response.status_code': 200,
      'trivet.request_id': 'mine-1',
    });
    expect(valuesOf(transaction?.attributes ?? [])).toEqual({
      'db.system.name': engine() === 'postgres' ? 'postgresql' : 'sqlite',
    });
    expect(spans.map(({ name }) => name)).toContain('GET (none)');
    expect(collector.bodies.join('')).not.toMatch(/secret|example\.org|trv_|Bearer/);
    await collector.stop();
  }, 30_000);

  const silent: ReadonlyArray<readonly [string, Record<string, string>, string | undefined]> = [
    ['they are switched off', { OTEL_SDK_DISABLED: 'true' }, undefined],
    ['there is no exporter', { OTEL_TRACES_EXPORTER: 'none' }, undefined],
    ['no trace is sampled', { OTEL_TRACES_SAMPLER: 'always_off' }, `00-${traceId}-${parentId}-01`],
    ['the client has not sampled its trace', {}, `00-${traceId}-${parentId}-00`],
  ];
  test.each(silent)('nothing of a call is sent when %s', async (_title, env, traceparent) => {
    const collector = receiver();
    const asked = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...env };
    expect(await traced(executable, asked, traceparent)).toBe(200);
    expect(collector.spans().filter(({ name }) => name.includes('create-project'))).toEqual([]);
    await collector.stop();
  });
});

test('a collector that is away costs no request, and one line says so', async () => {
  const where = await place();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '50' };
  const server = await serveTrivet(compiled, where, { env });
  for (let n = 0; n < 20; n++) {
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
    await Bun.sleep(100);
  }
  await server.stop();
  expect(server.stderr().split('"traces_not_sent"').length - 1).toBe(1);
}, 60_000);

/** @see A stop waited for its time-out, 10 seconds or as long as set. */
test('a collector that hangs does not hold a stop up', async () => {
  const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${silent.port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const server = await serveTrivet(compiled, await place(), { env });
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  await Bun.sleep(500);
  const from = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - from).toBeLessThan(9_000);
  expect(server.stderr().split('"traces_not_sent"').length - 1).toBe(1);
  silent.stop(true);
}, 90_000);

test('a sampler that does not exist is refused', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER: 'sometimes' };
  const words = ['serve', '--port', '0', '--data', temporaryDirectory('traces')];
  const { exitCode, stderr } = await runTrivet(compiled, words, { env });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('OTEL_TRACES_SAMPLER must be') as string]);
});
