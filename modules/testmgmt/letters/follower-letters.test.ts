import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { sendLetters } from '../../../core/letters/letter-job.ts';
import { outbox } from '../../../core/letters/letter-schema.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { mailServer } from '../../../test/mail-server.ts';
import { toolsOf } from '../../../test/tools.ts';
import { follows, runNotices } from '../base/following-schema.ts';
import { junitText } from '../testing/junit-text.ts';
import { tellMilestones } from './milestone-letters.ts';
import { tellNewlyFailing } from './newly-failing-job.ts';

/* Who follows a project gets a letter about runs that newly fail, and about milestones that are due; nobody else does. */

const clock = stillClock(Date.UTC(2026, 10, 2, 9));
const day = 86_400_000;
let mail: Awaited<ReturnType<typeof mailServer>>;
let trivet: TestKernel;
let tools: Awaited<ReturnType<typeof toolsOf>>;
let projectId = 0;

beforeAll(async () => {
  mail = await mailServer();
  trivet = await startTestKernel({ clock, settings: mail.settings });
  tools = await toolsOf(trivet);
  const { code } = await tools.call('invite-user', { orgId: 1, role: 'reader' });
  await asAnn('accept-invitation', { code });
});
afterAll(async () => {
  await trivet.stop();
  await mail.stop();
});
beforeEach(async () => {
  mail.letters.length = 0;
  clock.advance(2 * 3_600_000);
  const { db } = trivet.kernel.host;
  await db.tx(async (q) => {
    await q.delete(outbox);
    await q.delete(runNotices);
    await q.delete(follows);
  });
  const made = await tools.call('create-project', { orgId: 1, projectName: 'Shop <b>& Co</b>' });
  projectId = Number(made['projectId']);
});

/** The clock makes jumps, and a token lives for 15 minutes. */
async function asAnn(tool: string, input: object) {
  const { accessToken } = await trivet.signIn('ann@example.org');
  return (await trivet.post(`/api/tools/${tool}`, input, accessToken)).body;
}
const follow = (follow = true) => asAnn('follow-project', { projectId, follow });

async function upload(statuses: Readonly<Record<string, 'passed' | 'failed'>>, more: object = {}) {
  const cases = Object.entries(statuses).map(([name, status]) => ({
    name,
    ...(status === 'failed' ? { failed: 'it broke' } : {}),
  }));
  const files = [{ name: 'junit.xml', content: junitText({ Checkout: cases }) }];
  clock.advance(1_000);
  const build = { runKey: `build ${clock.now()}`, branch: 'main', ...more };
  return tools.call('ingest-results', { projectId, files, ...build });
}

async function letOut(...also: readonly TestKernel[]) {
  const signal = new AbortController().signal;
  const all = [trivet, ...also];
  clock.advance(61_000);
  await Promise.all(all.map(({ kernel }) => tellNewlyFailing(kernel.host, signal)));
  await Promise.all(all.map(({ kernel }) => tellMilestones(kernel.host, signal)));
  await Promise.all(all.map(({ kernel }) => sendLetters(kernel.host, signal)));
}

describe('a run in which tests newly fail', () => {
  test('is told once to those who follow the project, with the names of the tests', async () => {
    await follow();
    await upload({ pay: 'passed', 'bag <i>full</i>': 'passed', old: 'failed' });
    await letOut();
    expect(mail.letters).toEqual([]);
    const { runId } = await upload({ pay: 'failed', 'bag <i>full</i>': 'failed', old: 'failed' });
    await letOut();
    const [letter, ...others] = mail.letters;
    expect(others).toEqual([]);
    expect(letter?.to).toEqual(['ann@example.org']);
    expect(letter?.mail.subject).toStartWith('2 tests newly fail: ');
    expect(letter?.mail.text).toContain('bag <i>full</i>');
    expect(letter?.mail.text).not.toContain('old');
    expect(letter?.mail.text).toContain(
      `${trivet.origin}/console/projects/${projectId}/runs/${String(runId)}`,
    );
    expect(letter?.mail.html).toContain('bag &lt;i&gt;full&lt;/i&gt;');
    expect(letter?.mail.html).toContain('Shop &lt;b&gt;&amp; Co&lt;/b&gt;');
    await letOut();
    expect(mail.letters.length).toBe(1);
  });

  test('waits for the other jobs of the build, and is compared when all have arrived', async () => {
    await follow();
    await upload({ a: 'passed', b: 'passed' });
    await letOut();
    await upload({ a: 'failed' }, { runKey: 'build' });
    clock.advance(40_000);
    await upload({ b: 'failed' }, { runKey: 'build' });
    clock.advance(40_000);
    await tellNewlyFailing(trivet.kernel.host, new AbortController().signal);
    expect((await trivet.kernel.host.db.q.select().from(outbox)).length).toBe(0);
    await letOut();
    expect(mail.letters.map((letter) => letter.mail.subject?.slice(0, 18))).toEqual(['2 tests newly fail']);
  });

  test('of a pull request, of tests in quarantine, or of a project that nobody follows is not told', async () => {
    await follow();
    await upload({ a: 'passed', b: 'passed' });
    await upload({ a: 'failed', b: 'passed' }, { branch: 'topic', baseBranch: 'main', pullRequest: '7' });
    const tests = (await tools.call('get-tests', { projectId, query: 'name:b' }))['tests'];
    const [{ testId }] = tests as [{ testId: number }];
    const quarantine = { reason: 'slow', ownerId: 1, until: '2026-12-20', testIds: [testId], force: true };
    await tools.call('set-quarantine', { projectId, ...quarantine });
    await upload({ a: 'passed', b: 'failed' });
    await letOut();
    expect(mail.letters).toEqual([]);
    await follow(false);
    await upload({ a: 'failed', b: 'failed' });
    await letOut();
    expect(mail.letters).toEqual([]);
    expect(await trivet.kernel.host.db.q.select().from(runNotices)).toEqual([]);
  });

  test('is told of cases of no test, which fail a build as tests do', async () => {
    await follow();
    await upload({ pay: 'passed' });
    await upload({ pay: 'passed', 'old <b>': 'failed' });
    await letOut();
    expect(mail.letters.map(({ mail: { subject } }) => subject?.slice(0, 18))).toEqual([
      '1 test newly fails',
    ]);
    expect(mail.letters[0]?.mail.text).toContain('Checkout > old <b>');
    expect(mail.letters[0]?.mail.text).toContain('Failed: 0. Failed without a test: 1.');
    await upload({ pay: 'passed', 'old <b>': 'failed' });
    await letOut();
    expect(mail.letters.length).toBe(1);
    await upload({ pay: 'failed', 'old <b>': 'failed', other: 'failed', 'not run': 'passed' });
    await letOut();
    const text = mail.letters[1]?.mail.text ?? '';
    expect(mail.letters[1]?.mail.subject).toStartWith('2 tests newly fail: ');
    for (const name of ['pay', 'Checkout > other']) expect(text).toContain(name);
    expect(text).not.toContain('Checkout > old');
  });

  test('is told of a test that was not in the run before and fails, as the verdict of the build does', async () => {
    await follow();
    await upload({ pay: 'passed', old: 'failed' });
    await letOut();
    const statuses = { pay: 'passed', old: 'failed', new: 'failed', 'new and fine': 'passed' } as const;
    const report = await upload(statuses, { create: true });
    expect(report['newlyFailing']).toMatchObject([{ name: expect.stringContaining('new') as string }]);
    await letOut();
    expect(mail.letters.map(({ mail: { subject } }) => subject?.slice(0, 18))).toEqual([
      '1 test newly fails',
    ]);
    for (const name of ['old', 'fine']) expect(mail.letters[0]?.mail.text).not.toContain(name);
  });

  test('of people is told when it is locked, also by closing its plan', async () => {
    await follow();
    const made = await tools.call('bulk-add-tests', { projectId, tests: [{ testName: 'by hand' }] });
    const testIds = (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
    const execute = async (runId: unknown, status: 'passed' | 'failed') => {
      const testResults = testIds.map((testId) => ({ testId, status }));
      await tools.call('run-update-test-status', { projectId, runId, testResults });
    };
    const lockedRun = async (status: 'passed' | 'failed') => {
      const { runId } = await tools.call('create-run', { projectId, runName: status, testIds });
      await execute(runId, status);
      await tools.call('run-lock', { projectId, runId });
      clock.advance(1_000);
    };
    await lockedRun('passed');
    await lockedRun('failed');
    await letOut();
    const subjects = () => mail.letters.map(({ mail: { subject } }) => subject);
    expect(subjects()).toEqual(['1 test newly fails: failed']);
    await lockedRun('passed');
    const planned = await tools.call('create-plan', {
      projectId,
      name: 'Release',
      entries: [{ testIds }],
    });
    const [run] = planned['runs'] as [{ runId: number; runName: string }];
    const { planId } = planned['plan'] as { planId: number };
    await execute(run.runId, 'failed');
    await tools.call('close-plan', { projectId, planId });
    await letOut();
    expect(subjects()).toEqual(['1 test newly fails: failed', `1 test newly fails: ${run.runName}`]);
  });

  test('is not told to somebody who lost access, or switched it off, after it was queued', async () => {
    await follow();
    const [{ userId }] = (await tools.call('get-user', { email: 'ann@example.org' }))['users'] as [
      { userId: number },
    ];
    await upload({ a: 'passed' });
    await upload({ a: 'failed' });
    clock.advance(61_000);
    await tellNewlyFailing(trivet.kernel.host, new AbortController().signal);
    await asAnn('set-letter-setting', { kind: 'newly-failing', isOn: false });
    await letOut();
    expect(mail.letters).toEqual([]);
    await asAnn('set-letter-setting', { kind: 'newly-failing', isOn: true });
    await upload({ a: 'passed' });
    await upload({ a: 'failed' });
    clock.advance(61_000);
    await tellNewlyFailing(trivet.kernel.host, new AbortController().signal);
    await tools.call('remove-member', { orgId: 1, userId });
    await letOut();
    expect(mail.letters).toEqual([]);
    const { code } = await tools.call('invite-user', { orgId: 1, role: 'reader' });
    await asAnn('accept-invitation', { code });
  });
});

describe('a milestone', () => {
  test('is told the day before it is due, and once when it is overdue, by one of two processes', async () => {
    await follow();
    const other = await startTestKernel({
      clock,
      settings: {
        'smtp-url': mail.url,
        'smtp-tls': 'none',
        'smtp-from': 't@example.org',
        'public-url': 'http://127.0.0.1:8787',
      },
      again: trivet,
    });
    const dueOn = new Date(clock.now() + 3 * day).toISOString().slice(0, 10);
    await tools.call('create-milestone', { projectId, name: '1.4 <x>', dueOn });
    await tools.call('create-milestone', { projectId, name: 'some day' });
    await letOut(other);
    expect(mail.letters).toEqual([]);
    clock.set(Date.parse(`${dueOn}T00:00:00Z`) - day);
    await letOut(other);
    await letOut(other);
    expect(mail.letters.map(({ mail: { subject } }) => subject)).toEqual([`Due ${dueOn}: 1.4 <x>`]);
    expect(mail.letters[0]?.mail.html).toContain('1.4 &lt;x&gt;');
    clock.advance(2 * day);
    await letOut(other);
    clock.advance(day);
    await letOut(other);
    expect(mail.letters.map(({ mail: { subject } }) => subject)).toEqual([
      `Due ${dueOn}: 1.4 <x>`,
      `Overdue ${dueOn}: 1.4 <x>`,
    ]);
    await other.stop();
  });

  test('that became overdue before the letter left is told of once, as overdue', async () => {
    await follow();
    const dueOn = new Date(clock.now() + day / 2).toISOString().slice(0, 10);
    await tools.call('create-milestone', { projectId, name: '1.5', dueOn });
    await tellMilestones(trivet.kernel.host, new AbortController().signal);
    clock.set(Date.parse(`${dueOn}T00:00:00Z`) + day);
    await letOut();
    await letOut();
    expect(mail.letters.map(({ mail: { subject } }) => subject)).toEqual([`Overdue ${dueOn}: 1.5`]);
  });

  test('that was closed or moved before the letter left is not told of', async () => {
    await follow();
    const dueOn = new Date(clock.now() + day / 2).toISOString().slice(0, 10);
    const { milestoneId } = await tools.call('create-milestone', { projectId, name: 'closed', dueOn });
    await tellMilestones(trivet.kernel.host, new AbortController().signal);
    await tools.call('close-milestone', { projectId, milestoneId });
    await letOut();
    expect(mail.letters).toEqual([]);
  });
});

test('a person sees and ends what they follow', async () => {
  expect(await follow()).toEqual({ projectId, follows: true });
  expect(await follow()).toEqual({ projectId, follows: true });
  expect(await asAnn('list-followed-projects', {})).toMatchObject({
    total: 1,
    projects: [{ projectId, projectName: 'Shop <b>& Co</b>' }],
  });
  expect(await tools.call('list-followed-projects', {})).toMatchObject({ total: 0 });
  expect(await follow(false)).toEqual({ projectId, follows: false });
  expect(await asAnn('list-followed-projects', {})).toMatchObject({ total: 0 });
  expect(await asAnn('follow-project', { projectId: 99_999 })).toMatchObject({
    error: { code: 'PROJECT_NOT_FOUND' },
  });
});
