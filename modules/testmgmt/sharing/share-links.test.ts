import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { addLocalMember, peopleEverCalled } from '../../auth/index.ts';
import { setRole } from '../../auth/people/member-store.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { deleteExpired } from './share-link-store.ts';
import { shareLinks } from './share-schema.ts';

const day = 86_400_000;
let trivet: TestmgmtKernel;
let run: { readonly projectId: number; readonly runId: number };
let testIds: readonly number[];
let clock: TestmgmtKernel['clock'];
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
  clock = trivet.clock;
  const projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 3);
  run = { projectId, runId: await trivet.makeRun(projectId, testIds) };
  const testResults = [{ testId: testIds[0], status: 'failed', comment: '<b>no total</b>' }];
  await trivet.call('run-update-test-status', { ...run, testResults });
});
afterAll(() => trivet.stop());

const pathOf = (url: unknown) => new URL(String(url)).pathname;
async function share(input: object) {
  const link = await trivet.call('create-share-link', input);
  return { id: Number(link['shareLinkId']), path: pathOf(link['url']), link };
}
const read = async (path: string) => {
  const response = await trivet.fetch(path);
  const text = await response.text();
  // Where somebody who hears the page begins to read.
  expect(text.match(/<main>/g)).toHaveLength(1);
  return { status: response.status, text, headers: response.headers };
};

describe('a link', () => {
  test('of a run shows its report without a sign-in, and nothing may run, index or frame it', async () => {
    const { path, link } = await share({ runId: run.runId });
    expect(link).toMatchObject({ ...run, expiresAt: new Date(clock.now() + 30 * day).toISOString() });
    const { status, text, headers } = await read(path);
    expect(status).toBe(200);
    expect(text).toContain('Failed: 1 of 3 tests; 2 are not run yet.');
    expect(text).toContain('&lt;b&gt;no total&lt;/b&gt;');
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'; sandbox/),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': expect.stringContaining('noindex'),
    });
  });

  test('of a project shows its last runs', async () => {
    const { path, link } = await share({ projectId: run.projectId });
    expect(link).toMatchObject({ runId: null });
    const { status, text } = await read(path);
    expect([status, text.includes('Failed: 1 of 3 tests')]).toEqual([200, true]);
  });

  test.each([
    ['is a member', true],
    ['becomes one by it', false],
  ])(
    'stays when the account that made it is merged into one that %s; one that had ended does not come back',
    async (_, isMember) => {
      const [kept = 0, double = 0] = await Promise.all(
        ['kept', 'double'].map(async (name) => {
          const { accessToken } = await trivet.signIn(`${name}.${isMember}@example.org`);
          return Number(decodeJwt(accessToken).sub);
        }),
      );
      const join = (userId: number) =>
        trivet.kernel.host.db.tx((q) => setRole(q, 1, userId, 'member', clock.now()));
      const leave = (userId: number) => trivet.call('remove-member', { orgId: 1, userId });
      const { owner } = trivet;
      const shareAsDouble = async () => {
        const made = await trivet.call('create-share-link', run, { ...owner, userId: double });
        return pathOf(made['url']);
      };
      if (isMember) await join(kept);
      await join(double);
      const ended = await shareAsDouble();
      await leave(double);
      clock.advance(1_000);
      await join(double);
      const path = await shareAsDouble();
      clock.advance(1_000);
      await trivet.call('merge-users', { userId: kept, duplicateId: double });
      expect([(await read(path)).status, (await read(ended)).status]).toEqual([200, 404]);
      await leave(kept);
      expect((await read(path)).status).toBe(404);
    },
  );

  test('of a project says of a run what its report says, also about cases of no test', async () => {
    const projectId = await trivet.makeProject();
    const upload = (runKey: string, failed: string) => {
      const content = `<testsuite name="s"><testcase name="known"/><testcase name="new">${failed}</testcase></testsuite>`;
      const files = [{ name: 'a.xml', content }];
      return trivet.call('ingest-results', { projectId, runKey, create: runKey === '1', files });
    };
    await upload('1', '');
    await trivet.call('delete-tests-by-query', { projectId, query: 'name:new' });
    const { runId } = await upload('2', '<failure message="no"/>');
    const { verdict } = await trivet.call('get-run-state-detail', { projectId, runId });
    expect(verdict).toContain('Failed: 0 of 1 test, and 1 case of no test');
    const { path } = await share({ projectId });
    expect((await read(path)).text).toContain(String(verdict));
  });

  test('of a project shows the trend that its reports show: of the tests with a result', async () => {
    const projectId = await trivet.makeProject();
    const [first = 0, second = 0] = await trivet.makeTests(projectId, 2);
    const started = await trivet.call('create-run', { projectId, runName: 'R', testIds: [first, second] });
    const { path } = await share({ projectId });
    expect((await read(path)).text).not.toContain('% passed');
    const testResults = [{ testId: first, status: 'passed' }];
    await trivet.call('run-update-test-status', { projectId, runId: started['runId'], testResults });
    await trivet.call('create-run', { projectId, runName: 'Not begun', testIds: [first] });
    expect((await read(path)).text.match(/[^>]*% passed/g)).toEqual(['R: 100.0 % passed']);
  });

  test('of a milestone shows its progress and its runs alone', async () => {
    const { projectId } = run;
    const made = await trivet.call('create-milestone', { projectId, name: '1.4 <b>', dueOn: '2026-11-30' });
    const milestoneId = Number(made['milestoneId']);
    const inIt = await trivet.call('create-run', { projectId, runName: 'In it', testIds, milestoneId });
    const done = { projectId, runId: inIt['runId'], testResults: [{ testId: testIds[0], status: 'passed' }] };
    await trivet.call('run-update-test-status', done);
    const { path, link } = await share({ milestoneId });
    expect(link).toMatchObject({ projectId, runId: null, milestoneId });
    const { status, text } = await read(path);
    expect(status).toBe(200);
    expect(text).toContain('<h1>1.4 &lt;b&gt;</h1>');
    expect(text).toContain('Open, due 2026-11-30: 33.3 % done');
    expect(text.match(/<tr><td>/g)).toHaveLength(1);
    const ofPart = { projectId, name: '1.4 beta', parentMilestoneId: milestoneId };
    const part = await trivet.call('create-milestone', ofPart);
    const inPart = { projectId, runName: 'In its part', testIds, milestoneId: part['milestoneId'] };
    await trivet.call('create-run', inPart);
    const both = (await read(path)).text;
    expect([both.includes('6 tests in 2 runs'), both.match(/<tr><td>/g)?.length]).toEqual([true, 2]);
    await trivet.call('delete-milestone', { projectId, milestoneId });
    expect((await read(path)).status).toBe(404);
  });

  test('shows what is true when it is read', async () => {
    const { path } = await share(run);
    await trivet.call('run-update-test-status', {
      ...run,
      testResults: [{ testId: testIds[1], status: 'passed' }],
    });
    expect((await read(path)).text).toContain('1 is not run yet');
  });

  test('is stored as a hash, and its address is returned once', async () => {
    const { path, id } = await share(run);
    const code = path.slice('/share/'.length);
    const rows = await trivet.kernel.host.db.q.select().from(shareLinks);
    expect(JSON.stringify(rows)).not.toContain(code);
    const { links } = await trivet.call('list-share-links', { projectId: run.projectId });
    expect(JSON.stringify(links)).not.toContain(code);
    expect(links).toContainEqual(expect.objectContaining({ shareLinkId: id, runId: run.runId }));
  });
});

describe('404, always the same', () => {
  const missing = `/share/${'x'.repeat(43)}`;
  const expectGone = async (path: string) => {
    const [gone, never] = [await read(path), await read(missing)];
    expect([gone.status, gone.text]).toEqual([404, never.text]);
    expect(gone.headers.get('x-robots-tag')).toContain('noindex');
  };
  test.each(['/share/short', '/share/..%2f', `/share/${'é'.repeat(20)}`, `/share/${'x'.repeat(5_000)}`])(
    '%s',
    async (path) => expect((await read(path)).status).toBeOneOf([404, 414]),
  );

  test('after it was revoked', async () => {
    const { path, id } = await share(run);
    await trivet.call('revoke-share-link', { shareLinkId: id });
    await expectGone(path);
    expect(await trivet.refusal('revoke-share-link', { shareLinkId: id })).toMatchObject({
      code: 'SHARE_LINK_NOT_FOUND',
    });
  });

  test('of a deleted run', async () => {
    const runId = await trivet.makeRun(run.projectId, testIds);
    const { path } = await share({ runId });
    await trivet.call('delete-run', { projectId: run.projectId, runId });
    await expectGone(path);
  });

  test('after who made it left the organization', async () => {
    const { host } = trivet.kernel;
    await addLocalMember(host, { email: 'bob@example.org', name: 'Bob', role: 'member' });
    const [bob] = await peopleEverCalled(host.db.q, [1], 'bob@example.org');
    const userId = bob?.id ?? 0;
    const made = await trivet.call('create-share-link', run, { ...trivet.withRole('member'), userId });
    const path = pathOf(made['url']);
    expect((await read(path)).status).toBe(200);
    const listed = async () => (await trivet.call('list-share-links', { projectId: run.projectId }))['total'];
    const before = Number(await listed());
    await trivet.call('set-user-status', { userId, status: 'disabled' });
    await expectGone(path);
    expect(await listed()).toBe(before - 1);
    await trivet.call('set-user-status', { userId, status: 'active' });
    expect((await read(path)).status).toBe(200);
    await trivet.call('remove-member', { orgId: 1, userId });
    await expectGone(path);
    // Joining again gives new rights, not the links of before.
    clock.advance(1);
    await addLocalMember(host, { email: 'bob@example.org', name: 'Bob', role: 'member' });
    await expectGone(path);
    expect(await listed()).toBe(before - 1);
  });

  test('after it has expired, and its row goes', async () => {
    const { path } = await share({ ...run, expiresAt: new Date(clock.now() + day).toISOString() });
    clock.advance(day - 1);
    expect((await read(path)).status).toBe(200);
    clock.advance(1);
    await expectGone(path);
    const { q, tx } = trivet.kernel.host.db;
    const before = (await q.select().from(shareLinks)).length;
    expect(await tx((each) => deleteExpired(each, clock.now()))).toBe(false);
    expect((await q.select().from(shareLinks)).length).toBe(before - 1);
  });
});

const today = () => new Date(clock.now()).toISOString().slice(0, 10);

test.each<[string, () => string, () => string]>([
  ['a day, to its end', today, () => new Date(Date.parse(`${today()}T00:00:00Z`) + day).toISOString()],
  ['microseconds', () => `${today()}T23:59:59.123456Z`, () => `${today()}T23:59:59.123Z`],
])('a link ends with %s', async (_, expiresAt, end) => {
  const { link } = await share({ ...run, expiresAt: expiresAt() });
  expect(link).toMatchObject({ expiresAt: end() });
});

describe('refused', () => {
  test.each(['2026-02-30', '2026-12-01T10:00', '7d', ''])(
    'the time "%s", with what to write',
    async (text) => {
      expect(await trivet.refusal('create-share-link', { ...run, expiresAt: text })).toMatchObject({
        message: `expiresAt is no time: "${text}".`,
        tip: expect.stringContaining('2026-12-01T09:00Z'),
      });
    },
  );

  test.each<[string, () => object, string]>([
    ['nothing is named', () => ({}), 'INVALID_REQUEST'],
    ['no time', () => ({ ...run, expiresAt: 'tomorrow' }), 'INVALID_REQUEST'],
    ['the past', () => ({ ...run, expiresAt: new Date(clock.now()).toISOString() }), 'INVALID_REQUEST'],
    [
      '90 days and a second',
      () => ({ ...run, expiresAt: new Date(clock.now() + 90 * day + 1_000).toISOString() }),
      'INVALID_REQUEST',
    ],
    ['an unknown run', () => ({ runId: 99_999 }), 'RUN_NOT_FOUND'],
    ['an unknown milestone', () => ({ milestoneId: 99_999 }), 'MILESTONE_NOT_FOUND'],
    ['a run and a milestone', () => ({ ...run, milestoneId: 1 }), 'INVALID_REQUEST'],
    ['an unknown project', () => ({ projectId: 99_999 }), 'PROJECT_NOT_FOUND'],
  ])('%s', async (_, input, code) => {
    expect(await trivet.refusal('create-share-link', input())).toMatchObject({ code });
  });
});
