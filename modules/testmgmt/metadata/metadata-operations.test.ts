import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

describe.each([
  ['labels', 'labelId', 'labelName'],
  ['squads', 'squadId', 'squadName'],
] as const)('%s', (plural, id, name) => {
  test('are added once whatever their case, answered in the given order, listed by name', async () => {
    const { call } = trivet;
    const projectId = await trivet.makeProject();
    const add = async (names: string[]) =>
      (await call(`add-${plural}`, { projectId, [plural]: names }))[plural] as Array<Record<string, unknown>>;
    const [zoo, apple] = await add([' Zoo ', 'Äpfel']);
    const change = { updatedBy: trivet.owner.userId, updatedAt: '2026-01-01T00:00:00.000Z' };
    expect(zoo).toEqual({ [id]: zoo?.[id], [name]: 'Zoo', ...change });
    // The same letter as one code point and as two.
    expect(await add(['A\u0308PFEL', 'new', 'zoo', 'NEW'])).toEqual([
      apple as never,
      { [id]: expect.any(Number), [name]: 'new', ...change },
      zoo as never,
      { [id]: expect.any(Number), [name]: 'new', ...change },
    ]);
    const list = await call(`get-${plural}`, { projectId });
    expect(list).toMatchObject({ total: 3, limit: 500, offset: 0 });
    expect((list[plural] as Array<Record<string, unknown>>).map((one) => one[name])).toEqual([
      'new',
      'Zoo',
      'Äpfel',
    ]);
    expect(await call(`get-${plural}`, { projectId, limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      [plural]: [{ [name]: 'Zoo' }],
    });
    // Another project has its own names.
    expect(await call(`get-${plural}`, { projectId: await trivet.makeProject() })).toMatchObject({
      total: 0,
    });
  });

  test('5,000 at once, also from many callers', async () => {
    const projectId = await trivet.makeProject();
    const names = Array.from({ length: 5_000 }, (_, n) => `n${n}`);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => trivet.call(`add-${plural}`, { projectId, [plural]: names })),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0] as never);
    expect(await trivet.call(`get-${plural}`, { projectId, limit: 1 })).toMatchObject({ total: 5_000 });
  });
});

test.each([
  ['get-priority', 'priorities', 'priority', ['Critical', 'High', 'Medium', 'Low']],
  ['get-platforms', 'platforms', 'platform', ['Web', 'Android', 'iOS', 'API', 'Desktop']],
  [
    'get-automation-status',
    'automationStatuses',
    'automationStatus',
    ['Automated', 'Automatable', 'Not automatable', 'Manual'],
  ],
  ['get-test-covered-by', 'coverageTypes', 'testCoveredBy', ['Unit', 'Integration', 'End to end', 'Manual']],
] as const)('%s lists what a new project has, in its order', async (tool, plural, kind, names) => {
  const projectId = await trivet.makeProject();
  const ids = await trivet.optionIds(projectId, kind);
  expect(await trivet.call(tool, { projectId })).toEqual({
    total: names.length,
    limit: 500,
    offset: 0,
    [plural]: names.map((name, index) => ({ [`${kind}Id`]: ids[index], [`${kind}Name`]: name })),
  });
  expect(await trivet.call(tool, { projectId, limit: 2, offset: 1 })).toMatchObject({
    total: names.length,
    [plural]: names.slice(1, 3).map((name) => ({ [`${kind}Name`]: name })),
  });
});

describe('sections', () => {
  test('nest, are listed as a tree, and are renamed in place', async () => {
    const { call } = trivet;
    const projectId = await trivet.makeProject();
    const shop = await trivet.makeSection(projectId, ' shop ');
    const account = await trivet.makeSection(projectId, 'Account');
    const cart = await trivet.makeSection(projectId, 'Cart', shop);
    const billing = await trivet.makeSection(projectId, 'billing', shop);
    // The same name under another parent.
    const again = await trivet.makeSection(projectId, 'Shop', cart);
    const list = await call('get-sections', { projectId });
    expect(list).toMatchObject({ total: 5, limit: 500 });
    expect(
      (list['sections'] as Array<Record<string, unknown>>).map(({ sectionId, sectionPath }) => [
        sectionId,
        sectionPath,
      ]),
    ).toEqual([
      [account, ['Account']],
      [shop, ['shop']],
      [billing, ['shop', 'billing']],
      [cart, ['shop', 'Cart']],
      [again, ['shop', 'Cart', 'Shop']],
    ]);
    expect(await call('get-sections', { projectId, limit: 1, offset: 4 })).toMatchObject({
      total: 5,
      sections: [{ sectionPath: ['shop', 'Cart', 'Shop'], parentSectionId: cart }],
    });
    expect(await call('edit-section', { sectionId: shop, sectionName: ' SHOP ' })).toEqual({
      sectionId: shop,
      projectId,
      sectionName: 'SHOP',
      parentSectionId: null,
      sectionPath: ['SHOP'],
      updatedBy: trivet.owner.userId,
      updatedAt: '2026-01-01T00:00:00.000Z',
    });
    const clash = await trivet.refusal('edit-section', { sectionId: billing, sectionName: 'cart' });
    expect(clash).toMatchObject({ code: 'SECTION_EXISTS', status: 409 });
    expect(clash?.message).toContain(`Section ${cart} `);
  });

  test('nest 32 deep and no deeper', async () => {
    const projectId = await trivet.makeProject();
    let parent = await trivet.makeSection(projectId, 's1');
    for (let depth = 2; depth <= 32; depth++) {
      parent = await trivet.makeSection(projectId, `s${depth}`, parent);
    }
    const input = { projectId, sectionName: 's33', parentSectionId: parent };
    expect((await trivet.refusal('add-section', input))?.code).toBe('SECTION_TOO_DEEP');
    const [testId = 0] = await trivet.makeTests(projectId, 1, { sectionId: parent });
    const { sectionPath } = await trivet.call('get-test-details', { projectId, testId });
    expect(sectionPath).toHaveLength(32);
  });

  test('are deleted only when nothing is in them, and then are gone for everybody', async () => {
    const { call, refusal } = trivet;
    const projectId = await trivet.makeProject();
    const top = await trivet.makeSection(projectId, 'Top');
    const inner = await trivet.makeSection(projectId, 'Inner', top);
    const [a = 0, b = 0] = await trivet.makeTests(projectId, 2, { sectionId: inner });
    const full = await refusal('delete-section', { sectionId: inner });
    expect(full).toMatchObject({ code: 'SECTION_NOT_EMPTY', status: 409 });
    expect(full?.message).toContain('0 subsections and 2 tests');
    expect((await refusal('delete-section', { sectionId: top }))?.message).toContain(
      '1 subsection and 0 tests',
    );
    await call('delete-test', { projectId, testId: a });
    await call('update-test', { testId: b, sectionId: top });
    expect(await call('delete-section', { sectionId: inner })).toEqual({ sectionId: inner, deleted: true });
    expect((await refusal('delete-section', { sectionId: inner }))?.code).toBe('SECTION_NOT_FOUND');
    expect((await refusal('edit-section', { sectionId: inner, sectionName: 'x' }))?.code).toBe(
      'SECTION_NOT_FOUND',
    );
    expect((await refusal('update-test', { testId: b, sectionId: inner }))?.code).toBe('NOT_IN_PROJECT');
    const below = { projectId, sectionName: 'x', parentSectionId: inner };
    expect((await refusal('add-section', below))?.code).toBe('NOT_IN_PROJECT');
    expect(await call('get-sections', { projectId })).toMatchObject({ total: 1 });
    // Its name is free again.
    await trivet.makeSection(projectId, 'INNER', top);
  });

  test('of one name that many callers add at once are one section', async () => {
    const projectId = await trivet.makeProject();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => trivet.refusal('add-section', { projectId, sectionName: 'Same' })),
    );
    expect(outcomes.filter((fault) => fault === null)).toHaveLength(1);
    expect(outcomes.filter((fault) => fault?.code === 'SECTION_EXISTS')).toHaveLength(7);
  });
});
