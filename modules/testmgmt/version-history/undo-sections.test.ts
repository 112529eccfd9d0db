import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sectionCheck } from '../sections/section-check-store.ts';
import { startTestmgmtKernel, type TestmgmtKernel } from '../testing/testmgmt-kernel.ts';

let trivet: TestmgmtKernel;
beforeAll(async () => void (trivet = await startTestmgmtKernel()));
afterAll(async () => {
  expect(await sectionCheck.run(trivet.kernel.host, { repair: false })).toEqual([]);
  expect(await trivet.wrongCounts()).toEqual([]);
  await trivet.stop();
});

type Row = Readonly<Record<string, unknown>>;

/** A project with a section C, and what the cases do with it. */
async function sectionWorld() {
  const projectId = await trivet.makeProject();
  const newest = async () => {
    const { activities } = await trivet.call('list-activity', { projectId, limit: 1 });
    return Number((activities as Row[])[0]?.['activityId']);
  };
  /** @returns the activity of the call. */
  const did = async (tool: string, input: object) => {
    await trivet.call(tool, input);
    return newest();
  };
  const add = (name: string, below?: number) => trivet.makeSection(projectId, name, below);
  const put = (sectionId: number) => trivet.makeTests(projectId, 1, { sectionId });
  const move = (sectionId: number, parentSectionId: number | null) =>
    did('move-section', { sectionId, parentSectionId });
  const remove = (sectionId: number) => did('delete-section', { sectionId, withContents: true });
  const undo = (activityId: number) => did('undo-activity', { activityId });
  const c = await add('C');
  return { projectId, c, createdC: await newest(), newest, did, add, put, move, remove, undo };
}

type World = Awaited<ReturnType<typeof sectionWorld>>;

/** @see Finding: `undo-activity` left sections below deleted ones and in circles; they and their tests were in no list any more. */
test.each<[string, (world: World) => Promise<readonly [activityId: number, problem: string]>]>([
  [
    'a created section got a subsection with a test',
    async ({ c, createdC, add, put }) => {
      const d = await add('D', c);
      await put(d);
      return [createdC, `section ${c} would be deleted, but section ${d} is below it`];
    },
  ],
  [
    'the parent of before a move is deleted',
    async ({ c, add, move, remove }) => {
      const d = await add('D', c);
      const moved = await move(d, null);
      await remove(c);
      return [moved, `section ${c}, the parent of section ${d}, is deleted`];
    },
  ],
  [
    'the parent of before a move is below the section',
    async ({ c, add, move }) => {
      const d = await add('D', c);
      const moved = await move(d, null);
      await move(c, d);
      return [moved, `section ${c} would be below itself`];
    },
  ],
  [
    'an imported section got a subsection',
    async ({ projectId, did, newest, add, put }) => {
      await did('import-tests', { projectId, content: 'Title,Section\none,Imported\n' });
      const imported = await newest();
      const { sections } = await trivet.call('get-sections', { projectId });
      const id = Number((sections as Row[]).find((row) => row['sectionName'] === 'Imported')?.['sectionId']);
      const sub = await add('Sub', id);
      await put(sub);
      return [imported, `section ${id} would be deleted, but section ${sub} is below it`];
    },
  ],
  [
    'an imported section got a test',
    async ({ projectId, did, newest, put }) => {
      await did('import-tests', { projectId, content: 'Title,Section\none,Imported\n' });
      const imported = await newest();
      const { sections } = await trivet.call('get-sections', { projectId });
      const id = Number((sections as Row[]).find((row) => row['sectionName'] === 'Imported')?.['sectionId']);
      await put(id);
      return [imported, `section ${id} has tests that the write did not create`];
    },
  ],
  [
    'the parent of a deleted section was deleted later',
    async ({ c, add, put, remove }) => {
      const d = await add('D', c);
      await put(d);
      const removed = await remove(d);
      await remove(c);
      return [removed, `section ${c}, the parent of section ${d}, is deleted`];
    },
  ],
  [
    'a section that came back got a test',
    async ({ c, put, remove, undo }) => {
      const back = await undo(await remove(c));
      await put(c);
      return [back, `section ${c} has tests that the write did not create`];
    },
  ],
  [
    'a section that came back got a subsection',
    async ({ c, add, remove, undo }) => {
      const back = await undo(await remove(c));
      const d = await add('D', c);
      return [back, `section ${c} would be deleted, but section ${d} is below it`];
    },
  ],
])('a write is not taken back when %s', async (_, build) => {
  const world = await sectionWorld();
  const [activityId, problem] = await build(world);
  const before = await trivet.everything();
  const fault = await trivet.refusal('undo-activity', { activityId });
  expect(fault).toMatchObject({ code: 'ACTIVITY_OVERTAKEN', status: 409 });
  expect(fault?.message).toContain(problem);
  expect(await trivet.everything()).toBe(before);
});
