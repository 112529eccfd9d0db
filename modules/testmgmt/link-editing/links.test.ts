import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
let projectId = 0;
let testIds: readonly number[] = [];
let runId = 0;
beforeAll(async () => {
  trivet = await startTestmgmtKernel();
});
afterAll(() => trivet.stop());

/** A project with ten tests and a run of the first five, of which the first two failed. */
async function scene() {
  projectId = await trivet.makeProject();
  testIds = await trivet.makeTests(projectId, 10);
  runId = await trivet.makeRun(projectId, testIds.slice(0, 5));
  const testResults = [
    { testId: testIds[0], status: 'failed', comment: 'no' },
    { testId: testIds[1], status: 'failed' },
    { testId: testIds[2], status: 'passed' },
    { testId: testIds[3], status: 'blocked' },
  ];
  await trivet.call('run-update-test-status', { projectId, runId, testResults });
}

const link = (of: object, ...links: object[]) => trivet.call('add-links', { projectId, links, ...of });
const found = async (query: string) => {
  const { tests } = await trivet.call('get-tests', { projectId, query });
  return (tests as Array<{ testId: number }>).map(({ testId }) => testIds.indexOf(testId));
};
const foundInRun = async (query: string) => {
  const { tests } = await trivet.call('get-run-tests-list', { projectId, runId, query });
  return (tests as Array<{ testId: number }>).map(({ testId }) => testIds.indexOf(testId));
};

describe('links', () => {
  beforeAll(scene);

  test('are added once, whatever the case, and shown in records', async () => {
    await trivet.call('edit-project', {
      projectId,
      linkTemplates: [{ prefix: 'SHOP-', url: 'https://jira.example/browse/{key}' }],
    });
    const wanted = { kind: 'requirement', key: ' SHOP-12 ' };
    expect(await link({ testIds: testIds.slice(0, 2) }, wanted)).toMatchObject({ count: 2, added: 2 });
    expect(await link({ testIds: testIds.slice(0, 3) }, { ...wanted, key: 'shop-12' })).toMatchObject({
      added: 1,
    });
    const details = await trivet.call('get-test-details', { projectId, testId: testIds[0] });
    expect(details['links']).toEqual([
      {
        linkId: expect.any(Number),
        kind: 'requirement',
        key: 'SHOP-12',
        url: 'https://jira.example/browse/SHOP-12',
      },
    ]);
  });

  test('of a result stay with its run', async () => {
    const query = 'status:failed defect:none';
    expect(await foundInRun(query)).toEqual([0, 1]);
    const answer = await link(
      { query: 'status:failed id:' + testIds[0], runId },
      { kind: 'defect', url: 'https://jira.example/browse/SHOP-77' },
    );
    expect(answer).toMatchObject({ count: 1, added: 1 });
    expect(await foundInRun(query)).toEqual([1]);
    const { tests } = await trivet.call('get-run-test-status', { projectId, runId, status: 'failed' });
    expect((tests as Array<{ links: object[] }>).map(({ links }) => links.length)).toEqual([2, 1]);
    expect(await trivet.call('list-links', { projectId, runId, testId: testIds[0] })).toMatchObject({
      total: 1,
      links: [{ kind: 'defect', key: 'SHOP-77', runId, url: 'https://jira.example/browse/SHOP-77' }],
    });
    const other = await trivet.makeRun(projectId, testIds.slice(0, 1));
    expect(
      await trivet.call('get-run-tests-list', { projectId, runId: other, query: 'defect:none' }),
    ).toMatchObject({ total: 1 });
  });

  test.each([
    ['req:shop-12', [0, 1, 2]],
    ['req:SHOP-1', []],
    ['req:none', [3, 4, 5, 6, 7, 8, 9]],
    ['req:SHOP-12,none', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['-req:SHOP-12 -has:defect', [3, 4, 5, 6, 7, 8, 9]],
    ['has:req defect:SHOP-77', [0]],
    ['has:req defect:none', [1, 2]],
    ['-has:req OR has:defect', [0, 3, 4, 5, 6, 7, 8, 9]],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test('are removed by id, or by key from the tests of a query', async () => {
    await link({ testIds }, { kind: 'reference', key: 'WIKI-1', url: 'https://wiki.example/1' });
    expect(
      await trivet.call('remove-links', { projectId, query: 'id:1..999999', key: 'wiki-1', dryRun: true }),
    ).toEqual({ dryRun: true, removed: 10 });
    expect(
      await trivet.call('remove-links', { projectId, testIds: testIds.slice(0, 9), key: 'wiki-1' }),
    ).toEqual({ dryRun: false, removed: 9 });
    const { links } = await trivet.call('list-links', { projectId, kind: 'reference' });
    const linkIds = (links as Array<{ linkId: number }>).map(({ linkId }) => linkId);
    expect(await trivet.call('remove-links', { projectId, linkIds })).toMatchObject({ removed: 1 });
    expect((await trivet.refusal('remove-links', { projectId, linkIds }))?.code).toBe('LINK_NOT_FOUND');
  });

  test('come along when tests are merged', async () => {
    const [one = 0, other = 0] = testIds.slice(8);
    await link({ testIds: [one] }, { kind: 'defect', key: 'BUG-1' }, { kind: 'defect', key: 'BUG-2' });
    await link({ testIds: [other] }, { kind: 'defect', key: 'bug-1' });
    await trivet.call('merge-tests', { projectId, testId: other, mergedTestId: one });
    const { links } = await trivet.call('list-links', { projectId, testId: other });
    expect((links as Array<{ key: string }>).map(({ key }) => key).toSorted()).toEqual(['BUG-2', 'bug-1']);
  });

  const exported = async (input: object) => {
    const file = await trivet.fetch(`/api/tools/download-tests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return file.text();
  };

  test('round-trip as refs and defects', async () => {
    for (const format of ['csv', 'json'] as const) {
      const content = await exported({ projectId, format, query: 'has:req' });
      const copy = await trivet.makeProject();
      await trivet.call('import-tests', { projectId: copy, content, format });
      const { links } = await trivet.call('list-links', { projectId: copy });
      expect(
        (links as Array<{ kind: string; key: string }>).map(({ kind, key }) => `${kind} ${key}`).toSorted(),
      ).toEqual(['requirement SHOP-12', 'requirement SHOP-12', 'requirement shop-12']);
    }
  });

  /** @see An export had no links of the kind reference, and of the others only the key. */
  test.each(['csv', 'json'] as const)(
    'round-trip whole as %s: references, and addresses of their own',
    async (format) => {
      const from = await trivet.makeProject();
      const [testId] = await trivet.makeTests(from, 1);
      const given = [
        { kind: 'requirement', key: 'SHOP-1' },
        { kind: 'requirement', key: 'SHOP-2', url: 'https://issues.example/2' },
        { kind: 'defect', key: 'BUG-3', url: 'https://bugs.example/3?a=1,2' },
        { kind: 'reference', key: 'SHOP-1' },
        { kind: 'reference', key: 'the "page", of, the team', url: 'https://wiki.example/page' },
      ];
      await trivet.call('add-links', { projectId: from, testIds: [testId], links: given });
      const linksOf = async (project: number) => {
        const { links } = await trivet.call('list-links', { projectId: project });
        return (links as Array<(typeof given)[number]>)
          .map(({ kind, key, url }) => `${kind} ${key} ${url}`)
          .toSorted();
      };
      const content = await exported({ projectId: from, format });
      const to = await trivet.makeProject();
      await trivet.call('import-tests', { projectId: to, content, format });
      expect(await linksOf(to)).toEqual(await linksOf(from));
    },
  );

  test("TestRail's columns are read", async () => {
    const copy = await trivet.makeProject();
    const content = 'Title,References,Defects\nPay,"SHOP-1, SHOP-2",BUG-9\n';
    expect(await trivet.call('import-tests', { projectId: copy, content })).toMatchObject({
      ignoredColumns: [],
    });
    expect(await trivet.call('list-links', { projectId: copy })).toMatchObject({ total: 3 });
  });

  const refused: ReadonlyArray<readonly [string, string, () => object, string]> = [
    ['no key and no url', 'add-links', () => ({ testIds, links: [{ kind: 'defect' }] }), 'INVALID_REQUEST'],
    [
      'a script',
      'add-links',
      () => ({ testIds, links: [{ kind: 'defect', url: 'javascript:alert(1)' }] }),
      'INVALID_REQUEST',
    ],
    [
      'both query and ids',
      'add-links',
      () => ({ testIds, query: 'a', links: [{ kind: 'defect', key: 'a' }] }),
      'INVALID_REQUEST',
    ],
    ['no test', 'add-links', () => ({ links: [{ kind: 'defect', key: 'a' }] }), 'INVALID_REQUEST'],
    [
      'no test that fits',
      'add-links',
      () => ({ query: 'id:999999', links: [{ kind: 'defect', key: 'a' }] }),
      'NOTHING_TO_UPDATE',
    ],
    [
      'an unknown test',
      'add-links',
      () => ({ testIds: [999_999], links: [{ kind: 'defect', key: 'a' }] }),
      'NOT_IN_PROJECT',
    ],
    [
      'a test outside of the run',
      'add-links',
      () => ({ testIds: [testIds[7]], runId, links: [{ kind: 'defect', key: 'a' }] }),
      'NOT_IN_RUN',
    ],
    ['no key to remove', 'remove-links', () => ({ testIds }), 'INVALID_REQUEST'],
    ['ids and more', 'remove-links', () => ({ linkIds: [1], key: 'a' }), 'INVALID_REQUEST'],
    [
      'a template of a script',
      'edit-project',
      () => ({ linkTemplates: [{ prefix: 'a', url: 'javascript:{key}' }] }),
      'INVALID_REQUEST',
    ],
  ];
  test.each(refused)('refused: %s', async (_, tool, args, code) => {
    expect((await trivet.refusal(tool, { projectId, ...args() }))?.code).toBe(code);
  });

  test('at most 50 of a record', async () => {
    const [testId] = testIds.slice(4);
    const some = (from: number) =>
      Array.from({ length: 20 }, (_, n) => ({ kind: 'defect', key: `B-${from + n}` }));
    await link({ testIds: [testId] }, ...some(0));
    await link({ testIds: [testId] }, ...some(20));
    expect((await trivet.refusal('add-links', { projectId, testIds: [testId], links: some(40) }))?.code).toBe(
      'TOO_MANY_LINKS',
    );
    expect(await link({ testIds: [testId] }, ...some(20))).toMatchObject({ added: 0 });
  });
});

let made = '';
const token = async () =>
  (made ||= String(
    (await trivet.call('create-access-token', { name: 'links', scopes: ['testmgmt'] }))['token'],
  ));

describe('coverage of requirements', () => {
  beforeAll(scene);

  test('counts tests by their last results', async () => {
    await link({ testIds: testIds.slice(0, 6) }, { kind: 'requirement', key: 'SHOP-2' });
    await link({ testIds: testIds.slice(0, 1), runId }, { kind: 'requirement', key: 'shop-2' });
    await link(
      { testIds: testIds.slice(0, 1) },
      { kind: 'requirement', key: 'SHOP-10' },
      { kind: 'defect', key: 'BUG-1' },
    );
    await trivet.call('delete-test', { projectId, testId: testIds[5] });
    const answer = await trivet.call('get-requirement-coverage', { projectId });
    expect(answer).toMatchObject({
      total: 2,
      requirements: [
        { key: 'SHOP-2', tests: 5, passed: 1, failed: 2, blocked: 1, untested: 0, neverRun: 1 },
        { key: 'SHOP-10', tests: 1, failed: 1 },
      ],
    });
    expect(await trivet.call('get-requirement-coverage', { projectId, query: 'last:passed' })).toMatchObject({
      total: 1,
      requirements: [{ key: 'SHOP-2', tests: 1, passed: 1 }],
    });
    expect(await trivet.call('get-requirement-coverage', { projectId, limit: 1 })).toMatchObject({
      total: 2,
      nextOffset: 1,
    });
  });

  test('of a milestone: only results in its runs and in those of its parts count', async () => {
    const { milestoneId } = await trivet.call('create-milestone', { projectId, name: '1.4' });
    const part = { projectId, name: '1.4 beta', parentMilestoneId: milestoneId };
    const { milestoneId: partId } = await trivet.call('create-milestone', part);
    const ofMilestone = async () =>
      (await trivet.call('get-requirement-coverage', { projectId, milestoneId }))['requirements'];
    expect(await ofMilestone()).toMatchObject([
      { key: 'SHOP-2', tests: 5, passed: 0, failed: 0, neverRun: 5, lastAt: null },
      { key: 'SHOP-10', tests: 1, neverRun: 1 },
    ]);
    for (const [of, status] of [
      [milestoneId, 'failed'],
      [partId, 'passed'],
    ] as const) {
      trivet.clock.advance(1_000);
      const made = await trivet.makeRun(projectId, testIds.slice(0, 2));
      await trivet.call('edit-run', { projectId, runId: made, milestoneId: of });
      const testResults = [{ testId: testIds[0], status }];
      await trivet.call('run-update-test-status', { projectId, runId: made, testResults });
    }
    expect(await ofMilestone()).toMatchObject([
      { key: 'SHOP-2', passed: 1, failed: 0, neverRun: 4 },
      { key: 'SHOP-10', passed: 1, neverRun: 0 },
    ]);
    const unknown = await trivet.refusal('get-requirement-coverage', { projectId, milestoneId: 9_999 });
    expect(unknown).toMatchObject({ code: 'MILESTONE_NOT_FOUND' });
  });
});
