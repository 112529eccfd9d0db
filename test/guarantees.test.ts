import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * docs/guarantees.md promises only what a test shows: each line names a test that exists and is run.
 *
 * Mutation note: seen to fail with a line without link, and with a suite that verify/run.ts does not list.
 */
const root = join(import.meta.dir, '..');
const [promised = ''] = readFileSync(join(root, 'docs', 'guarantees.md'), 'utf8').split('\n## Not promised');
const lines = promised.split(/\n(?=- )/).slice(1);
const run = readFileSync(join(root, 'test', 'verify', 'run.ts'), 'utf8');

test('there are promises', () => expect(lines.length).toBeGreaterThan(20));

test.each(lines.map((line) => [line.replaceAll(/\s+/g, ' ').slice(0, 70), line] as const))(
  '%s…',
  (_title, line) => {
    const links = [...line.matchAll(/\]\(\.\.\/([^)]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(0);
    for (const path of links) {
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
      if (path.endsWith('.verify.ts')) expect(run).toContain(`'./${path}'`);
      else expect(path).toEndWith('.test.ts');
    }
  },
);
