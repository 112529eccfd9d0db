import { Glob } from 'bun';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

test('calls.ts names every file of operations', () => {
  const modules = join(import.meta.dir, '..', '..', '..');
  const text = readFileSync(join(import.meta.dir, 'calls.ts'), 'utf8');
  // What the demo does with operations is none itself.
  const files = [...new Glob('*/*/*-operations.ts').scanSync(modules)].filter(
    (file) => !file.includes('/demo/'),
  );
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !text.includes(file.replace(/^console\//, '')))).toEqual([]);
});
