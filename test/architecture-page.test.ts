import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './imports.ts';
import { picture } from './rooms.ts';

/* docs/architecture.md: its diagram equals the imports, and its walks name existing files. */
const page = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');

test('the arrows of the picture are those of npm run rooms', () => {
  const drawn = /```mermaid\n([\s\S]*?)```/.exec(page)?.[1];
  expect(drawn).toBe(picture());
});

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`((?:core|modules)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('each walk has ten steps', () => {
  const walks = page.slice(page.indexOf('## Four walks'), page.indexOf('## Where the cross-cutting'));
  expect([...walks.matchAll(/^10\. /gm)].length).toBe(4);
  expect([...walks.matchAll(/^11\. /gm)].length).toBe(0);
});
