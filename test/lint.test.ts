import { expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './imports.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * Regular expressions with quadratic time blocked the server for 22 s with 323 bytes (a name in a TAP file). The lint refuses them; this
 * test makes sure, with the expressions that strangers found.
 */
const slow = [
  String.raw`name.replace(/\s*\{$/, '')`,
  String.raw`name.replaceAll(/\s*\[T(\d{1,15})\]/g, '')`,
  String.raw`/^[^\s]*\\[^\s]*\.\w+$/.test(name)`,
  String.raw`/^\s*duration_ms:\s*([\d.]+)\s*$/m.exec(name)`,
  String.raw`new RegExp('\\s+$').test(name)`,
];
const quick = [
  String.raw`name.replaceAll(/\s+/g, ' ')`,
  String.raw`/^\s*x/.test(name)`,
  String.raw`/#\s*todo/.test(name)`,
];

test('the lint refuses expressions that take quadratic time, in what is shipped', () => {
  const directory = temporaryDirectory('lint');
  copyFileSync(join(root, '.oxlintrc.json'), join(directory, '.oxlintrc.json'));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  mkdirSync(join(directory, 'core'));
  const files = [...slow, ...quick].map((expression, at) => {
    const file = join(directory, 'core', `case-${at}.ts`);
    writeFileSync(file, `export const found = (name: string): unknown => ${expression};\n`);
    return file;
  });
  const { stdout } = Bun.spawnSync([join(root, 'node_modules/.bin/oxlint'), '--format', 'unix'], {
    cwd: directory,
  });
  const complaints = stdout.toString();
  const refused = files.map((file) => complaints.includes(`${file.slice(directory.length + 1)}:`));
  expect(refused).toEqual([...slow.map(() => true), ...quick.map(() => false)]);
  expect(complaints).toContain('quadratic');
}, 30_000);
