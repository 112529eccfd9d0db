import { afterAll, beforeAll, expect, test } from 'bun:test';
import { engine } from '../../core/db/query/engine.ts';
import { Fault } from '../../core/base/errors.ts';
import type { Executor } from '../../core/tools/executor.ts';
import { localExecutor } from '../../core/tools/local-executor.ts';
import { startTestKernel, stillClock, type TestKernel } from '../kernel.ts';
import { deltaPath, launchPath } from '../served.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';
import { linearization, recorder, type Model } from './linearizable.ts';
import {
  runModel,
  sessionModel,
  statuses,
  userModel,
  type Counts,
  type RunInput,
  type Shown,
  type StateInput,
  type UserModel,
} from './models.ts';

/*
 * Concurrent clients over two kernels on one database (as with two processes): all responses about one run, one user's state or one session
 * are possible in some sequential order.
 *
 * Mutation note: seen to fail when run-update-test-status reads the run outside its transaction or does not lock it, when advanceState
 * merges into the state it saw before its transaction, and when the reuse of a refresh token does not store the revocation.
 */
const rounds = engine() === 'sqlite' ? scaled(150, 8_000) : scaled(40, 1_500);
const clients = 4;
const stepsPerClient = 4;
const random = randomFrom(seed);
const clock = stillClock();
let kernels: readonly TestKernel[] = [];
let executors: readonly Executor[] = [];

beforeAll(async () => {
  const settings = { 'rate-tools': '0' };
  const first = await startTestKernel({ clock, settings });
  kernels = [first, await startTestKernel({ clock, settings, again: first })];
  // One issuer, as behind one public address.
  for (const { kernel } of kernels) kernel.listening('http://localhost');
  executors = await Promise.all(
    kernels.map(async ({ kernel }) =>
      localExecutor(kernel, await kernel.identity.local(kernel.host, undefined), {}),
    ),
  );
});
afterAll(async () => {
  for (const kernel of kernels) await kernel.stop();
});

const call = async (client: number, tool: string, args: object) => {
  const executor = executors[client % executors.length];
  if (!executor) throw new Error('no kernel');
  return (await executor.call(tool, args, { signal: AbortSignal.timeout(60_000) })) as Record<
    string,
    unknown
  >;
};
const post = async (client: number, path: string, body: object, headers: Record<string, string> = {}) => {
  const kernel = kernels[client % kernels.length];
  if (!kernel) throw new Error('no kernel');
  return kernel.post(path, body, undefined, headers);
};

/** Lets the clients draw and execute their steps concurrently, and checks the history of each round. */
async function histories<S, I, O>(
  name: string,
  model: Model<S, I, O>,
  round: () => Promise<(client: number) => readonly [I, () => Promise<O>]>,
): Promise<void> {
  let operations = 0;
  for (let number = 0; number < rounds; number++) {
    const draw = await round();
    const { history, record } = recorder<I, O>();
    const run = async (client: number) => {
      for (let step = 0; step < stepsPerClient; step++) {
        const [input, work] = draw(client);
        await record(input, work);
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => run(client)));
    if (linearization(model, history) === null)
      throw new Error(
        `round ${number} of ${name} (SEED=${seed}) has no order:\n${history.map((each) => JSON.stringify(each)).join('\n')}`,
      );
    operations += history.length;
  }
  ran(rounds, `histories of ${name} on ${engine()}, ${operations} operations, all linearizable`);
}

test('one run: report one and many, lock, unlock, reset, remove, read, stop its project', async () => {
  await histories('one run', runModel, async () => {
    const { projectId } = await call(0, 'create-project', { orgId: 1, projectName: 'histories' });
    const made = await call(0, 'bulk-add-tests', {
      projectId,
      tests: [{ testName: 'a' }, { testName: 'b' }],
    });
    const testIds = (made['tests'] as { testId: number }[]).map(({ testId }) => testId);
    const { runId } = await call(0, 'create-run', { projectId, runName: 'r', testIds });
    const resultsOf = (ids: readonly (number | undefined)[], status: string) => ({
      testResults: ids.map((testId) => ({ testId, status })),
    });
    const callFor = (input: RunInput): readonly [string, object] => {
      switch (input.kind) {
        case 'update':
          return ['run-update-test-status', resultsOf([testIds[input.test]], input.status)];
        case 'both':
          return ['run-update-test-status', resultsOf(testIds, input.status)];
        case 'remove':
          return ['run-remove-tests', { testIds: [testIds[input.test]] }];
        default:
          return [runTools[input.kind], {}];
      }
    };
    return (client) => {
      const input = drawnInput();
      const [tool, more] = callFor(input);
      return [
        input,
        async () => {
          try {
            if (input.kind === 'stop' || input.kind === 'start') {
              const args = { projectId, isActive: input.kind === 'start' };
              return { active: (await call(client, tool, args))['isActive'] === true };
            }
            const run = await call(client, tool, { projectId, runId, ...more });
            return { locked: run['status'] === 'locked', counts: run['counts'] as Counts };
          } catch (error) {
            if (!(error instanceof Fault) || error.status >= 500) throw error;
            return { refused: error.code };
          }
        },
      ];
    };
  });
});

const runTools = {
  lock: 'run-lock',
  unlock: 'unlock-run',
  reset: 'run-reset',
  detail: 'run-detail',
  stop: 'update-project-status',
  start: 'update-project-status',
};

/** Mostly reports: the calls that block them must not be the usual case. */
function drawnInput(): RunInput {
  const kinds = ['lock', 'unlock', 'unlock', 'reset', 'detail', 'detail', 'stop', 'start', 'start'] as const;
  const status = random.pick(statuses);
  const test = random.below(2);
  const at = random.below(20);
  if (at < 8) return { kind: 'update', test, status };
  if (at < 10) return { kind: 'both', status };
  return at === 10 ? { kind: 'remove', test } : { kind: random.pick(kinds) };
}

test("one user's state: deltas, resets, launches with and without news", async () => {
  const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
  const { ctaId } = await call(0, 'create-cta', { name: 'histories', rule });
  await call(0, 'set-cta-status', { ctaId, status: 'LIVE' });
  // The catalogue is checked again within a second.
  await Bun.sleep(1500);
  let user = 1000;
  await histories<UserModel, StateInput, Shown | true>("one user's state", userModel, async () => {
    const headers = { 'auth-userid': String(++user), api_version: '1' };
    const times = Array.from({ length: clients * stepsPerClient }, (_, index) => index + 1);
    return (client) => {
      const news = random.below(3) > 0;
      const at = times.splice(random.below(times.length), 1)[0] ?? 0;
      const reset = random.below(4) === 0;
      const isDelta = random.below(2) === 0;
      const machine = {
        currentState: '1',
        lastTransitionAt: at,
        createdAt: clock.now(),
        ...(isDelta && reset ? { reset } : {}),
      };
      const body = { ctas: [{ ctaId, activeStateMachines: { default: machine }, actionDoneAt: [at] }] };
      if (isDelta) {
        return [
          { kind: 'delta', at, reset },
          async () => {
            expect(await post(client, deltaPath, body, headers)).toMatchObject({
              status: 200,
              body: { data: true },
            });
            return true;
          },
        ];
      }
      return [
        { kind: 'launch', at: news ? at : null },
        async () => {
          const answer = await post(client, launchPath, news ? body : {}, headers);
          const { ctas } = answer.body['data'] as {
            ctas: {
              activeStateMachines: Record<string, { lastTransitionAt: number }>;
              actionDoneAt: number[];
            }[];
          };
          const [cta] = ctas;
          if (!cta) throw new Error('the CTA is not answered');
          return { at: cta.activeStateMachines['default']?.lastTransitionAt ?? null, done: cta.actionDoneAt };
        },
      ];
    };
  });
});

const generationOf = (token: string): number => {
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    gen: number;
  };
  return payload.gen;
};

test('one session: refreshes with tokens new and old, revocations, verifications', async () => {
  await histories('one session', sessionModel, async () => {
    const [kernel] = kernels;
    if (!kernel) throw new Error('no kernel');
    const { accessToken, refreshToken } = await kernel.signIn('histories@example.org');
    const first = generationOf(refreshToken);
    const tokens = [refreshToken];
    return (client) => {
      const kind = random.pick([
        'refresh',
        'refresh',
        'refresh',
        'refresh',
        'refresh',
        'verify',
        'verify',
        'revoke',
      ] as const);
      // Mostly the newest token or its parent; sometimes an obsolete one.
      const token = tokens[Math.max(0, tokens.length - 1 - random.pick([0, 0, 0, 1, 1, 2]))] ?? refreshToken;
      switch (kind) {
        case 'refresh':
          return [
            { kind, generation: generationOf(token) - first },
            async () => {
              const { status, body } = await post(client, '/v1/auth/token/refresh', { refreshToken: token });
              if (status === 401) return null;
              expect(status).toBe(200);
              const next = String(body['refreshToken']);
              if (!tokens.includes(next)) tokens.push(next);
              tokens.sort((a, b) => generationOf(a) - generationOf(b));
              return generationOf(next) - first;
            },
          ];
        case 'revoke':
          return [
            { kind },
            async () => {
              expect((await post(client, '/v1/auth/token/revoke', { token: refreshToken })).status).toBe(200);
              return null;
            },
          ];
        default:
          return [
            { kind: 'verify' },
            async () => {
              const target = kernels[client % kernels.length] ?? kernel;
              const response = await target.fetch('/v1/auth/token/verify', {
                headers: { authorization: `Bearer ${accessToken}` },
              });
              return ((await response.json()) as { isAuthTokenValid: boolean }).isAuthTokenValid;
            },
          ];
      }
    };
  });
});
