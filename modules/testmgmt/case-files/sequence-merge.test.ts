import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { randomFrom } from '../../../test/verify/scale.ts';
import { mergeSequences } from './sequence-merge.ts';

const merged = (base: string, ours: string, theirs: string): string =>
  mergeSequences([...base], [...ours], [...theirs])
    .map((part) =>
      part.conflict
        ? `<${part.conflict.ours.join('')}|${part.conflict.theirs.join('')}>`
        : part.items.join(''),
    )
    .join('');

test.each([
  ['', '', '', ''],
  ['abc', 'abc', 'abc', 'abc'],
  ['abc', 'aXc', 'abc', 'aXc'],
  ['abc', 'abc', 'abY', 'abY'],
  ['abcd', 'Xbcd', 'abcY', 'XbcY'],
  ['abc', 'aXc', 'aXc', 'aXc'],
  ['abc', 'aXc', 'aYc', 'a<X|Y>c'],
  ['abc', 'ac', 'abc', 'ac'],
  ['abc', 'ac', 'aYc', 'a<|Y>c'],
  ['', 'a', 'a', 'a'],
  ['', 'a', 'b', '<a|b>'],
  ['ab', 'aXb', 'abY', 'aXbY'],
  ['ab', 'Xb', 'aY', '<Xb|aY>'],
  ['abc', '', 'abc', ''],
])('%p with %p and %p is %p', (base, ours, theirs, wanted) => {
  expect(merged(base, ours, theirs)).toBe(wanted);
});

const git = Bun.which('git');

test.skipIf(git === null)(
  'it is what git merges (300 random files of different lines)',
  () => {
    const random = randomFrom(24_11);
    const directory = temporaryDirectory('merge');
    let conflicts = 0;
    for (let n = 0; n < 300; n++) {
      let fresh = 0;
      const base = Array.from({ length: random.below(12) }, (_, line) => `line ${line}`);
      const changed = (who: string) =>
        base.flatMap((line) => {
          const kind = random.below(9);
          if (kind === 0) return [];
          if (kind === 1) return [`${who} ${fresh++}`];
          return kind === 2 ? [line, `${who} ${fresh++}`] : [line];
        });
      const [ours, theirs] = [changed('ours'), random.below(5) === 0 ? base : changed('theirs')];
      const paths = Object.entries({ ours, base, theirs }).map(([name, lines]) => {
        const path = join(directory, name);
        writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
        return path;
      });
      const by = Bun.spawnSync(['git', 'merge-file', '-p', '-q', ...paths]);
      const parts = mergeSequences(base, ours, theirs);
      const isClean = parts.every(({ conflict }) => !conflict);
      if (!isClean) conflicts++;
      const sides = { base, ours, theirs };
      expect({ ...sides, isClean }).toEqual({ ...sides, isClean: by.exitCode === 0 });
      if (isClean)
        expect(parts.flatMap(({ items }) => items ?? [])).toEqual(
          by.stdout.toString().split('\n').slice(0, -1),
        );
    }
    expect(conflicts).toBeGreaterThan(30);
    expect(conflicts).toBeLessThan(270);
  },
  60_000,
);
