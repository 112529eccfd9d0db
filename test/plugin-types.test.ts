import { beforeAll, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginKit } from '../core/plugin/plugin-kit.ts';
import { executables, requireBuilt, runTrivet } from './executable.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * examples/plugins/trivet-plugin.d.ts is written by hand, so that it depends on no package. It is accurate: the real kit has everything in
 * it, and the examples compile with it alone and with the real types as well.
 */
beforeAll(requireBuilt);

const root = join(import.meta.dir, '..');
const examples = join(root, 'examples', 'plugins');
const names = ['notes', 'webhooks', 'run-summary'];
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  target: 'esnext',
  module: 'preserve',
  noEmit: true,
  allowImportingTsExtensions: true,
};

/** The errors of tsc for the files of a directory; empty if there are none. */
async function problems(directory: string, options: object): Promise<string> {
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...strict, ...options } }),
  );
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const child = Bun.spawn([tsc, '--noEmit', '-p', directory], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  return new Response(child.stdout).text();
}

test('the examples compile with the declarations alone, and a mistake does not', async () => {
  const directory = temporaryDirectory('plugin-types');
  for (const file of [...names, 'trivet-plugin.d'])
    copyFileSync(join(examples, `${file}.ts`), join(directory, `${file}.ts`));
  const alone = { lib: ['esnext', 'dom'], types: [], skipLibCheck: false };
  expect(await problems(directory, alone)).toBe('');
  const mistakes = [
    [`defineModule({ nam: 'x' })`, "'nam' does not exist"],
    [
      `defineModule({ name: 'x', settings: { a: { type: 'integer', description: 'b' } } })`,
      "is not assignable to type 'Setting'",
    ],
    [
      `defineModule({ name: 'x', onWrite: async (_, event) => { event.organization; } })`,
      "'organization' does not exist",
    ],
    [
      `defineModule({ name: 'x', operations: [operation({ name: 'a', toolset: 'x', title: '', description: '', input: closedObject({ n: Type.Integer() }),
        output: closedObject({}), access: member('read'), effect: 'read', handler: async ({ n }) => { n.length; return {}; } })] })`,
      "'length' does not exist on type 'number'",
    ],
  ] as const;
  for (const [index, [text]] of mistakes.entries())
    writeFileSync(
      join(directory, `mistake${index}.ts`),
      `import type { Plugin } from './trivet-plugin.d.ts';\nexport const plugin${index}: Plugin = ({ defineModule, operation, closedObject, Type, member }) => {
        void [operation, closedObject, Type, member];\nreturn ${text};\n};\n`,
    );
  const found = await problems(directory, alone);
  for (const [index, [, message]] of mistakes.entries())
    expect(
      found
        .split('\n')
        .find((line) => line.startsWith(`mistake${index}`) || line.includes(`mistake${index}.ts`)),
    ).toContain(message);
}, 60_000);

test('the examples compile with the real types, too', async () => {
  const directory = temporaryDirectory('plugin-types');
  const core = (file: string) => join(root, 'core', file);
  writeFileSync(
    join(directory, 'real.ts'),
    [
      `export type { Plugin } from '${core('plugin/plugin-kit.ts')}';`,
      `export type { Host } from '${core('host/host.ts')}';`,
      `export type { Actor } from '${core('base/actor.ts')}';`,
      `export type { Query } from '${core('db/query/db.ts')}';`,
      `export type { WriteEvent } from '${core('base/write-entry.ts')}';`,
      `export type { Config } from '${core('settings/config.ts')}';`,
      `export type { SettingTable } from '${core('settings/settings.ts')}';`,
    ].join('\n'),
  );
  for (const name of names) {
    const text = readFileSync(join(examples, `${name}.ts`), 'utf8');
    expect(text).toContain("from './trivet-plugin.d.ts'");
    writeFileSync(join(directory, `${name}.ts`), text.replace('./trivet-plugin.d.ts', './real.ts'));
  }
  const real = {
    lib: ['esnext'],
    types: ['bun-types'],
    typeRoots: [join(root, 'node_modules')],
    skipLibCheck: true,
  };
  expect(await problems(directory, real)).toBe('');
}, 60_000);

test.each(executables.map((executable) => [executable.name, executable] as const))(
  '%s prints it',
  async (_name, executable) => {
    const { exitCode, stdout, stderr } = await runTrivet(executable, ['plugin', 'types']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(join(examples, 'trivet-plugin.d.ts'), 'utf8'));
    expect((await runTrivet(executable, ['plugin', 'typs'])).exitCode).toBe(64);
  },
);

test('what it declares is in the kit, and what has types without packages is assignable', async () => {
  const text = readFileSync(join(examples, 'trivet-plugin.d.ts'), 'utf8');
  const membersOf = (name: string) => {
    const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? '';
    return [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?:<[^(]*>)?[(:]/gm)].map(([, member = '']) => member);
  };
  const declared = membersOf('PluginKit');
  // Under its name in 0.1.0, for plugins of that version.
  expect(declared.toSorted()).toEqual(
    Object.keys(pluginKit)
      .filter((name) => name !== 'catalogue')
      .toSorted(),
  );
  for (const [name, part] of [
    ['Columns', pluginKit.columns],
    ['Conditions', pluginKit.query],
    ['TypeBuilder', pluginKit.Type],
  ] as const) {
    const members = membersOf(name);
    expect([name, members.length > 5]).toEqual([name, true]);
    expect([name, members.filter((member) => !(member in part))]).toEqual([name, []]);
  }
  const directory = temporaryDirectory('plugin-types');
  writeFileSync(
    join(directory, 'assignable.ts'),
    `import type { PluginKit } from '${join(root, 'core', 'plugin', 'plugin-kit.ts')}';
     import type * as real from '${join(root, 'core', 'module', 'module.ts')}';
     import type { WriteEvent } from '${join(root, 'core', 'base', 'write-entry.ts')}';
     import type { Host } from '${join(root, 'core', 'host', 'host.ts')}';
     import type * as declared from '${join(examples, 'trivet-plugin.d.ts')}';
     type Plain = 'signedIn' | 'member' | 'roleIn' | 'fail' | 'isoTime' | 'words' | 'recordId' | 'pageOf';
     export const kit = (given: PluginKit): Pick<declared.PluginKit, Plain> => given;
     export const event = (given: WriteEvent): declared.WriteEvent => given;
     type PlainHost = 'clock' | 'random' | 'log' | 'version' | 'origin' | 'readTool' | 'metrics';
     export const host = (given: Pick<Host, PlainHost>): Pick<declared.Host, PlainHost> => given;
     type PlainModule = 'name' | 'requires' | 'errors' | 'migrations' | 'corsHeaders';
     export const module = (given: Pick<declared.Module, PlainModule>): Pick<real.Module, PlainModule> => given;
     export const finding = (given: declared.Finding): real.Finding => given;
    `,
  );
  const real = {
    lib: ['esnext'],
    types: ['bun-types'],
    typeRoots: [join(root, 'node_modules')],
    skipLibCheck: true,
  };
  expect(await problems(directory, real)).toBe('');
}, 60_000);
