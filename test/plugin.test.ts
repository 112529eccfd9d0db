import { beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginKit } from '../core/plugin/plugin-kit.ts';
import { executables, compiled, requireBuilt, runTrivet, serveTrivet } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

beforeAll(requireBuilt);

/** The doc comments of the kit's members, by name, from the files that plugin.ts imports them from. */
test('every piece of the plugin kit shows an example', async () => {
  const core = join(import.meta.dir, '..', 'core');
  const plugin = readFileSync(join(core, 'plugin', 'plugin-kit.ts'), 'utf8');
  const from = new Map(
    [...plugin.matchAll(/^import (?:type )?\{([^}]*)\} from '\.\.\/([^']+)'/gm)].flatMap(
      ([, names = '', file = '']) => names.split(',').map((name) => [name.trim(), file] as const),
    ),
  );
  const exampleOf = (file: string, name: string) =>
    new RegExp(`@example(?:(?!\\*/)[\\s\\S])*\\*/\\n?export (?:async )?(?:const|function) ${name}\\b`).test(
      readFileSync(join(core, file), 'utf8'),
    );
  const { columns, http, metrics, Type: _, query: __, catalogue: ___, ...own } = pluginKit;
  const missing = [...Object.keys(own), ...Object.keys(http), ...Object.keys(metrics)].filter(
    (name) => !exampleOf(from.get(name) ?? '', name),
  );
  const columnsMissing = Object.keys(columns).filter((name) => !exampleOf('db/query/columns.ts', name));
  expect([...missing, ...columnsMissing]).toEqual([]);
});

const example = join(import.meta.dir, '..', 'examples', 'plugins', 'notes.ts');

/** The example alone in an empty directory, without packages or our sources. */
function aloneInADirectory(): string {
  const file = join(temporaryDirectory('plugin'), 'notes.ts');
  copyFileSync(example, file);
  return file;
}

describe.each(executables.map((executable) => [executable.name, executable] as const))(
  'a plugin file, by %s',
  (_name, executable) => {
    test('brings its table, its operation and its route', async () => {
      const plugin = aloneInADirectory();
      const data = temporaryDirectory('plugin-data');
      const shared = ['--data', data, '--plugin', plugin];
      const added = await runTrivet(executable, ['call', 'add-note', '-a', 'text=hello', ...shared]);
      expect(JSON.parse(added.stdout)).toMatchObject({ noteId: 1, text: 'hello' });
      const refused = await runTrivet(executable, ['call', 'add-note', '-a', 'text=', ...shared]);
      expect(refused).toMatchObject({ exitCode: 2, stdout: '' });

      const server = await serveTrivet(executable, shared);
      expect(await (await fetch(`${server.origin}/notes/latest`)).json()).toEqual({ text: 'hello' });
      const { paths } = (await (await fetch(`${server.origin}/openapi.json`)).json()) as { paths: object };
      expect(paths).toHaveProperty(['/api/tools/add-note']);
      expect(paths).toHaveProperty(['/notes/latest']);
      await server.stop();

      // Without the plugin its data remains, but none of its tools is offered.
      const without = await runTrivet(executable, ['call', 'add-note', '-a', 'text=x', '--data', data]);
      expect(without.exitCode).toBe(1);
      const again = await runTrivet(executable, ['call', 'add-note', '-a', 'text=again', ...shared]);
      expect(JSON.parse(again.stdout)).toMatchObject({ noteId: 2 });
    });

    test('works on PostgreSQL', async () => {
      const database = await (await startPostgres()).createDatabase();
      const shared = [
        '--database',
        database,
        '--data',
        temporaryDirectory('plugin-data'),
        '--plugin',
        aloneInADirectory(),
      ];
      const added = await runTrivet(executable, ['call', 'add-note', '-a', 'text=hello', ...shared]);
      expect(JSON.parse(added.stdout)).toMatchObject({ noteId: 1, text: 'hello' });
    });
  },
);

describe('a faulty plugin is refused at start with the reason', () => {
  const whole = (change: string) =>
    `export default (kit) => { const module = { name: 'notes', requires: ['auth'] }; ${change}; return kit.defineModule(module); };`;
  const operation = (change: string) =>
    whole(
      `module.operations = [{ name: 'add-note', toolset: 'notes', title: 't', description: 'd', effect: 'create', access: kit.member('write'),
        input: kit.Type.Object({}, { additionalProperties: false }), output: kit.Type.Object({}), handler: async () => ({}), ${change} }]`,
    );
  const cases: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['no default export', 'export const x = 1;', /must export a function by default/],
    ['a syntax error', 'export default (', /does not load/],
    ['a name that is taken', whole("module.name = 'auth'"), /Two modules are named "auth"/],
    ['a missing requirement', whole("module.requires = ['nothing']"), /requires "nothing"/],
    [
      'an operation that exists',
      operation("name: 'create-project'"),
      /the operation "create-project" exists already/,
    ],
    ['an operation without access', operation('access: undefined'), /does not say who may use it/],
    [
      'an open input',
      operation('input: kit.Type.Object({})'),
      /the input of "add-note" is open: set additionalProperties/,
    ],
    [
      'an open input inside',
      operation(
        'input: kit.Type.Object({ a: kit.Type.Array(kit.Type.Object({ b: kit.Type.Object({}) }, { additionalProperties: false })) }, { additionalProperties: false })',
      ),
      /is open at a\[\]\.b/,
    ],
    [
      'a code that is taken',
      whole("module.errors = { NOT_FOUND: { status: 404, tip: 't' } }"),
      /the error code NOT_FOUND is already one of "core"/,
    ],
    [
      'a table of another prefix',
      whole("module.tables = { t: kit.columns.table('other_t', { id: kit.columns.id('id') }) }"),
      /must be named "notes_…"/,
    ],
    [
      'a table without migration',
      whole(
        "module.migrations = { sqlite: [], postgres: [] }; module.tables = { t: kit.columns.table('notes_t', { id: kit.columns.id('id') }) }",
      ),
      /do not create it with these columns/,
    ],
  ];
  test.each(cases)('%s', async (_title, source, message) => {
    const file = join(temporaryDirectory('plugin'), 'faulty.ts');
    writeFileSync(file, source);
    const answer = await runTrivet(compiled, [
      'call',
      'create-project',
      '--plugin',
      file,
      '--data',
      temporaryDirectory('plugin-data'),
    ]);
    expect(answer).toMatchObject({ exitCode: 2, stdout: '' });
    const line = answer.stderr.trimEnd().split('\n').at(-1) ?? '';
    expect((JSON.parse(line) as { error: { message: string } }).error.message).toMatch(message);
  });
});
