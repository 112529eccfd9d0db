import { beforeAll, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment, compiled, requireBuilt } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * docs/plugins.md: its files are written into an empty directory, its commands are run there in order, and their output equals the output
 * shown. The parts of a module compile with the declarations alone.
 */
beforeAll(requireBuilt);

const root = join(import.meta.dir, '..');
const page = readFileSync(join(root, 'docs', 'plugins.md'), 'utf8');

interface Block {
  readonly kind: string;
  readonly text: string;
}
const blocks: readonly Block[] = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', text = '']) => ({ kind, text }),
);
const files = blocks.flatMap(({ text }) => {
  const name = /^(?:\/\/|#) (\S+\.(?:ts|toml))\n/.exec(text)?.[1];
  return name === undefined ? [] : [{ name, text }];
});
const parts = blocks.filter(({ text }) => text.startsWith('// in defineModule\n'));

test('every block is a file, a part of a module, a command or its output', () => {
  expect([files.length, parts.length]).toEqual([3, 5]);
  for (const { kind, text } of blocks) {
    const known = files.some((file) => file.text === text) || parts.some((part) => part.text === text);
    expect([text, known || ['sh', 'text'].includes(kind)]).toEqual([text, true]);
  }
});

test('its commands print what it shows', async () => {
  const directory = temporaryDirectory('plugin-docs');
  symlinkSync(String(compiled.command[0]), join(directory, 'trivet'));
  for (const { name, text } of files) writeFileSync(join(directory, name), text);
  copyFileSync(join(root, 'examples', 'plugins', 'webhooks.ts'), join(directory, 'webhooks.ts'));
  for (const [index, { kind, text }] of blocks.entries()) {
    if (kind !== 'sh') continue;
    const child = Bun.spawn(['bash', '-euc', text], {
      cwd: directory,
      env: cleanEnvironment({ PATH: `${directory}:${process.env['PATH'] ?? ''}` }),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    const shown = blocks[index + 1];
    expect([text, stdout, stderr]).toEqual([text, shown?.kind === 'text' ? shown.text : '', '']);
    expect(await child.exited).toBe(0);
  }
}, 60_000);

test('its files and parts compile with the declarations alone', async () => {
  const directory = temporaryDirectory('plugin-docs');
  copyFileSync(
    join(root, 'examples', 'plugins', 'trivet-plugin.d.ts'),
    join(directory, 'trivet-plugin.d.ts'),
  );
  for (const { name, text } of files) if (name.endsWith('.ts')) writeFileSync(join(directory, name), text);
  for (const [index, { text }] of parts.entries())
    writeFileSync(
      join(directory, `part${index}.ts`),
      `import type { Plugin } from './trivet-plugin.d.ts';
       export const plugin: Plugin = ({ defineModule, columns, http, metrics }) => {
         const { table, id, text, int, time } = columns;
         const posts = table('notes_posts', { id: id('id'), runId: int('run_id').notNull(), at: time('at').notNull() });
         void [posts, text, http, metrics];
         return defineModule({ name: 'notes',\n${text}\n});
       };`,
    );
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'esnext',
    module: 'preserve',
    lib: ['esnext', 'dom'],
    types: [],
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const child = Bun.spawn([tsc, '-p', directory], { cwd: root, stdout: 'pipe', stderr: 'ignore' });
  expect(await new Response(child.stdout).text()).toBe('');
}, 60_000);
