import { afterAll, beforeAll, expect, test } from 'bun:test';
import { engine } from '../../core/db/query/engine.ts';
import { mintDevIdToken } from '../../modules/auth/providers/dev-provider.ts';
import { startTestKernel, type TestKernel } from '../kernel.ts';
import { startPostgresProxy, type PostgresProxy } from '../postgres-proxy.ts';
import { startPostgres } from '../postgres.ts';
import { deltaPath, launchPath } from '../served.ts';
import { temporaryDirectory } from '../temporary.ts';

/*
 * The number of PostgreSQL responses that a request waits for in sequence: the cost of a request when the database is on another machine.
 * An additional statement in a sequence, or one that is no longer started together with another, fails here.
 *
 * Mutation note: seen to fail when the audit entry of a call is awaited, when BEGIN is awaited, and when the caller's roles are read by a
 * statement of their own.
 */
const onPostgres = engine() === 'postgres';

let proxy: PostgresProxy;
let trivet: TestKernel;
let token = '';
const ids: Record<string, number> = {};

beforeAll(async () => {
  if (!onPostgres) return;
  const url = await (await startPostgres()).createDatabase();
  proxy = await startPostgresProxy(url, { delayMs: 2 });
  trivet = await startTestKernel({
    settings: { 'rate-tools': '0' },
    again: { location: { engine: 'postgres', url: proxy.url }, directory: temporaryDirectory('data') },
  });
  const { kernel } = trivet;
  const owner = await trivet.signIn('owner@example.org');
  const { localExecutor } = await import('../../core/tools/local-executor.ts');
  const local = localExecutor(kernel, await kernel.identity.local(kernel.host, undefined), {});
  const call = async (tool: string, args: object) =>
    (await local.call(tool, args, { signal: AbortSignal.timeout(10_000) })) as Record<
      string,
      number & string
    >;
  const { code } = await call('invite-user', { orgId: 1, role: 'admin' });
  await trivet.post('/api/tools/accept-invitation', { code }, owner.accessToken);
  token = owner.accessToken;
  ids['project'] = (await call('create-project', { orgId: 1, projectName: 'p' }))['projectId'] ?? 0;
  const { labels } = (await call('add-labels', {
    projectId: ids['project'],
    labels: ['a', 'b'],
  })) as unknown as {
    labels: Array<{ labelId: number }>;
  };
  const top = await call('add-section', { projectId: ids['project'], sectionName: 'top' });
  const below = { projectId: ids['project'], sectionName: 'below', parentSectionId: top['sectionId'] };
  ids['section'] = (await call('add-section', below))['sectionId'] ?? 0;
  const { tests } = (await call('bulk-add-tests', {
    projectId: ids['project'],
    tests: Array.from({ length: 30 }, (_, n) => ({
      testName: `test ${n}`,
      sectionId: ids['section'],
      labels: labels.map(({ labelId }) => labelId),
    })),
  })) as unknown as { tests: Array<{ testId: number }> };
  ids['label'] = labels[0]?.labelId ?? 0;
  ids['test'] = tests[0]?.testId ?? 0;
  const testIds = tests.map(({ testId }) => testId);
  ids['run'] = (await call('create-run', { projectId: ids['project'], runName: 'r', testIds }))['runId'] ?? 0;
  const rule = {
    stateToAction: { '1': 'show' },
    stateTransition: { opened: { '0': [{ transitionTo: '1' }] } },
    actions: [{ actionId: 'show', type: 'POPUP', template: 't' }],
    priority: 1,
  };
  const { ctaId } = await call('create-cta', { name: 'c', rule });
  await call('set-cta-status', { ctaId, status: 'LIVE' });
  ids['cta'] = Number(ctaId);
}, 60_000);

afterAll(async () => {
  if (!onPostgres) return;
  await trivet.stop();
  proxy.stop();
});

const tool = (name: string, args: object) => trivet.post(`/api/tools/${name}`, args, token);
const user = { 'auth-userid': '7', api_version: '1' };
let moment = 1;
const snapshot = () => ({
  ctas: [
    {
      ctaId: String(ids['cta']),
      activeStateMachines: {
        default: { currentState: '1', lastTransitionAt: ++moment, createdAt: Date.now() },
      },
    },
  ],
});
let refreshToken: string | undefined;

const cases: ReadonlyArray<readonly [string, number, () => Promise<{ status: number }>]> = [
  ['launch', 1, () => trivet.post(launchPath, {}, undefined, user)],
  ['launch that merges', 2, () => trivet.post(launchPath, snapshot(), undefined, user)],
  ['delta', 2, () => trivet.post(deltaPath, snapshot(), undefined, user)],
  [
    'delta of a new user',
    2,
    () => trivet.post(deltaPath, snapshot(), undefined, { ...user, 'auth-userid': String(1_000 + ++moment) }),
  ],
  [
    'verify',
    1,
    () => trivet.fetch('/v1/auth/token/verify', { headers: { authorization: `Bearer ${token}` } }),
  ],
  [
    'refresh',
    2,
    async () => {
      refreshToken ??= (await trivet.signIn('refresh@example.org')).refreshToken;
      proxy.reset();
      const answer = await trivet.post('/v1/auth/token/refresh', { refreshToken });
      refreshToken = String(answer.body['refreshToken']);
      return answer;
    },
  ],
  [
    'authenticate',
    2,
    async () => {
      const identifier = await mintDevIdToken(trivet.kernel.host, 'again@example.org');
      proxy.reset();
      return trivet.post('/v1/auth/social/authenticate', {
        responseType: 'token',
        grantType: 'id_token',
        identifier,
        idProvider: 'dev',
        resources: [],
      });
    },
  ],
  [
    'authenticate a new user',
    3,
    async () => {
      const identifier = await mintDevIdToken(trivet.kernel.host, `new${++moment}@example.org`);
      proxy.reset();
      return trivet.post('/v1/auth/social/authenticate', {
        responseType: 'token',
        grantType: 'id_token',
        identifier,
        idProvider: 'dev',
        resources: [],
      });
    },
  ],
  ['get-tests', 3, () => tool('get-tests', { projectId: ids['project'], limit: 20 })],
  [
    'get-tests of a section',
    3,
    () => tool('get-tests', { projectId: ids['project'], sectionId: ids['section'], limit: 20 }),
  ],
  [
    'get-tests of a query',
    3,
    () =>
      tool('get-tests', {
        projectId: ids['project'],
        query: 'section:none -priority:High last:none,failed flaky:no sort:updated-desc',
        limit: 20,
      }),
  ],
  ['get-test-details', 3, () => tool('get-test-details', { projectId: ids['project'], testId: ids['test'] })],
  [
    'run-update-test-status of one',
    2,
    () =>
      tool('run-update-test-status', {
        projectId: ids['project'],
        runId: ids['run'],
        testResults: [{ testId: ids['test'], status: ++moment % 2 === 0 ? 'passed' : 'failed' }],
      }),
  ],
  ['create-test', 4, () => tool('create-test', { projectId: ids['project'], testName: 'new' })],
  [
    'create-test with section and label',
    4,
    () =>
      tool('create-test', {
        projectId: ids['project'],
        testName: 'new',
        sectionId: ids['section'],
        labels: [ids['label']],
      }),
  ],
];

test.if(onPostgres).each(cases)('%s waits at most %d times', async (_, most, request) => {
  let least = Number.POSITIVE_INFINITY;
  let texts: readonly string[] = [];
  // The first requests prepare their statements on each connection.
  for (let round = 0; round < 15; round++) {
    proxy.reset();
    const { status } = await request();
    expect(status).toBe(200);
    const counted = proxy.counted();
    if (counted.waits < least) ({ waits: least, texts } = counted);
  }
  if (least > most) process.stdout.write(`${texts.join('\n')}\n`);
  expect(least).toBeLessThanOrEqual(most);
});
