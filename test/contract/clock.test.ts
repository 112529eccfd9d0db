import { afterEach, expect, test } from 'bun:test';
import { localExecutor } from '../../core/tools/local-executor.ts';
import { startTestKernel, stillClock, type TestKernel } from '../kernel.ts';
import { deltaPath, launchPath } from '../served.ts';

/*
 * The clock of the machine is changed by an hour, forward or back, under a running server that has data of all three areas. Nothing
 * acknowledged is lost or reordered, and everyone can continue, some only after a refresh.
 *
 * Mutation note: seen to fail when core/http/rate/rate-limit.ts keeps a window that begins in the future, and when the history of a test is
 * ordered by its time instead of its id.
 */
const hour = 3_600_000;
let trivet: TestKernel;
afterEach(() => trivet.stop());

async function working() {
  const clock = stillClock();
  trivet = await startTestKernel({ clock, settings: { 'rate-tools': '5' } });
  const { kernel } = trivet;
  const owner = await kernel.identity.local(kernel.host, undefined);
  const executor = localExecutor(kernel, owner, {});
  const call = async (tool: string, args: object, idempotencyKey?: string) =>
    (await executor.call(tool, args, {
      signal: AbortSignal.timeout(10_000),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })) as Record<string, unknown>;

  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  const { ctaId } = await call('create-cta', { name: 'c', rule });
  await call('set-cta-status', { ctaId, status: 'LIVE' });
  const { projectId } = await call('create-project', { orgId: 1, projectName: 'p' });
  const { testId } = await call('create-test', { projectId, testName: 't' });
  const { runId } = await call('create-run', { projectId, runName: 'r', testIds: [testId] });
  const user = { 'auth-userid': '77', api_version: '1' };
  let tokens: { accessToken: string; refreshToken: string } = await trivet.signIn('a@example.org');
  const steps: number[] = [];

  return {
    clock,
    /** Does one piece of work in each area, then checks everything done so far. */
    work: async () => {
      const step = steps.push(steps.length + 1);
      const refreshed = await trivet.post('/v1/auth/token/refresh', { refreshToken: tokens.refreshToken });
      expect(refreshed).toMatchObject({ status: 200 });
      tokens = refreshed.body as typeof tokens;
      const verified = await trivet.fetch('/v1/auth/token/verify', {
        headers: { authorization: `Bearer ${tokens.accessToken}` },
      });
      expect(await verified.json()).toEqual({ isAuthTokenValid: true });
      await trivet.signIn(`someone-${step}@example.org`);

      const machine = { currentState: '1', lastTransitionAt: step, createdAt: clock.now() };
      const snapshot = { ctaId, activeStateMachines: { default: machine }, actionDoneAt: [step] };
      expect(await trivet.post(deltaPath, { ctas: [snapshot] }, undefined, user)).toMatchObject({
        status: 200,
        body: { data: true },
      });
      const launched = await trivet.post(launchPath, {}, undefined, user);
      expect(launched.body).toMatchObject({
        data: {
          ctas: [{ actionDoneAt: steps, activeStateMachines: { default: { lastTransitionAt: step } } }],
        },
      });

      const testResults = [{ testId, status: 'passed', comment: `step ${step}` }];
      await call('run-update-test-status', { projectId, runId, testResults });
      const { history } = await call('get-test-status-history-in-run', { testId, runId });
      expect((history as { comment: string }[]).map(({ comment }) => comment)).toEqual(
        steps.map((each) => `step ${each}`).toReversed(),
      );
      const { tests } = await call('get-run-tests-list', { projectId, runId });
      expect(tests).toMatchObject([{ comment: `step ${step}` }]);
      // What somebody gives counts from then on, also when they became a member at a later time of the clock.
      const joining = await trivet.signIn(`joins-${step}@example.org`);
      const { code } = await call('invite-user', { orgId: 1 });
      const joined = await trivet.post('/api/tools/accept-invitation', { code }, joining.accessToken);
      expect(joined).toMatchObject({ status: 200 });
      const { url } = await call('create-share-link', { projectId });
      expect((await trivet.fetch(new URL(String(url)).pathname)).status).toBe(200);
      const made = await call('create-access-token', { name: 'p', scopes: [`project:${projectId}`] });
      expect(
        await trivet.post('/api/tools/get-project-detail', { projectId }, String(made['token'])),
      ).toMatchObject({ status: 200, body: { projectId } });
      // Under one key a write is done once, whatever the clock does meanwhile.
      expect(await call('create-test', { projectId, testName: 'keyed' }, 'key')).toMatchObject({ testId: 2 });
    },
    /** Calls until the limit of a minute is used up. */
    spend: async () => {
      for (let calls = 0; calls < 5; calls++)
        await trivet.post('/api/tools/list-sessions', {}, tokens.accessToken);
      expect((await trivet.post('/api/tools/list-sessions', {}, tokens.accessToken)).status).toBe(429);
    },
    mayCall: async () => (await trivet.post('/api/tools/list-sessions', {}, tokens.accessToken)).status,
  };
}

const cases: ReadonlyArray<readonly [string, readonly number[]]> = [
  ['forward', [hour]],
  ['back', [-hour]],
  ['forward and back', [hour, -hour]],
  ['back and forward', [-hour, hour]],
  ['back, and back again', [-hour, -hour]],
];

test.each(cases)('the clock is stepped %s', async (_title, steps) => {
  const { clock, work, spend, mayCall } = await working();
  await work();
  for (const step of steps) {
    clock.advance(1000);
    await work();
    await spend();
    clock.advance(step);
    await work();
    expect(await mayCall()).toBe(200);
  }
  const logged = trivet.logged.filter((line) => /"level":"error"/.test(line));
  expect(logged).toEqual([]);
});
