import { expect, test } from 'bun:test';
import { brokenSections, undoingOf, whyNotUndone } from './undo-rule.ts';

test.each([
  ['a created test is deleted', [true, false, false], 'delete'],
  ['a created test that is deleted already stays so', [true, true, false], ''],
  ['a changed test gets its fields', [false, false, false], 'change'],
  ['a deleted test is restored', [false, true, false], 'restore change'],
  ['a restored test is deleted again', [false, false, true], 'delete change'],
  ['a deleted test that was changed gets its fields', [false, true, true], 'change'],
] as const)('%s', (_, [created, isDeleted, wasDeleted], expected) => {
  const undoing = Object.entries(undoingOf({ created, isDeleted, wasDeleted }));
  expect(undoing.flatMap(([name, does]) => (does ? [name] : [])).join(' ')).toBe(expected);
});

test.each([
  ['change-tests', undefined],
  [null, undefined],
  ['merge-tests', 'it moved results and automation keys'],
])('%s', (operation, why) => expect(whyNotUndone(operation)).toBe(why));

/** `2 a <1`: section 2 with the name a below section 1. */
const tree = (text: string) =>
  text.split(', ').map((one) => {
    const [id, name, parent] = one.split(' ');
    return { id: Number(id), name: name ?? '', parentId: parent ? Number(parent.slice(1)) : null };
  });

const chain = Array.from({ length: 33 }, (_, n) => `${n + 1} s${n === 0 ? '' : ` <${n}`}`).join(', ');

test.each([
  ['in order', '1 a, 2 b <1', [2], []],
  ['the same name elsewhere', '1 a, 2 a <1', [2], []],
  ['the name is taken', '1 a, 2 A', [1], ['section 2 has the name and the parent of section 1 now']],
  ['names of others are not its matter', '1 a, 2 a, 3 b', [3], []],
  ['the parent is gone', '2 b <1', [2], ['section 1, the parent of section 2, is deleted']],
  [
    'a child of what would be deleted',
    '3 c <2',
    [2],
    ['section 2 would be deleted, but section 3 is below it'],
  ],
  [
    'a circle',
    '1 a <2, 2 b <1, 3 c <2',
    [1],
    ['section 1 would be below itself', 'section 2 would be below itself'],
  ],
  ['what was broken before', '1 a <2, 2 b <1, 4 d <3, 5 e', [5], []],
  ['too deep', chain, [1], ['section 33 would be more than 32 deep']],
])('sections: %s', (_, all, restored, expected) =>
  expect(brokenSections(tree(all), new Set(restored))).toEqual(expected),
);
