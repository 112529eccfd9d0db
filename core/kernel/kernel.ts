import type { Actor } from '../base/actor.ts';
import { systemClock, systemRandom, type Clock, type RandomBytes } from '../base/clock.ts';
import type { Db, Location } from '../db/query/db.ts';
import { backupFailing } from '../backup/backup-letter.ts';
import { backupJob } from '../backup/backup-schedule.ts';
import { engine, type Engine } from '../db/query/engine.ts';
import type { MigrationMode } from '../db/ledger/migration-mode.ts';
import type { Migration } from '../db/ledger/migration.ts';
import { builtInMigrations } from '../db/ledger/migrations.ts';
import { ledgerOf } from '../db/ledger/ledger.ts';
import { openDb, openMigrated } from '../db/open/open.ts';
import { UsageError } from '../base/errors.ts';
import type { Host } from '../host/host.ts';
import { errorFields, type Log } from '../base/log.ts';
import { forgetOldLetters, letterEveryMs, sendLetters, watchLetters } from '../letters/letter-job.ts';
import { silent, type Recorder } from '../metrics/recorder.ts';
import type { Identity, Job, Module } from '../module/module.ts';
import type { Config } from '../settings/config.ts';
import { coreSettings } from '../settings/settings.ts';
import { forgetKeyedCalls } from '../tools/idempotency.ts';
import { run, unknownTool, type Operation } from '../tools/operation.ts';
import { traceDb } from '../traces/traced-db.ts';
import type { Tracing } from '../traces/tracing.ts';
import { version } from '../base/version.ts';
import { repeat } from './jobs.ts';
import { checkModules, checkPluginTables, checkTables, inOrder } from './module-check.ts';
import { loadModule, moduleSettings, toolNamesOf } from './module-loading.ts';
import { recordAndTell, listenersOf } from './write-telling.ts';

/** A started Trivet: its database is open and migrated and its modules have started. Surfaces serve it. */
export interface Kernel {
  readonly host: Host;
  /** All modules, with the parts that were loaded. */
  readonly modules: readonly Module[];
  /** The operations of the loaded parts by name. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly identity: Identity;
  /** Sets the origin once the server listens. */
  listening(origin: string): void;
  /** Starts the repeating jobs; only for a server. */
  startJobs(): void;
  /** Stops jobs, then modules in reverse order, then closes the database. */
  stop(): Promise<void>;
}

interface KernelOptions {
  readonly modules: readonly Module[];
  /** The modules whose parts are loaded; all unless given. */
  readonly used?: readonly Module[];
  /** The only tools that are called. */
  readonly tools?: readonly string[] | undefined;
  readonly config: Config;
  readonly location: Location;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** The origin until the server listens. */
  readonly origin: string;
  /** What may be done to a missing or older database; "apply" by default. */
  readonly mode?: MigrationMode;
  /** The metrics; by default nothing is counted. */
  readonly recorder?: Recorder;
  readonly tracing?: Tracing;
}

/** @throws UsageError for anything that the configuration can repair. */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const { used = options.modules } = options;
  const modules = await Promise.all(
    inOrder(options.modules).map((module) =>
      used.includes(module) ? loadModule(module, options.tools) : module,
    ),
  );
  const operations = checkModules(modules);
  checkTables(modules, options.config);
  const identity = await modules.find((module) => module.identity)?.identity?.();
  if (!identity)
    throw new UsageError('No loaded module identifies users. Load the module "auth" too: --modules auth,…');

  const given = configured(options, modules);
  const { clock, log } = given;
  const { location } = options;
  const migrations = migrationsOf(modules);
  const context = { clock, log, mode: options.mode ?? 'apply' };
  const db = await openMigrated(location, migrations, context, given.metrics);

  let origin = options.origin;
  const host: Host = {
    ...given,
    db: options.tracing ? traceDb(db, options.tracing) : db,
    ...(options.tracing && { tracing: options.tracing }),
    origin: () => origin,
    letterEndLink: (recipient, kind) => identity.letterEndLink?.(host, recipient, kind) ?? null,
    authenticate: (bearer, audiences) => identity.authenticate(host, bearer, audiences),
    tellsOfWrites: listenersOf(modules).length > 0,
    recordWrite:
      listenersOf(modules).length === 0
        ? identity.record
        : (q, entry) => recordAndTell(q, entry, { identity, modules, host }),
    tellMerged: async (q, merged) => {
      for (const module of modules) await module.onUsersMerged?.(q, merged, host);
    },
    readTool: async (orgId, tool, input, signal = new AbortController().signal) => {
      const operation = operations.get(tool);
      if (!operation) throw unknownTool(tool, [...operations.values()]);
      return run(host, operation, input, { actor: readerOf(orgId), surface: 'plugin', signal });
    },
  };
  const stops: Array<() => Promise<void>> = [];
  const stop = async () => {
    await undoAll(stops.toReversed(), log);
    await db.close();
  };
  try {
    await checkPluginTables(modules, db);
    for (const module of modules) {
      const undo = await module.start?.(host);
      if (undo) stops.push(undo);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    host,
    modules,
    operations,
    identity,
    listening: (actual) => (origin = actual),
    startJobs: () => {
      stops.push(repeat({ name: 'forget-keyed-calls', everyMs: 3_600_000, run: forgetKeyedCalls }, host));
      stops.push(repeat(refreshStatistics, host));
      stops.push(repeat(backupJob, host));
      stops.push(repeat({ name: 'letters', everyMs: letterEveryMs, run: sendLetters }, host));
      stops.push(repeat({ name: 'forget-letters', everyMs: 3_600_000, run: forgetOldLetters }, host));
      watchLetters(host);
      for (const module of modules) {
        for (const job of module.jobs ?? []) stops.push(repeat(job, host));
      }
    },
    stop,
  };
}

/** What fails, e.g. a note that a full disk does not take, keeps nothing else from ending in order. */
async function undoAll(stops: ReadonlyArray<() => Promise<void>>, log: Log): Promise<void> {
  for (const undo of stops) {
    try {
      await undo();
    } catch (error) {
      log.warn('stop_incomplete', errorFields(error));
    }
  }
}

/** Also at startup: the data may come from a version that kept no statistics. */
const refreshStatistics: Job = {
  name: 'refresh-statistics',
  everyMs: 3_600_000,
  run: ({ db }) => db.refreshStatistics(),
};

/** An anonymous reader of one organization. A write needs a person, whom the audit log names. */
const readerOf = (orgId: number): Actor => ({
  userId: 0,
  via: 'local',
  roles: new Map([[orgId, 'reader']]),
  toolsets: null,
  readOnly: true,
  credential: 'plugin',
});

/** The parts of a host that follow from its options and modules, with or without a database. */
const configured = (
  {
    clock = systemClock,
    random = systemRandom,
    log,
    config,
    recorder = silent,
  }: Omit<KernelOptions, 'location'>,
  modules: readonly Module[],
) => ({
  clock,
  random,
  log,
  config,
  metrics: recorder,
  version,
  modules: modules.map(({ name }) => name),
  letterKinds: [backupFailing, ...modules.flatMap(({ letters = [] }) => letters)],
  settings: { ...coreSettings, ...moduleSettings(modules) },
  toolsets: [...new Set(modules.flatMap(toolNamesOf).map(({ toolset }) => toolset))],
});

const none = () => {
  throw new Error('this command does not use it');
};
const noWrites = {
  tx: none,
  write: none,
  pipeline: none,
  refusal: () => undefined,
  failing: () => null,
  forgetDeleted: none,
  refreshStatistics: none,
};

/** A host without a kernel: no module was started, and nobody can be authenticated. @throws UsageError. */
function hostOf(options: Omit<KernelOptions, 'location'>, db: Db): Host {
  const { modules, origin } = options;
  checkModules(inOrder(modules));
  checkTables(modules, options.config);
  return {
    ...configured(options, modules),
    db,
    origin: () => origin,
    letterEndLink: none,
    authenticate: none,
    tellsOfWrites: false,
    recordWrite: none,
    tellMerged: none,
    readTool: none,
  };
}

/** A host for commands that read only the configuration: it opens, creates and starts nothing. @throws UsageError. */
export const hostWithoutData = (options: Omit<KernelOptions, 'location'>): Host =>
  hostOf(options, {
    ...noWrites,
    engine: engine(),
    get q() {
      return none();
    },
    reads: none,
    close: async () => {},
  });

/** A read-only host for a database, which starts nothing. Close it with `host.db.close()`. @throws UsageError. */
export async function hostThatReads(options: KernelOptions): Promise<Host> {
  const { location, log, modules } = options;
  const db = await openDb(location, log, ledgerOf(migrationsOf(modules)));
  return hostOf(options, { ...db, ...noWrites });
}

/** All migrations for these modules, those of plugins last. @param of the engine; that of this process by default. */
export const migrationsOf = (modules: readonly Module[], of: Engine = engine()): readonly Migration[] => [
  ...builtInMigrations(of),
  ...modules.flatMap((module) =>
    (module.migrations?.[of] ?? []).map(({ tag, sql }) => ({ tag: `${module.name}/${tag}`, sql })),
  ),
];
