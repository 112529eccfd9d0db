import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { bytesOf } from '../../../core/tools/file-answer.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(() => trivet.stop());

type Row = Readonly<Record<string, unknown>>;

/**
 * Then: S > Sub > Leaf with a test, Gone with a test, Empty below S. Now: Sub is at the top, Gone is deleted with its test, the test of Leaf is
 * in Late, which is new, and Empty is called Void.
 */
async function movedWorld() {
  const projectId = await trivet.makeProject();
  const s = await trivet.makeSection(projectId, 'S');
  const sub = await trivet.makeSection(projectId, 'Sub', s);
  const leaf = await trivet.makeSection(projectId, 'Leaf', sub);
  const gone = await trivet.makeSection(projectId, 'Gone');
  const empty = await trivet.makeSection(projectId, 'Empty', s);
  const [inLeaf = 0] = await trivet.makeTests(projectId, 1, { sectionId: leaf });
  const [inGone = 0] = await trivet.makeTests(projectId, 1, { sectionId: gone });
  const asOf = new Date(trivet.clock.now()).toISOString();
  trivet.clock.advance(60_000);
  await trivet.call('move-section', { sectionId: sub, parentSectionId: null });
  await trivet.call('delete-section', { sectionId: gone, withContents: true });
  const late = await trivet.makeSection(projectId, 'Late', s);
  await trivet.call('update-test', { testId: inLeaf, sectionId: late });
  await trivet.call('edit-section', { sectionId: empty, sectionName: 'Void' });
  return { projectId, asOf, s, sub, leaf, gone, late, inLeaf, inGone };
}

type World = Awaited<ReturnType<typeof movedWorld>>;

let world: World;
beforeAll(async () => void (world = await movedWorld()));

const pathsIn = (rows: unknown) =>
  (rows as readonly Row[]).map((row) => (row['sectionPath'] as readonly string[]).join(' > '));

/** @see Finding: sections of a time had the parents of today, and sections that were deleted since did not exist. */
describe('as of a time, sections are where they were', () => {
  test.each<[string, (world: World) => Promise<readonly string[]>]>([
    [
      'get-tests',
      async ({ projectId, asOf }) => pathsIn((await trivet.call('get-tests', { projectId, asOf }))['tests']),
    ],
    [
      'as-of: in a query',
      async ({ projectId, asOf }) =>
        pathsIn((await trivet.call('get-tests', { projectId, query: `as-of:${asOf}` }))['tests']),
    ],
    [
      'get-test-details',
      async ({ projectId, asOf, inLeaf, inGone }) =>
        pathsIn([
          await trivet.call('get-test-details', { projectId, testId: inLeaf, asOf }),
          await trivet.call('get-test-details', { projectId, testId: inGone, asOf }),
        ]),
    ],
    [
      'download-tests',
      async ({ projectId, asOf }) => {
        const file = await trivet.call('download-tests', { projectId, asOf, format: 'json' });
        const { tests } = JSON.parse(String(await bytesOf(file as never))) as { tests: Row[] };
        return pathsIn(tests);
      },
    ],
    [
      'download-tests as CSV',
      async ({ projectId, asOf }) => {
        const file = await trivet.call('download-tests', { projectId, asOf, format: 'csv' });
        const text = String(await bytesOf(file as never));
        return ['S > Sub > Leaf', 'Gone'].filter((path) => text.includes(`,${path},`));
      },
    ],
  ])('%s', async (_, paths) => expect(await paths(world)).toEqual(['S > Sub > Leaf', 'Gone']));

  test('get-sections', async () => {
    const { projectId, asOf } = world;
    expect(pathsIn((await trivet.call('get-sections', { projectId, asOf }))['sections'])).toEqual([
      'Gone',
      'S',
      'S > Empty',
      'S > Sub',
      'S > Sub > Leaf',
    ]);
  });

  test.each<[string, (world: World) => object, 'leaf' | 'gone' | '']>([
    ['section:S', () => ({ query: 'section:S' }), 'leaf'],
    ['section:= alone', () => ({ query: 'section:=S' }), ''],
    ['a path', () => ({ query: 'section:"S > Sub"' }), 'leaf'],
    ['the whole path', () => ({ query: 'section:"s > sub > leaf"' }), 'leaf'],
    ['an id', ({ sub }) => ({ query: `section:${sub}` }), 'leaf'],
    ['a deleted section', () => ({ query: 'section:Gone' }), 'gone'],
    ['not in', () => ({ query: '-section:S' }), 'gone'],
    ['with the name of today', () => ({ query: 'section:Void' }), ''],
    ['a section that was not there yet', () => ({ query: 'section:Late' }), ''],
    ['sectionId', ({ leaf }) => ({ sectionId: leaf }), 'leaf'],
    ['sectionId of a deleted section', ({ gone }) => ({ sectionId: gone }), 'gone'],
    ['sectionId of a section that was not there yet', ({ late }) => ({ sectionId: late }), ''],
  ])('%s finds what was there', async (_, inputOf, expected) => {
    const { projectId, asOf, inLeaf, inGone } = world;
    const input = { projectId, asOf, ...inputOf(world) };
    const { tests } = await trivet.call('get-tests', input);
    const { total } = await trivet.call('get-tests-count', input);
    const found = (tests as readonly Row[]).map((row) => row['testId']);
    expect(found).toEqual(expected === '' ? [] : [expected === 'leaf' ? inLeaf : inGone]);
    expect(total).toBe(found.length);
  });

  test.each<[string, (world: World) => object, string]>([
    ['a path of today', () => ({ query: 'section:"S > Nowhere"' }), 'INVALID_QUERY'],
    ['an unknown id', () => ({ sectionId: 999_999 }), 'NOT_IN_PROJECT'],
    ['a deleted section of today', ({ gone }) => ({ sectionId: gone, asOf: undefined }), 'NOT_IN_PROJECT'],
  ])('%s is refused', async (_, inputOf, code) => {
    const { projectId, asOf } = world;
    const input = Object.fromEntries(
      Object.entries({ projectId, asOf, ...inputOf(world) }).filter(([, value]) => value !== undefined),
    );
    expect((await trivet.refusal('get-tests', input))?.code).toBe(code);
  });

  test('now they are where they are', async () => {
    const { projectId } = world;
    const { tests } = await trivet.call('get-tests', { projectId });
    expect(pathsIn(tests)).toEqual(['S > Late']);
  });
});
