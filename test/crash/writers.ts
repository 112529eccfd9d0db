import { deltaPath, launchPath, type Heard, type Reached } from '../served.ts';
import type { Random } from '../verify/scale.ts';

/*
 * Writers that remember every response. Afterwards, acknowledged writes must exist, writes in progress may exist completely or not at all,
 * and writes refused with "nothing was written" must not exist.
 */
export interface Writer {
  /**
   * Writes until `stopped`, or until the server no longer responds; with `persistent` it continues, e.g. with another server behind the
   * balancer. It pauses for `restMs` between two writes.
   * @throws on a response that is neither success nor 503.
   */
  write(stopped: () => boolean, options?: WriteOptions): Promise<void>;
  /** The missing and superfluous data, one sentence each; empty if everything is correct. */
  verify(): Promise<readonly string[]>;
  /** The number of acknowledged writes. */
  readonly acknowledged: number;
}

interface WriteOptions {
  readonly persistent?: boolean;
  readonly restMs?: number;
}

/** A response, or null when the connection broke: then the outcome of the request is unknown. */
async function heard(request: Promise<Heard>): Promise<Heard | null> {
  try {
    return await request;
  } catch {
    return null;
  }
}

/** The outcome of a write: `unknown` when the connection broke, or when the server says that it does not know. */
type Outcome = 'done' | 'refused' | 'unknown';

/** How long a writer waits after a failed request. Clients are asked to wait by Retry-After, and a loop would only load the server. */
const pauseMs = 50;

/** A full disk or an unavailable database causes 503, and the writer continues. */
async function outcomeOf(answer: Heard | null, what: string): Promise<Outcome> {
  if (answer?.status === 200) return 'done';
  if (answer && answer.status !== 503)
    throw new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  await Bun.sleep(pauseMs);
  const { message } = (answer?.body['error'] ?? {}) as { message?: string };
  return answer && !message?.includes('did not confirm') ? 'refused' : 'unknown';
}

const statuses = ['passed', 'failed', 'blocked', 'retest', 'untested'];

/** Area C: creates tests under idempotency keys, and reports results of one test of one run. */
export async function testWriter(served: Reached, random: Random, name: string): Promise<Writer> {
  const { projectId } = await served.must('create-project', { orgId: 1, projectName: name });
  const { testId } = await served.must('create-test', { projectId, testName: 'reported' });
  const { runId } = await served.must('create-run', { projectId, runName: 'run', testIds: [testId] });
  const made = new Map<string, number>();
  const unsure: { key: string; testName: string }[] = [];
  const reported: string[] = [];
  const maybeReported = new Set<string>();
  let last: { status: string; comment: string } | null = null;
  let sent = 0;
  let acknowledged = 0;

  const makeTest = async (testName: string, key: string) =>
    heard(served.tool('create-test', { projectId, testName }, { 'idempotency-key': key }));

  return {
    get acknowledged() {
      return acknowledged;
    },
    write: async (stopped, { persistent = false, restMs = 0 } = {}) => {
      while (!stopped()) {
        const number = ++sent;
        if (restMs > 0) await Bun.sleep(restMs);
        if (random.below(2) === 0) {
          const [testName, key] = [`test ${number}`, `${name}-${number}`];
          const answer = await makeTest(testName, key);
          const outcome = await outcomeOf(answer, 'create-test');
          if (outcome === 'unknown') unsure.push({ key, testName });
          if (!answer && !persistent) return;
          if (outcome !== 'done') continue;
          made.set(testName, Number(answer?.body['testId']));
        } else {
          const result = { testId, status: random.pick(statuses), comment: `comment ${number}` };
          maybeReported.add(result.comment);
          const answer = await heard(
            served.tool('run-update-test-status', { projectId, runId, testResults: [result] }),
          );
          const outcome = await outcomeOf(answer, 'run-update-test-status');
          if (outcome === 'refused') maybeReported.delete(result.comment);
          if (!answer && !persistent) return;
          if (outcome !== 'done') continue;
          reported.push(result.comment);
          last = result;
        }
        acknowledged++;
      }
    },
    verify: async () => {
      const problems: string[] = [];
      // An interrupted write is done exactly once under its key, whether or not it had been done.
      for (const { key, testName } of unsure.splice(0)) {
        const answer = await makeTest(testName, key);
        if (answer?.status !== 200) problems.push(`${name}: repeating ${key} answered ${answer?.status}`);
        else made.set(testName, Number(answer.body['testId']));
      }
      const stored = await allOf(served, 'get-tests', { projectId }, 'tests');
      const named = new Map<string, number[]>();
      for (const row of stored) {
        const ids = named.get(String(row['testName'])) ?? [];
        named.set(String(row['testName']), [...ids, Number(row['testId'])]);
      }
      named.delete('reported');
      for (const [testName, id] of made) {
        const ids = named.get(testName) ?? [];
        if (ids.length !== 1 || ids[0] !== id)
          problems.push(`${name}: ${testName} was ${id}, is ${ids.join() || 'lost'}`);
        named.delete(testName);
      }
      for (const testName of named.keys()) problems.push(`${name}: nobody made ${testName}`);

      const history = await allOf(served, 'get-test-status-history-in-run', { testId, runId }, 'history');
      const comments = new Set(history.map((row) => String(row['comment'])));
      for (const comment of reported)
        if (!comments.has(comment)) problems.push(`${name}: "${comment}" is lost`);
      for (const comment of comments)
        if (!maybeReported.has(comment)) problems.push(`${name}: nobody wrote "${comment}"`);
      const [shown] = await allOf(served, 'get-run-tests-list', { projectId, runId }, 'tests');
      const newest = history[0];
      if (newest && (shown?.['status'] !== newest['status'] || shown?.['comment'] !== newest['comment']))
        problems.push(
          `${name}: the run says ${JSON.stringify(shown)}, its history ${JSON.stringify(newest)}`,
        );
      if (last && !newest) problems.push(`${name}: no history`);
      return problems;
    },
  };
}

async function allOf(
  served: Reached,
  tool: string,
  args: object,
  key: string,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (;;) {
    const page = await served.must(tool, { ...args, limit: 500, offset: rows.length });
    const part = page[key] as Record<string, unknown>[];
    rows.push(...part);
    if (part.length === 0 || rows.length >= Number(page['total'])) return rows;
  }
}

/** Area B: the machine of one user changes state, and each step adds a time to actionDoneAt, which is merged as a union. */
export function deltaWriter(served: Reached, ctaId: string, userId: string, now: () => number): Writer {
  const headers = { 'auth-userid': userId, api_version: '1' };
  const acked: number[] = [];
  const unknown: number[] = [];
  let sent = 0;
  return {
    get acknowledged() {
      return acked.length;
    },
    write: async (stopped, { persistent = false, restMs = 0 } = {}) => {
      // Beyond 1,000 times the oldest are dropped, by contract.
      while (!stopped() && sent < 900) {
        const at = ++sent;
        if (restMs > 0) await Bun.sleep(restMs);
        const machine = { currentState: '1', lastTransitionAt: at, createdAt: now() };
        const cta = { ctaId, activeStateMachines: { default: machine }, actionDoneAt: [at] };
        const answer = await heard(served.post(deltaPath, { ctas: [cta] }, headers));
        const outcome = await outcomeOf(answer, 'a delta');
        if (outcome === 'done') acked.push(at);
        else if (outcome === 'unknown') unknown.push(at);
        if (!answer && !persistent) return;
      }
    },
    verify: async () => {
      const { status, body } = await served.post(launchPath, {}, headers);
      const data = body['data'] as { ctas: LaunchCta[] } | undefined;
      const cta = data?.ctas.find((each) => each.ctaId === ctaId);
      if (status !== 200 || !cta) return [`user ${userId}: the launch answered ${status} without its CTA`];
      const done = new Set(cta.actionDoneAt);
      const problems = acked
        .filter((at) => !done.has(at))
        .map((at) => `user ${userId}: the delta of ${at} is lost`);
      const reached = cta.activeStateMachines['default']?.lastTransitionAt ?? 0;
      const last = acked.at(-1) ?? 0;
      const expected = [last, ...unknown.filter((at) => at > last)];
      if (!expected.includes(reached))
        problems.push(`user ${userId}: the machine is at ${reached}, not at ${expected.join(' or ')}`);
      if (reached !== Math.max(0, ...done))
        problems.push(`user ${userId}: half of a delta: ${reached} and ${Math.max(0, ...done)}`);
      return problems;
    },
  };
}

interface LaunchCta {
  readonly ctaId: string;
  readonly actionDoneAt: readonly number[];
  readonly activeStateMachines: Readonly<Record<string, { readonly lastTransitionAt: number }>>;
}

/** Area A: one session is refreshed repeatedly; another is revoked and must stay revoked. */
export async function sessionWriter(served: Reached, name: string): Promise<Writer> {
  const signIn = async () => {
    const { status, body } = await served.post('/v1/auth/social/authenticate', {
      responseType: 'token',
      grantType: 'id_token',
      identifier: served.idToken,
      idProvider: 'dev',
      resources: [],
    });
    if (status !== 200) throw new Error(`sign-in answered ${status}: ${JSON.stringify(body)}`);
    return body as { accessToken: string; refreshToken: string };
  };
  let tokens = await signIn();
  const ended = await signIn();
  let revoked = false;
  let acknowledged = 0;
  const refresh = () => heard(served.post('/v1/auth/token/refresh', { refreshToken: tokens.refreshToken }));
  const isLive = async (accessToken: string) => {
    const authorization = `Bearer ${accessToken}`;
    return (await served.get('/v1/auth/token/verify', { authorization })).body['isAuthTokenValid'] === true;
  };
  return {
    get acknowledged() {
      return acknowledged;
    },
    write: async (stopped, { persistent = false, restMs = 0 } = {}) => {
      while (!stopped()) {
        if (restMs > 0) await Bun.sleep(restMs);
        const answer = await refresh();
        const outcome = await outcomeOf(answer, 'refresh');
        if (!answer && !persistent) return;
        if (!answer || outcome !== 'done') continue;
        tokens = answer.body as typeof tokens;
        acknowledged++;
        if (acknowledged >= 5 && !revoked) {
          const answered = await heard(served.post('/v1/auth/token/revoke', { token: ended.refreshToken }));
          revoked = (await outcomeOf(answered, 'revoke')) === 'done';
          if (!answered && !persistent) return;
        }
      }
    },
    verify: async () => {
      const problems: string[] = [];
      if (!(await isLive(tokens.accessToken))) problems.push(`${name}: the last access token is dead`);
      if (revoked && (await isLive(ended.accessToken))) problems.push(`${name}: a revoked session lives`);
      // Whether or not the interrupted refresh was done, the last token received still works: that is the grace window.
      const answer = await refresh();
      if (answer?.status !== 200) problems.push(`${name}: the last refresh token answers ${answer?.status}`);
      else tokens = answer.body as typeof tokens;
      return problems;
    },
  };
}
