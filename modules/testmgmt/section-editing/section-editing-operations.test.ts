import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

/** Sections by name: Shop > Cart > Pay, Blog > Cart, and a section of another project. */
async function makeTree() {
  const projectId = await trivet.makeProject();
  const shop = await trivet.makeSection(projectId, 'Shop');
  const cart = await trivet.makeSection(projectId, 'Cart', shop);
  const pay = await trivet.makeSection(projectId, 'Pay', cart);
  const blog = await trivet.makeSection(projectId, 'Blog');
  const blogCart = await trivet.makeSection(projectId, 'cart', blog);
  const foreign = await trivet.makeSection(await trivet.makeProject(), 'Foreign');
  const ids = { shop, cart, pay, blog, blogCart, foreign, missing: 999_999, top: null };
  const paths = async () => {
    const { sections } = await trivet.call('get-sections', { projectId });
    return (sections as Array<{ sectionPath: string[] }>).map(({ sectionPath }) => sectionPath.join(' > '));
  };
  return { projectId, ids, paths };
}

type Name = keyof Awaited<ReturnType<typeof makeTree>>['ids'];
const before = ['Blog', 'Blog > cart', 'Shop', 'Shop > Cart', 'Shop > Cart > Pay'];

const moves: ReadonlyArray<readonly [title: string, Name, Name, after: string | readonly string[]]> = [
  ['to the top level', 'pay', 'top', ['Blog', 'Blog > cart', 'Pay', 'Shop', 'Shop > Cart']],
  ['under another', 'pay', 'blog', ['Blog', 'Blog > cart', 'Blog > Pay', 'Shop', 'Shop > Cart']],
  [
    'with all below it',
    'shop',
    'blogCart',
    [
      'Blog',
      'Blog > cart',
      'Blog > cart > Shop',
      'Blog > cart > Shop > Cart',
      'Blog > cart > Shop > Cart > Pay',
    ],
  ],
  ['where it is', 'pay', 'cart', before],
  ['under itself', 'cart', 'cart', 'SECTION_CYCLE'],
  ['below itself', 'shop', 'pay', 'SECTION_CYCLE'],
  ['beside one of the same name', 'cart', 'blog', 'SECTION_EXISTS'],
  ['to another project', 'cart', 'foreign', 'NOT_IN_PROJECT'],
  ['to a parent that is not there', 'cart', 'missing', 'NOT_IN_PROJECT'],
  ['of one that is not there', 'missing', 'shop', 'SECTION_NOT_FOUND'],
];

describe('a section moves', () => {
  test.each(moves)('%s', async (_, section, parent, after) => {
    const { ids, paths } = await makeTree();
    const input = { sectionId: ids[section], parentSectionId: ids[parent] };
    if (typeof after === 'string') {
      const stored = await trivet.everything();
      expect(await trivet.refusal('move-section', input)).toMatchObject({ code: after });
      expect(await trivet.everything()).toBe(stored);
      expect(await paths()).toEqual(before);
    } else {
      const moved = await trivet.call('move-section', input);
      expect(moved).toMatchObject({ ...input, updatedBy: trivet.owner.userId });
      expect(after).toContain((moved['sectionPath'] as string[]).join(' > '));
      expect(await paths()).toEqual([...after]);
    }
  });

  test('as deep as 32 names, and no deeper', async () => {
    const { projectId, ids } = await makeTree();
    let parent = await trivet.makeSection(projectId, 's1');
    const chain = [parent];
    for (let depth = 2; depth <= 30; depth++)
      chain.push((parent = await trivet.makeSection(projectId, `s${depth}`, parent)));
    const under = (sectionId: number | null | undefined) => ({
      sectionId: ids.shop,
      parentSectionId: sectionId,
    });
    expect(await trivet.refusal('move-section', under(chain[29]))).toMatchObject({
      code: 'SECTION_TOO_DEEP',
    });
    const moved = await trivet.call('move-section', under(chain[28]));
    expect(moved['sectionPath']).toHaveLength(30);
  });

  test('two that move below each other at once make no cycle', async () => {
    for (let round = 0; round < 5; round++) {
      const { ids, paths } = await makeTree();
      const refusals = await Promise.all([
        trivet.refusal('move-section', { sectionId: ids.shop, parentSectionId: ids.blog }),
        trivet.refusal('move-section', { sectionId: ids.blog, parentSectionId: ids.shop }),
      ]);
      expect(refusals.flatMap((fault) => fault?.code ?? [])).toEqual(['SECTION_CYCLE']);
      expect(await paths()).toHaveLength(5);
    }
  });

  test('and is in the activity of its project', async () => {
    const { projectId, ids } = await makeTree();
    await trivet.call('move-section', { sectionId: ids.pay, parentSectionId: ids.blog });
    const { activities } = await trivet.call('list-activity', { projectId, limit: 1 });
    expect(activities).toMatchObject([
      {
        operation: 'move-section',
        changes: [{ field: 'parentSectionId', from: ids.cart, to: ids.blog }],
      },
    ]);
  });
});

describe('a section is deleted with its contents', () => {
  const makeFilled = async () => {
    const tree = await makeTree();
    const { projectId, ids } = tree;
    const inCart = await trivet.makeTests(projectId, 600, { sectionId: ids.cart });
    const [inPay = 0, gone = 0] = await trivet.makeTests(projectId, 2, { sectionId: ids.pay });
    const [outside = 0] = await trivet.makeTests(projectId, 1, { sectionId: ids.blogCart });
    await trivet.call('delete-test', { projectId, testId: gone });
    return { ...tree, inCart, inPay, gone, outside, input: { sectionId: ids.shop, withContents: true } };
  };

  test('counted before, all at once, and restore-tests brings the tests back', async () => {
    const { call, refusal, everything, wrongCounts } = trivet;
    const { projectId, ids, paths, inCart, inPay, gone, outside, input } = await makeFilled();
    const stored = await everything();
    for (const dry of [
      { ...input, dryRun: true },
      { sectionId: ids.shop, dryRun: true },
    ])
      expect(await call('delete-section', dry)).toEqual({
        sectionId: ids.shop,
        deleted: false,
        sections: 3,
        tests: 601,
      });
    expect(await refusal('delete-section', { sectionId: ids.shop })).toMatchObject({
      code: 'SECTION_NOT_EMPTY',
    });
    expect(await everything()).toBe(stored);
    expect(await call('delete-section', input)).toEqual({
      sectionId: ids.shop,
      deleted: true,
      sections: 3,
      tests: 601,
    });
    expect(await paths()).toEqual(['Blog', 'Blog > cart']);
    expect(await call('get-tests', { projectId })).toMatchObject({ total: 1, tests: [{ testId: outside }] });
    expect(await wrongCounts()).toEqual([]);
    expect(await refusal('delete-section', input)).toMatchObject({ code: 'SECTION_NOT_FOUND' });
    const restored = await call('restore-tests', { projectId, testIds: [...inCart, inPay] });
    expect(restored).toMatchObject({ count: 601 });
    expect(await call('get-test-details', { projectId, testId: inPay })).toMatchObject({ sectionId: null });
    expect(await refusal('get-test-details', { projectId, testId: gone })).toMatchObject({
      causeWord: 'deleted',
    });
    expect(await wrongCounts()).toEqual([]);
  });

  test('each of its tests finds it in its activity', async () => {
    const { projectId, inPay, input } = await makeFilled();
    await trivet.call('delete-section', input);
    const { activities } = await trivet.call('list-activity', { projectId, testId: inPay, limit: 1 });
    expect(activities).toMatchObject([{ operation: 'delete-section', count: 604 }]);
  });

  test('an empty one, too', async () => {
    const { ids } = await makeTree();
    expect(await trivet.call('delete-section', { sectionId: ids.pay, withContents: true })).toEqual({
      sectionId: ids.pay,
      deleted: true,
      sections: 1,
      tests: 0,
    });
  });

  test('a reader may not even count', async () => {
    const { ids } = await makeTree();
    const input = { sectionId: ids.shop, dryRun: true };
    const fault = await trivet.refusal('delete-section', input, trivet.withRole('reader'));
    expect(fault).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('beside tests that are made in it at once, none is left in a deleted section', async () => {
    for (let round = 0; round < 5; round++) {
      const { projectId, ids, input } = await makeFilled();
      const made = { projectId, testName: 'late', sectionId: ids.pay };
      const [, late] = await Promise.all([
        trivet.call('delete-section', input),
        trivet.refusal('create-test', made),
      ]);
      expect([undefined, 'NOT_IN_PROJECT']).toContain(late?.code);
      const { total } = await trivet.call('get-tests', { projectId });
      expect(total).toBe(1);
    }
  });
});
