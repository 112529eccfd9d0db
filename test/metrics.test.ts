import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { coreMetrics } from '../core/metrics/core-metrics.ts';
import type { Metric } from '../core/metrics/metric.ts';
import { compiled, createToken, runTrivet, serveTrivet } from './executable.ts';
import { startTestKernel, type TestKernel } from './kernel.ts';
import { samplesIn } from './monitoring/samples.ts';
import { startPostgres } from './postgres.ts';
import { launchPath } from './served.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Metrics as a monitoring system receives them. Mutation note: seen to fail when the label of a route is its path, when a token of an
 * administrator may scrape, and when a worker answers for itself alone.
 */
let trivet: TestKernel;
beforeAll(async () => {
  trivet = await startTestKernel();
});
afterAll(() => trivet.stop());

/** All metrics that a server declares. */
const declared = (): readonly Metric[] => [
  ...Object.values(coreMetrics),
  ...trivet.kernel.modules.flatMap(({ metrics }) => Object.values(metrics ?? {})),
];

test('metrics are declared once, in words of one form, and labels are not ids', () => {
  const all = declared();
  const names = all.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(25);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, type, help, labels } of all) {
    expect(name).toMatch(/^(?:trivet|process)_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(help).toMatch(/\.$/);
    for (const label of labels) expect(label).not.toMatch(/id$|user|tenant|path|address|email/i);
  }
});

describe('what happens is counted', () => {
  const headers = { 'auth-userid': '7', api_version: '1', 'x-tenant-id': 'default' };
  const signIn = (identifier: string) =>
    trivet.post('/v1/auth/social/authenticate', {
      responseType: 'token',
      grantType: 'id_token',
      identifier,
      idProvider: 'dev',
      resources: [],
    });
  const cases: ReadonlyArray<
    readonly [string, () => Promise<unknown>, ReadonlyArray<readonly [string, number]>]
  > = [
    [
      'a request by its route and status',
      () => trivet.fetch('/healthz'),
      [
        ['trivet_http_requests_total{method="GET",route="/healthz",status="200"}', 1],
        ['trivet_http_request_seconds_count{method="GET",route="/healthz"}', 1],
      ],
    ],
    [
      'a path that no route has, a method that nobody knows',
      async () => {
        await trivet.fetch('/ann@example.org/secret?x=1');
        await trivet.fetch('/other', { method: 'PROPFIND' });
      },
      [
        ['trivet_http_requests_total{method="GET",route="(none)",status="404"}', 1],
        ['trivet_http_requests_total{method="other",route="(none)",status="404"}', 1],
        ['trivet_refusals_total{code="NOT_FOUND"}', 2],
      ],
    ],
    [
      'a sign-in and a refusal with its cause',
      async () => {
        await trivet.signIn('bob@example.org');
        await signIn('x.y.z');
      },
      [
        ['trivet_sign_ins_total{provider="dev",outcome="ok"}', 1],
        ['trivet_sign_ins_total{provider="dev",outcome="malformed"}', 1],
        ['trivet_refusals_total{code="INVALID_ID_TOKEN"}', 1],
      ],
    ],
    [
      'a refresh and one that is refused',
      async () => {
        const { refreshToken } = await trivet.signIn('cid@example.org');
        await trivet.post('/v1/auth/token/refresh', { refreshToken });
        await trivet.post('/v1/auth/token/refresh', { refreshToken: 'no token' });
      },
      [
        ['trivet_session_refreshes_total{outcome="ok"}', 1],
        ['trivet_session_refreshes_total{outcome="malformed"}', 1],
      ],
    ],
    [
      'a launch, also of an old app',
      async () => {
        await trivet.post(launchPath, {}, undefined, headers);
        await trivet.post(launchPath, {}, undefined, { ...headers, api_version: '0' });
      },
      [
        ['trivet_launches_total{outcome="admitted"}', 1],
        ['trivet_launches_total{outcome="gated"}', 1],
      ],
    ],
    [
      'a tool with its outcome',
      async () => {
        const { accessToken } = await trivet.signIn('dan@example.org');
        await trivet.post('/api/tools/get-orgs-list', {}, accessToken);
        await trivet.post('/api/tools/get-projects', { orgId: 999 }, accessToken);
      },
      [
        ['trivet_operations_total{operation="get-orgs-list",surface="http",code="ok"}', 1],
        ['trivet_operations_total{operation="get-projects",surface="http",code="FORBIDDEN"}', 1],
        ['trivet_operation_seconds_count{operation="get-orgs-list"}', 1],
      ],
    ],
  ];
  test.each(cases)('%s', async (_title, act, increments) => {
    const before = samplesIn(await scrape());
    await act();
    const after = samplesIn(await scrape());
    for (const [series, by] of increments)
      expect([series, (after.get(series) ?? 0) - (before.get(series) ?? 0)]).toEqual([series, by]);
  });

  test('what is shown is declared, and nobody is named', async () => {
    const text = await scrape();
    const known = new Set(declared().map(({ name }) => name));
    for (const series of samplesIn(text).keys())
      expect(known).toContain((/^\w+/.exec(series)?.[0] ?? '').replace(/_(?:bucket|sum|count)$/, ''));
    expect(text).not.toMatch(/example\.org|secret|eyJ|127\.0\.0\.1/);
  });
});

const { exposition } = await import('../core/metrics/exposition.ts');
const scrape = async () => exposition([{ metrics: trivet.counts.snapshot() }], null).text;

describe('who may scrape', () => {
  test('only a token of that scope, made on the machine', async () => {
    const data = temporaryDirectory('scrape');
    const server = await serveTrivet(compiled, ['--data', data, '--dev']);
    const where = ['--data', data];
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${server.origin}/metrics`, { headers })).status;
    const of = (token: string) => ask({ authorization: `Bearer ${token}` });
    const narrow = async (scopes: string) => {
      const words = ['token', 'create', '--email', 'owner@example.org', '--name', 'x', '--scopes', scopes];
      return (await runTrivet(compiled, [...words, ...where])).stdout.trim();
    };
    expect(await ask({})).toBe(401);
    expect(await of('trv_wrong')).toBe(401);
    expect(await of(await createToken(compiled, where))).toBe(403);
    expect(await of(await narrow('admin'))).toBe(403);
    const scraper = await narrow('metrics');
    expect(await of(scraper)).toBe(200);
    // The token opens nothing else.
    const tools = await fetch(`${server.origin}/api/tools`, {
      headers: { authorization: `Bearer ${scraper}` },
    });
    expect(await tools.json()).toEqual({ tools: [] });
    await server.stop();
  });

  test('no session gives the scope away, that of an administrator included', async () => {
    const { accessToken } = await trivet.signIn('eve@example.org');
    const body = { name: 'x', scopes: ['metrics'] };
    const answer = await trivet.post('/api/tools/create-access-token', body, accessToken);
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN', cause: 'scopes' } } });
    expect(
      (await trivet.fetch('/metrics', { headers: { authorization: `Bearer ${accessToken}` } })).status,
    ).toBe(403);
  });

  test('on an address of its own without a token, but not a page of a foreign name', async () => {
    const args = ['--data', temporaryDirectory('scrape'), '--metrics-listen', '0'];
    const server = await serveTrivet(compiled, args);
    const origin = /"origin":"([^"]+)"/.exec(server.stderr())?.[1] ?? '';
    expect(origin).toStartWith('http://127.0.0.1:');
    const status = async (path: string, init?: RequestInit) => (await fetch(`${origin}${path}`, init)).status;
    expect(await status('/metrics')).toBe(200);
    expect(await status('/metrics', { headers: { host: 'evil.example' } })).toBe(403);
    expect(await status('/metrics', { method: 'POST' })).toBe(404);
    expect(await status('/api/tools')).toBe(404);
    await server.stop();
  });

  const wrong: ReadonlyArray<readonly [string, RegExp]> = [
    ['x', /must be a port, or a host and a port/],
    ['127.0.0.1', /must be a port, or a host and a port/],
    ['203.0.113.1:9', /--metrics-listen: cannot listen on 203\.0\.113\.1:9/],
  ];
  test.each(wrong)('--metrics-listen %s', async (address, message) => {
    const words = [
      'serve',
      '--port',
      '0',
      '--data',
      temporaryDirectory('scrape'),
      '--metrics-listen',
      address,
    ];
    const { exitCode, stderr } = await runTrivet(compiled, words);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});

test.if(process.platform === 'linux')(
  'with several processes one scrape shows all, and which do not answer',
  async () => {
    const url = await (await startPostgres()).createDatabase();
    const where = ['--database', url, '--data', temporaryDirectory('scrape')];
    const server = await serveTrivet(compiled, [...where, '--processes', '2', '--metrics-listen', '0']);
    const origin = /"event":"metrics_listening","origin":"([^"]+)"/.exec(server.stderr())?.[1] ?? '';
    const words = ['token', 'create', '--email', 'o@example.org', '--name', 'x', '--scopes', 'metrics'];
    const token = (await runTrivet(compiled, [...words, ...where])).stdout.trim();
    // Each over its own connection: the operating system gives it to one of the workers.
    for (let n = 0; n < 20; n++)
      await fetch(`${server.origin}/healthz`, { headers: { connection: 'close' } });
    const authorization = { authorization: `Bearer ${token}` };
    const ways = [fetch(`${origin}/metrics`), fetch(`${server.origin}/metrics`, { headers: authorization })];
    for (const way of ways) {
      const samples = samplesIn(await (await way).text());
      const healthy = [1, 2].map(
        (worker) =>
          samples.get(
            `trivet_http_requests_total{worker="${worker}",method="GET",route="/healthz",status="200"}`,
          ) ?? 0,
      );
      expect(healthy.reduce((sum, count) => sum + count)).toBe(20);
      expect([1, 2].map((worker) => samples.get(`trivet_worker_up{worker="${worker}"}`))).toEqual([1, 1]);
    }
    const [pid = ''] = /"workers":"(\d+)/.exec(server.stderr())?.slice(1) ?? [];
    process.kill(Number(pid), 'SIGSTOP');
    const stopped = samplesIn(await (await fetch(`${origin}/metrics`)).text());
    expect([1, 2].map((worker) => stopped.get(`trivet_worker_up{worker="${worker}"}`))).toEqual([0, 1]);
    process.kill(Number(pid), 'SIGCONT');
    await server.stop();
  },
  60_000,
);
