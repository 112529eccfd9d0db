import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './imports.ts';
import { temporaryDirectory } from './temporary.ts';

/* docs/first-contribution.md, followed by a machine: its new files, its edits and its commands, in a copy of the sources. */
const page = readFileSync(join(root, 'docs', 'first-contribution.md'), 'utf8');

/** A page with its tables on one space: Prettier widens them. */
const narrow = (text: string) => text.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| ');

/** Lines with + come after the line before them, or before the line after them. */
function edit(text: string, hunk: string): string {
  const lines = hunk.split('\n').filter((line) => line !== '');
  const [first = '', ...more] = lines;
  const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  const anchor = first.startsWith('+') ? (more.find((line) => !line.startsWith('+')) ?? '') : first;
  const line = anchor.slice(1);
  expect([line, text.split(`${line}\n`).length]).toEqual([line, 2]);
  const block = added.map((each) => `${each}\n`).join('');
  return text.replace(`${line}\n`, first.startsWith('+') ? `${block}${line}\n` : `${line}\n${block}`);
}

test('the page leads to a field that works', async () => {
  const copy = temporaryDirectory('contribution');
  for (const name of [
    'core',
    'modules',
    'test',
    'drizzle',
    'docs',
    'package.json',
    'bunfig.toml',
    'tsconfig.json',
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const run = async (command: string) => {
    const child = Bun.spawn(['bash', '-c', command], { cwd: copy, stdout: 'pipe', stderr: 'pipe' });
    const [out, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { exitCode: await child.exited, said: out + errors };
  };
  const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, kind = '', text = '']) => ({
    kind,
    text,
  }));
  const outcomes: Array<{ readonly exitCode: number; readonly said: string }> = [];
  for (const { kind, text } of blocks) {
    const [, path = '', body = ''] = /^\/\/ (\S+)\n([\s\S]*)$/.exec(text) ?? [];
    if (kind === 'ts') {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), body);
    }
    if (kind === 'diff') {
      const file = join(copy, path);
      const before = path.endsWith('.md') ? narrow(readFileSync(file, 'utf8')) : readFileSync(file, 'utf8');
      writeFileSync(file, body.split('@@\n').reduce(edit, before));
    }
    // The packages are there already.
    const command = kind === 'sh' ? text.replace('npm ci\n', '') : '';
    if (command === '') continue;
    const { exitCode, said } = await run(command);
    outcomes.push({ exitCode, said });
  }
  // It passes, fails without the field, and passes with it.
  const [, without, last] = outcomes;
  expect(without?.said).toContain('no field "preconditions"');
  expect(last?.exitCode === 0 ? '' : last?.said).toBe('');
  expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 1, 0]);
}, 120_000);
