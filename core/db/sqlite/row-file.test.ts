import { expect, test } from 'bun:test';
import { openRowFile } from './row-file.ts';

test('rows are read by kind, parent and id, and regrouped under the parents of their parents', () => {
  const file = openRowFile();
  try {
    for (const [kind, parent, id, body] of [
      ['run', 7, 2, 'run 2'],
      ['run', 8, 1, 'run 1'],
      ['change', 1, 30, 'c'],
      ['change', 2, 20, 'b'],
      ['change', 2, 10, 'a, replaced'],
      ['change', 2, 10, 'a'],
      ['change', 9, 40, 'of no run'],
    ] as const)
      file.put(kind, parent, id, body);
    file.regroup('change', 'history', 'run');
    expect(file.rows('history', 7, 0, -1)).toEqual(['a', 'b']);
    expect(file.rows('history', 7, 10, 5)).toEqual(['b']);
    expect(file.rows('history', 8, 0, 1)).toEqual(['c']);
    expect(file.rows('history', 9, 0, -1)).toEqual([]);
    expect(file.idsBelow('change', [2, 1, 5])).toEqual([
      [1, 30],
      [2, 10],
      [2, 20],
    ]);
    expect([file.lastId('change'), file.lastId('none')]).toEqual([40, 0]);
  } finally {
    file.remove();
  }
});
