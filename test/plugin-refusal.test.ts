import { SQL } from 'bun';
import { Database } from 'bun:sqlite';
import { beforeAll, expect, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiled, requireBuilt, runTrivet } from './executable.ts';
import { startPostgres } from './postgres.ts';
import { temporaryDirectory } from './temporary.ts';

/*
 * A plugin that is wrong, throws, loops, or waits for ever is refused at the start of a server: a message names it, the exit code is 2, and
 * the database is unchanged, byte for byte, and works without the plugin.
 */
beforeAll(requireBuilt);

const plugin = (body: string) => `export default (kit) => { ${body} };`;
const module = (members: string) => plugin(`return kit.defineModule({ name: 'bad', ${members} });`);
const migration = (sql: string) =>
  module(`migrations: { sqlite: [{ tag: '0000_first', sql: "CREATE TABLE bad_one (id integer)" }, { tag: '0001_second', sql: "${sql}" }],
    postgres: [{ tag: '0000_first', sql: "CREATE TABLE bad_one (id integer)" }, { tag: '0001_second', sql: "${sql}" }] }`);
/** Never returns to the event loop, but leaves the processor to the other tests: a loop of its own would take 30 s of it. */
const loop = 'for (;;) Bun.sleepSync(1_000);';
const forever = 'new Promise(() => {})';

interface Bad {
  readonly source: string;
  readonly message: RegExp;
  /** The fault is detected only once the database is open. A server then marks the file, so its content is compared instead. */
  readonly opens?: boolean;
}

const bad: Readonly<Record<string, Bad>> = {
  'loops while it loads': {
    source: loop,
    message: /^trivet: --plugin: \S+bad\.ts did not load within 10 s: it loops, or waits/,
  },
  'waits for ever while it loads': {
    source: `await ${forever}; ${module('')}`,
    message: /^trivet: --plugin: \S+bad\.ts did not load within 10 s/,
  },
  'throws while it loads': {
    source: 'throw new Error("no such thing");',
    message: /^trivet: --plugin: \S+bad\.ts does not load: no such thing$/,
  },
  'rejects while it loads': {
    source: `Promise.reject(new Error("nobody looks")); await ${forever};`,
    message: /^trivet: --plugin: \S+bad\.ts did not load: nobody looks$/,
  },
  'ends the process while it loads': {
    source: 'process.exit(0);',
    message: /^trivet: --plugin: \S+bad\.ts did not load: it ended the process/,
  },
  'waits for ever while it makes its module': {
    source: plugin(`return ${forever};`),
    message: /bad\.ts did not load within 10 s/,
  },
  'throws while it makes its module': {
    source: plugin('kit.nothing.here();'),
    message: /^trivet: --plugin: \S+bad\.ts fails while it makes its module: .*undefined/,
  },
  'makes no module': {
    source: plugin('return 7;'),
    message: /bad\.ts makes no module: its function must return/,
  },
  'needs a newer kit': {
    source: `export const kit = 99; ${plugin('kit.nothing.here();')}`,
    message: /bad\.ts needs kit 99, this Trivet \S+ has kit \d+: update Trivet\.$/,
  },
  'says no kit': {
    source: `export const kit = '1'; ${module('')}`,
    message: /bad\.ts must say which kit it needs as a whole number/,
  },
  'has a migration that fails': {
    source: migration('CREATE TABLE bad_two (id integer); CREATE TABLE bad_three'),
    message: /^trivet: The migration "0001_second" of the plugin "bad" failed: .*Nothing was changed/s,
    opens: true,
  },
  'has a migration that changes what is not its own': {
    source: migration('DROP TABLE IF EXISTS testmgmt_runs'),
    message: /Module "bad": its sqlite migration "0001_second" changes "testmgmt_runs"/,
  },
  'has a migration that ends the transaction': {
    source: migration('CREATE TABLE bad_two (id integer); COMMIT'),
    message: /its sqlite migration "0001_second" has a statement COMMIT/,
  },
  'has a setting of Trivet': {
    source: module("settings: { 'access-ttl': { type: 'boolean', description: 'x' } }"),
    message: /Module "bad": the setting "access-ttl" is already one of "auth"\. Name it "bad-…"/,
  },
  'has the name of a module': {
    source: plugin("return kit.defineModule({ name: 'cta' });"),
    message: /Two modules are named "cta": the plugin \S+bad\.ts and a module of Trivet/,
  },
  'loops while it starts': {
    source: module(`start: async () => { await 1; ${loop} }`),
    message: /^trivet: The plugin "bad" \(\S+bad\.ts\) did not start within 10 s: it loops, or waits/,
    opens: true,
  },
  'waits for ever while it starts': {
    source: module(`start: () => ${forever}`),
    message: /^trivet: The plugin "bad" \(\S+bad\.ts\) did not start within 10 s/,
    opens: true,
  },
  'throws while it starts': {
    source: module("start: async () => { throw new TypeError('not today'); }"),
    message: /^trivet: The plugin "bad" \(\S+bad\.ts\) fails while it starts: not today$/,
    opens: true,
  },
  'takes a route that exists': {
    source: module("routes: (app) => { app.get('/healthz', () => 'mine'); }"),
    message:
      /^trivet: The plugin "bad" \(\S+bad\.ts\) fails while it adds its routes: the route GET \/healthz/,
    opens: true,
  },
};

/** A database with a project: its command-line arguments, and its entire contents. */
interface Place {
  readonly where: readonly string[];
  content(opens: boolean): Promise<string>;
}

const seed = (where: readonly string[]) =>
  runTrivet(compiled, ['call', 'create-project', '-a', 'orgId=1', '-a', 'projectName=P', ...where]);

async function sqlitePlace(prepared: string): Promise<Place> {
  const data = temporaryDirectory('plugin-data');
  cpSync(prepared, data, { recursive: true });
  const content = async (opens: boolean) => {
    const files = readdirSync(data).filter((file) => !/-(?:wal|shm|marks)$|\.lock$/.test(file));
    if (!opens) return files.map((file) => `${file} ${Bun.hash(readFileSync(join(data, file)))}`).join('\n');
    using database = new Database(join(data, 'trivet.db'));
    const of = (sql: string): unknown => database.query(sql).all();
    const rows = of('SELECT * FROM testmgmt_projects');
    return JSON.stringify([
      files.filter((file) => file.startsWith('backup')),
      // Without the statistics for the planner, which any start may collect.
      of("SELECT * FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"),
      of('SELECT tag FROM trivet_migrations'),
      rows,
    ]);
  };
  return { where: ['--data', data], content };
}

async function postgresPlace(): Promise<Place> {
  const database = await (await startPostgres()).createDatabase();
  const where = ['--database', database, '--data', temporaryDirectory('plugin-data')];
  await seed(where);
  const content = async () => {
    const sql = new SQL(database);
    try {
      const schema: unknown =
        await sql`SELECT table_name, column_name, data_type FROM information_schema.columns
        WHERE table_schema = 'public' ORDER BY 1, 2`;
      const rows: unknown = await sql`SELECT tag FROM trivet_migrations ORDER BY 1`;
      const projects: unknown = await sql`SELECT * FROM testmgmt_projects`;
      return JSON.stringify([schema, rows, projects]);
    } finally {
      await sql.close();
    }
  };
  return { where, content };
}

async function refusalOf({ source, opens = false }: Bad, place: Place) {
  const file = join(temporaryDirectory('plugin'), 'bad.ts');
  writeFileSync(file, source);
  const before = await place.content(opens);
  const began = performance.now();
  const { exitCode, stderr, stdout } = await runTrivet(compiled, [
    'serve',
    '--port=0',
    '--plugin',
    file,
    ...place.where,
  ]);
  const seconds = (performance.now() - began) / 1000;
  const unchanged = (await place.content(opens)) === before;
  const works = await runTrivet(compiled, ['call', 'get-projects', '-a', 'orgId=1', ...place.where]);
  return { exitCode, stderr, stdout, seconds, unchanged, works: works.stdout.includes('"projectName":"P"') };
}

test.each(['sqlite', 'postgres'] as const)(
  'each is refused on %s, and changes nothing',
  async (engine) => {
    const prepared = temporaryDirectory('plugin-data');
    await seed(['--data', prepared]);
    const found: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    // Faults refused before a database is opened are the same on both engines. Some take ten seconds, so they run concurrently.
    const bads = Object.entries(bad).filter(([, { opens = false }]) => opens || engine === 'sqlite');
    await Promise.all(
      bads.map(async ([title, one]) => {
        const place = engine === 'sqlite' ? await sqlitePlace(prepared) : await postgresPlace();
        const { stderr, seconds, ...rest } = await refusalOf(one, place);
        const lines = stderr.trimEnd().split('\n');
        // On PostgreSQL a migration is a statement of several lines; Bun shows a rejected one with its position.
        const said = lines.some((line) => one.message.test(line)) || one.message.test(stderr);
        found[title] = { ...rest, said: said || stderr, soon: seconds < 30 || seconds };
        expected[title] = { exitCode: 2, stdout: '', unchanged: true, works: true, said: true, soon: true };
      }),
    );
    expect(found).toEqual(expected);
  },
  120_000,
);
