import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { sections } from '../base/schema.ts';
import { startTestmgmtKernel } from '../testing/testmgmt-kernel.ts';
import { sectionCheck } from './section-check-store.ts';

/** @see Finding: sections below a deleted one were in no list, and doctor called the database in order. */
test('doctor finds sections that nobody can reach, and its remedy brings them back', async () => {
  const trivet = await startTestmgmtKernel();
  const { host } = trivet.kernel;
  const projectId = await trivet.makeProject();
  const [a, b, c, d] = [
    await trivet.makeSection(projectId, 'A'),
    await trivet.makeSection(projectId, 'B'),
    await trivet.makeSection(projectId, 'C'),
    await trivet.makeSection(projectId, 'D'),
  ];
  const put = (id: number, set: Partial<typeof sections.$inferInsert>) =>
    host.db.tx(async (q) => void (await q.update(sections).set(set).where(eq(sections.id, id))));
  await put(b, { parentId: a });
  const check = () => sectionCheck.run(host, { repair: false });
  expect(await check()).toEqual([]);

  await put(a, { deletedAt: 1 });
  await put(c, { parentId: d });
  await put(d, { parentId: c });
  expect((await check()).map(({ message }) => message)).toEqual([
    `section ${b} of project ${projectId} is in no list: its parent, section ${a}, is gone.`,
    `section ${c} of project ${projectId} is in no list: it is below itself.`,
    `section ${d} of project ${projectId} is in no list: it is below itself.`,
  ]);
  for (const sectionId of [b, c]) {
    const remedy = expect.stringContaining(
      `Run trivet call move-section -a sectionId=${sectionId} -a parentSectionId=null`,
    ) as never;
    expect(await check()).toContainEqual(expect.objectContaining({ remedy }));
    await trivet.call('move-section', { sectionId, parentSectionId: null });
  }
  expect(await check()).toEqual([]);
  const listed = (await trivet.call('get-sections', { projectId }))['sections'];
  expect((listed as Array<{ sectionPath: readonly string[] }>).map((row) => row.sectionPath)).toEqual([
    ['B'],
    ['C'],
    ['C', 'D'],
  ]);
  await trivet.stop();
});
