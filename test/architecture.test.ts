import { Glob } from 'bun';
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  circlesOf,
  consoleSources,
  imports,
  partOf,
  rooms,
  sdkSources,
  shipped,
  shippedImports,
  sources,
} from './rooms.ts';
import { importsOf, root, type Import } from './imports.ts';

const moduleOf = (file: string) => /^modules\/([^/]+)\//.exec(file)?.[1];
const shown = ({ from, to }: Import) => `${from} → ${to}`;
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** Fails with the violations and the remedy. */
function expectNone(wrong: readonly string[], instead: string): void {
  expect(wrong.length === 0 ? '' : `${wrong.join('\n')}\n→ ${instead}`).toBe('');
}

test('there is something to check', () => expect(imports.length).toBeGreaterThan(200));

test('the kernel imports no module: modules/main.ts and modules/start.ts stand above both', () => {
  const wrong = imports.filter(({ from, to }) => from.startsWith('core/') && to.startsWith('modules/'));
  expectNone(wrong.map(shown), 'Give the kernel what it needs as an argument, in modules/start.ts.');
});

test('a module reaches another only through its index', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [own, other] = [moduleOf(from), moduleOf(to)];
    return own !== undefined && other !== undefined && own !== other && to !== `modules/${other}/index.ts`;
  });
  expectNone(
    wrong.map(shown),
    'Export what you need from the index.ts of that module and import it from there.',
  );
});

const groups: readonly (readonly [string, (file: string) => string])[] = [
  ['folders', dirname],
  ['files', (file) => file],
  ['the parts of core, of each module and of the console', partOf],
];

test.each(groups)('no circle among %s, types and the console included', (_what, groupOf) => {
  expect([...rooms.values()].flat().length).toBeGreaterThan(800);
  expectNone(
    circlesOf(groupOf).map(shown),
    'Move what both need into the lower one, or below both. A type counts as an import.',
  );
});

test('no folder has more than 26 files', () => {
  const large = [...rooms].filter(([, files]) => files.length > 26);
  expectNone(
    large.map(([room, files]) => `${room}: ${files.length} files`),
    'Give a concept of it a folder of its own.',
  );
});

test('the root of a module has only its face', () => {
  const face = new Set(['manifest.ts', 'parts.ts', 'index.ts']);
  const wrong = [...shipped, ...consoleSources].filter(
    (file) => /^(?:core|modules\/[^/]+)\/[^/]+$/.test(file) && !face.has(basename(file)),
  );
  expectNone(wrong, 'What the other folders of the module share stands in its base/.');
});

/** Rooms of rules, each with the rooms below it that it may use. */
const pureRooms: Readonly<Record<string, readonly string[]>> = {
  'modules/cta/state': [],
  'modules/cta/rules': ['modules/cta/state'],
  'modules/cta/device': ['modules/cta/state', 'modules/cta/rules'],
  'modules/testmgmt/rules': [],
};
/** The parts of the kernel and of packages that a rule may use: words, schemas and time slices, but no host and no database. */
const pureCore = new Set([
  'core/json/json-prune.ts',
  'core/base/errors.ts',
  'core/text/name-key.ts',
  'core/text/nearest-word.ts',
  'core/base/schema.ts',
  'core/base/calendar-day.ts',
  'core/base/problem.ts',
  'core/base/turns.ts',
  '@sinclair/typebox',
]);

test.each(Object.entries(pureRooms))('%s holds rules: it imports nothing above it', (room, below) => {
  expect(shipped.some((file) => file.startsWith(`${room}/`))).toBe(true);
  const allowed = (to: string) =>
    [room, ...below].some((one) => to.startsWith(`${one}/`)) || pureCore.has(to);
  const wrong = shippedImports.filter(({ from, to }) => from.startsWith(`${room}/`) && !allowed(to));
  expectNone(
    wrong.map(shown),
    'A rule takes plain data and answers plain data: pass in what it needs, and read or write in a store.',
  );
});

/** The rooms of Area B whose rules an app follows itself. */
const sdkRooms = ['modules/cta/device', 'modules/cta/rules', 'modules/cta/state'];
const isSdkOrRules = (file: string) =>
  file.startsWith('sdk/') || sdkRooms.some((room) => dirname(file) === room);

test('the SDK imports itself and the rules of Area B, and nothing of the server', () => {
  const wrong = importsOf(sdkSources).filter(
    ({ from, to }) => !isSdkOrRules(to) && !(from.startsWith('sdk/react/') && to === 'react'),
  );
  expectNone(
    wrong.map(shown),
    'An app has neither the server nor a package: write it in sdk/, or move a rule.',
  );
});

test('what the SDK reaches of the rules imports no schema and no package, types aside', () => {
  // A schema would bring its library into every app.
  const valuesOf = (file: string) => {
    const types = new Set(
      [...textOf(file).matchAll(/^(?:import|export) type [^;]*?from '([^']+)'/gms)].map(
        ([, name = '']) => name,
      ),
    );
    const values = new Set(
      [...textOf(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gms)].map(
        ([, name = '']) => name,
      ),
    );
    const isType = (to: string) =>
      [...types].some((name) => basename(name) === basename(to)) &&
      ![...values].some((name) => basename(name) === basename(to));
    return importsOf([file]).filter(({ to }) => !isType(to));
  };
  const reached = new Set<string>(sdkSources);
  const wrong: Import[] = [];
  for (const file of reached)
    for (const one of valuesOf(file)) {
      if (isSdkOrRules(one.to)) reached.add(one.to);
      else if (one.to !== 'react') wrong.push(one);
    }
  expectNone(
    wrong.map(shown),
    'Import it as a type, or split the file: schemas on one side, rules on the other.',
  );
  expect([...reached].filter((file) => file.startsWith('modules/')).length).toBeGreaterThan(8);
});

test('a surface imports no surface; only the verbs that start one do', () => {
  const surfaceOf = (file: string) => /^core\/(api|mcp|cli)\//.exec(file)?.[1];
  const starters = new Set(['core/cli/serve/serve.ts', 'core/cli/commands/mcp.ts']);
  const wrong = imports.filter(({ from, to }) => {
    const [own, other] = [surfaceOf(from), surfaceOf(to)];
    return own !== undefined && other !== undefined && own !== other && !starters.has(from);
  });
  expectNone(wrong.map(shown), 'Put what both surfaces need into core/tools, core/http or core/json.');
});

test('no type of the MCP SDK leaves core/mcp', () => {
  const wrong = imports.filter(
    ({ from, to }) => to.startsWith('@modelcontextprotocol') && !from.startsWith('core/mcp/'),
  );
  expectNone(wrong.map(shown), 'Translate it in core/mcp; the rest of the kernel knows an Executor.');
});

test('each SDK of MCP is imported by the adapter of its era', () => {
  const adapters: Readonly<Record<string, string>> = {
    '@modelcontextprotocol/sdk': 'core/mcp/era-2025.ts',
    '@modelcontextprotocol/server': 'core/mcp/era-2026.ts',
  };
  const sdkOf = (to: string) => Object.keys(adapters).find((sdk) => to === sdk || to.startsWith(`${sdk}/`));
  const wrong = shippedImports.filter(({ from, to }) => {
    const sdk = sdkOf(to);
    return sdk !== undefined && adapters[sdk] !== from;
  });
  expectNone(wrong.map(shown), 'Say it in core/mcp/mcp-tools.ts, in words of both eras.');
  expect(new Set(shippedImports.flatMap(({ to }) => sdkOf(to) ?? [])).size).toBe(2);
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
  expectNone(wrong.map(shown), 'Use the Query of core/db/query/db.ts, which both engines answer.');
});

test('nothing answers a query by what only one engine has', () => {
  const wrong = sources.filter(
    (file) => !file.startsWith('core/db/') && /\b(?:q|db)\b[^;]*\.(?:all|get|run)\(\)/.test(textOf(file)),
  );
  expectNone(wrong, 'Await the query: it answers an array of rows on both engines.');
});

test('SQL stands in stores', () => {
  const wrong = shipped.filter(
    (file) =>
      file.startsWith('modules/') &&
      !/(?:-store|schema)\.ts$/.test(file) &&
      /^import (?!type)[^;]*from 'drizzle-orm'|\b(?:q|db)\s*\.(?:select|insert|update|delete)\(/m.test(
        textOf(file),
      ),
  );
  expectNone(wrong, 'Give the <noun>-store.ts beside it a function for the statement, and call that.');
});

test('errors of engines and of the operating system are told apart in one file', () => {
  const wrong = shipped.filter(
    (file) => file !== 'core/base/foreign-errors.ts' && /as \{ (?:readonly )?code\?/.test(textOf(file)),
  );
  expectNone(wrong, 'Add a predicate to core/base/foreign-errors.ts.');
});

test('one file owns stdin, stdout and stderr', () => {
  const wrong = shipped.filter(
    (file) =>
      !['core/base/standard-streams.ts', 'modules/main.ts'].includes(file) &&
      /(?:process|Bun)\.std(?:in|out|err)/.test(textOf(file)),
  );
  expectNone(
    wrong,
    'Use core/base/standard-streams.ts: stdout may carry a protocol, and a reader may leave early.',
  );
});

test('what a start need not load is loaded late', () => {
  // Loaded only for PostgreSQL.
  const late = new Set(['core/db/postgres/postgres-reach.ts']);
  const wrong = shipped.filter(
    (file) =>
      !late.has(file) &&
      /^import (?!type)[^;]*from 'node:(?:crypto|net|tty|stream|http|process)'/m.test(textOf(file)),
  );
  expectNone(
    wrong,
    'Take it from core/base/late-node.ts where it is used: docs/decisions/start.md says what it costs.',
  );
});

test('what only a server loads, and only when it is asked for, has one door', () => {
  const doors: Readonly<Record<string, string>> = {
    '@opentelemetry/': 'core/traces/otlp-tracing.ts',
  };
  for (const [library, door] of Object.entries(doors)) {
    const importers = shippedImports.filter(({ to }) => to.startsWith(library)).map(({ from }) => from);
    expect([library, ...new Set(importers)]).toEqual([library, door]);
    const name = door.split('/').at(-1) ?? '';
    const early = shipped.filter((file) =>
      new RegExp(`^import (?!type)[^;]*/${name}'`, 'm').test(textOf(file)),
    );
    expectNone(early, `Import ${door} by import(), where it is used.`);
  }
});

test('time and randomness come from the host', () => {
  const allowed = ['core/base/clock.ts', 'core/cli/', 'core/db/', 'core/base/log.ts'];
  const wrong = shipped.filter(
    (file) =>
      !allowed.some((place) => file.startsWith(place)) &&
      /\b(?:Date\.now\(|new Date\(\)|Math\.random\(|crypto\.getRandomValues)/.test(textOf(file)),
  );
  expectNone(wrong, 'Take them from ctx or host (clock, random): a test moves the clock.');
});

test('pages use nothing that a browser has only over https or from this machine', () => {
  const wrong = [...consoleSources, ...sdkSources].filter(
    (file) => !file.endsWith('/random-word.ts') && /\brandomUUID\b/.test(textOf(file)),
  );
  expectNone(
    wrong,
    'Use randomWord of modules/console/app/api: the page of a run failed over plain http in a local network.',
  );
});

test('helpers of tests stand in testing/, and nothing that is shipped imports them', () => {
  const wrong = shippedImports.filter(({ to }) => to.includes('/testing/') || to.startsWith('test/'));
  expectNone(wrong.map(shown), 'Move what is shipped out of testing/.');
  const named = shipped.filter((file) => /(?:^|\/)test-(?:kernel|helper|calls)/.test(file));
  expectNone(named, 'A helper of tests stands in testing/.');
});

/** The same idea in several files by design. */
const sameIdea: Readonly<Record<string, string>> = {
  Calls: 'the calls of the tools of a module; those of the console are all of them',
  ToolName: 'the names of the tools of a module; those of the console are all of them',
  fail: 'the errors that a module throws',
  idParameters: 'the parameters of a module that take ids',
  nameText: 'the schema of a name in a module',
  operation: 'declares an operation of a module',
  parts: 'the parts of a module',
  serverOf: 'the server of an era of MCP',
  toolFiles: 'the files of the operations of a module',
};

/** Names that mean two things: to be renamed in modules/testmgmt and in the console. */
const twoMeanings = new Set(
  `addLabels Check Column columnsOf cut durationOf Fault initialState isFlaky joined lineOf linesOf
    Member messageOf MetadataKind Named numberIn Outcome Page pathText periods Role RunTest RunTests
    Section sectionsOf Setting Step stepKinds testColumns TestStatus timeText valueText wordOf`.split(/\s+/),
);

test('an exported name has one meaning', () => {
  const filesOf = new Map<string, Set<string>>();
  for (const file of [...shipped, ...consoleSources]) {
    const declared = /^export (?:async |abstract )*(?:const|let|function\*?|class|interface|type) (\w+)/gm;
    for (const [, name = ''] of textOf(file).matchAll(declared))
      filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
  }
  const wrong = [...filesOf].filter(
    ([name, files]) => files.size > 1 && !Object.hasOwn(sameIdea, name) && !twoMeanings.has(name),
  );
  expectNone(
    wrong.map(([name, files]) => `${name}: ${[...files].join(', ')}`),
    'Rename the rarer one to what it is, so that a search for the name finds one thing.',
  );
  const needless = Object.keys(sameIdea).filter((name) => (filesOf.get(name)?.size ?? 0) < 2);
  expectNone(needless, 'Take it off the list of names that stand in several files.');
});

test('no file is a drawer for everything, and none is longer than 450 lines', () => {
  const drawer = /^(?:utils?|helpers?|common|misc|shared)\.ts$/;
  expectNone(
    sources.filter((file) => drawer.test(file.split('/').at(-1) ?? '')),
    'Name the file for its concept.',
  );
  const everything = [...new Glob('{core,modules,sdk,test,bench,docs,release}/**/*.{ts,tsx}').scanSync(root)];
  const long = everything.filter((file) => textOf(file).trimEnd().split('\n').length > 450);
  expectNone(long, 'Split it by concept.');
});

test('no test waits in the event loop of `expect(…).rejects`', () => {
  const files = [...new Glob('{core,modules,sdk,test}/**/*.{test,verify}.ts').scanSync(root)];
  const waits = /\.(?:rejects|resolves)\s*\./;
  expectNone(
    files.filter((file) => waits.test(textOf(file))),
    'Await it with settled or rejectionOf of test/rejection.ts, which says why.',
  );
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
