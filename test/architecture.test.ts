import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dir, '..');
const sources = [...new Glob('{core,modules}/**/*.ts').scanSync(root)].filter(
  (file) => !file.endsWith('.test.ts'),
);

interface Import {
  readonly from: string;
  /** A path from the root, or the name of a package. */
  readonly to: string;
}

const imports: Import[] = sources.flatMap((from) =>
  [...readFileSync(join(root, from), 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(
    ([, name = '']) => ({
      from,
      to: name.startsWith('.') ? relative(root, join(root, dirname(from), name)) : name,
    }),
  ),
);

const moduleOf = (file: string) => /^modules\/([^/]+)\//.exec(file)?.[1];
const shown = ({ from, to }: Import) => `${from} → ${to}`;

test('there is something to check', () => expect(imports.length).toBeGreaterThan(200));

test('the kernel knows no module; only its entry point loads them', () => {
  const wrong = imports.filter(({ from, to }) => from.startsWith('core/') && to.startsWith('modules/'));
  expect(wrong.map(shown)).toEqual(['core/main.ts → modules/built-in.ts']);
});

test('a module reaches another only through its index', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [own, other] = [moduleOf(from), moduleOf(to)];
    return own !== undefined && other !== undefined && own !== other && to !== `modules/${other}/index.ts`;
  });
  expect(wrong.map(shown)).toEqual([]);
});

test('no type of the MCP SDK leaves core/mcp', () => {
  const wrong = imports.filter(
    ({ from, to }) => to.startsWith('@modelcontextprotocol') && !from.startsWith('core/mcp/'),
  );
  expect(wrong.map(shown)).toEqual([]);
});

test('the two engines are named only where they are opened and where columns are made', () => {
  const engines = new Set([
    'bun:sqlite',
    'postgres',
    'drizzle-orm/bun-sqlite',
    'drizzle-orm/postgres-js',
    'drizzle-orm/pg-core',
  ]);
  const wrong = imports.filter(({ from, to }) => engines.has(to) && !from.startsWith('core/db/'));
  expect(wrong.map(shown)).toEqual([]);
});

test('nothing answers a query by what only one engine has', () => {
  const wrong = sources.filter((file) => {
    if (file.startsWith('core/db/')) return false;
    return /\b(?:q|db)\b[^;]*\.(?:all|get|run)\(\)/.test(readFileSync(join(root, file), 'utf8'));
  });
  expect(wrong).toEqual([]);
});

test('time and randomness come from the host', () => {
  const allowed = ['core/clock.ts', 'core/cli/', 'core/db/', 'core/log.ts'];
  const wrong = sources.filter(
    (file) =>
      !allowed.some((place) => file.startsWith(place)) &&
      /\b(?:Date\.now\(|new Date\(\)|Math\.random\(|crypto\.getRandomValues)/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
  );
  expect(wrong).toEqual([]);
});

test('no file is a drawer for everything', () => {
  const names = sources.map((file) => file.split('/').at(-1) ?? '');
  expect(names.filter((name) => /^(?:utils?|helpers?|common|misc|shared)\.ts$/.test(name))).toEqual([]);
});

test('one lockfile, and it names no registry', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  expect(lock).not.toContain('"resolved": "http');
  expect([...new Glob('{bun.lock,bun.lockb,yarn.lock,pnpm-lock.yaml}').scanSync(root)]).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const versions = Object.values({ ...manifest['dependencies'], ...manifest['devDependencies'] });
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});
