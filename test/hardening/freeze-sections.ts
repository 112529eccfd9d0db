import type { Served } from '../served.ts';
import { range, wholeTest, type World, type Worst } from './freeze-world.ts';

let spareId = 0;
/** A section with 1,000 subsections that contain 5,000 tests. */
const spareSections = async (served: Served, { projectId }: World, n: number) => {
  const made = await served.must('add-section', { projectId, sectionName: `gone ${n}` });
  spareId = Number(made['sectionId']);
  const tests = range(5_000, (m) => ({ ...wholeTest(m), section: `gone ${n} > a${m % 40} > b${m % 1_000}` }));
  await served.must('bulk-add-tests', { projectId, tests, create: true });
};

export const worstSections = {
  'delete-section': { args: () => ({ sectionId: spareId, withContents: true }), before: spareSections },
  'move-section': {
    args: ({ sectionId }) => ({ sectionId: spareId, parentSectionId: sectionId }),
    before: spareSections,
  },
} as const satisfies Readonly<Record<string, Worst>>;
