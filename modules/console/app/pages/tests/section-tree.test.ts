import { expect, test } from 'bun:test';
import { mayMove, treeOf } from './section-tree.ts';

const section = (sectionId: number, parentSectionId: number | null) => ({
  sectionId,
  projectId: 1,
  sectionName: `S${sectionId}`,
  parentSectionId,
  sectionPath: [],
});
// 1 > 2 > 3, and 4
const sections = [section(1, null), section(2, 1), section(3, 2), section(4, null)];

test('the tree of a list', () => {
  const [first, second] = treeOf(sections);
  expect([first?.id, first?.children[0]?.children[0]?.name, second?.children]).toEqual([1, 'S3', []]);
});

test.each([
  ['below another', 4, 3, true],
  ['to the top', 3, null, true],
  ['below itself', 1, 1, false],
  ['below its own child', 1, 3, false],
  ['where it is', 2, 1, false],
  ['to the top, where it is', 4, null, false],
])('a section moves %s', (_, id, parent, allowed) => expect(mayMove(sections, id, parent)).toBe(allowed));
