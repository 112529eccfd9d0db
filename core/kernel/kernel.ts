import { Kind, type TSchema } from '@sinclair/typebox';
import { is } from 'drizzle-orm';
import { getTableName, sql, Table } from 'drizzle-orm';
import type { Surface } from '../tools/audited-write.ts';
import { mayUse, type Actor } from '../actor.ts';
import { systemClock, systemRandom, type Clock, type RandomBytes } from '../clock.ts';
import { UsageError, type Config } from '../settings/config.ts';
import { engine } from '../db/engine.ts';
import { ledgerOf } from '../db/ledger.ts';
import { migrate, type MigrationMode } from '../db/migrate.ts';
import { builtInMigrations } from '../db/migrations.ts';
import type { Db, Location } from '../db/db.ts';
import { openDb } from '../db/open.ts';
import { coreErrors } from '../errors.ts';
import { withinCut, type Executor, type ToolCut } from '../tools/executor.ts';
import type { Host } from '../host.ts';
import { forgetKeyedCalls } from '../tools/idempotency.ts';
import { errorFields, type Log } from '../log.ts';
import type { Identity, Migration, Module } from '../module.ts';
import { describe, run, unknownTool, type Operation } from '../tools/operation.ts';
import { check, sentence } from '../schema.ts';
import type { SettingTable } from '../settings/settings.ts';
import { version } from '../version.ts';

/** A started Trivet: its data is open and migrated and its modules have started. A surface serves it. */
export interface Kernel {
  readonly host: Host;
  readonly modules: readonly Module[];
  readonly operations: ReadonlyMap<string, Operation>;
  readonly identity: Identity;
  /** Tells the origin under which the server listens, once that is known. */
  listening(origin: string): void;
  /** Starts the repeating jobs; only a server does. */
  startJobs(): void;
  /** Stops jobs, then modules in reverse order, then closes the database. */
  stop(): Promise<void>;
}

export interface KernelOptions {
  readonly modules: readonly Module[];
  readonly config: Config;
  readonly location: Location;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** The origin to claim before the server listens. */
  readonly origin: string;
  /** What may be done to a database that is not there or older; everything unless given. */
  readonly mode?: MigrationMode;
}

/** Starts a kernel. @throws UsageError for anything that whoever configured it can repair. */
export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const modules = inOrder(options.modules);
  const operations = checkModules(modules);
  checkTables(modules, options.config);
  const identity = modules.find((module) => module.identity)?.identity;
  if (!identity)
    throw new UsageError('No loaded module knows its users. Load the module "auth" too: --modules auth,…');

  const clock = options.clock ?? systemClock;
  const { log, config, location } = options;
  const migrations = migrationsOf(modules);
  await migrate(location, migrations, { clock, log, mode: options.mode ?? 'apply' });
  const db = await openDb(location, log, ledgerOf(migrations));

  let origin = options.origin;
  const host: Host = {
    db,
    clock,
    random: options.random ?? systemRandom,
    log,
    config,
    version,
    toolsets: toolsetsOf(operations),
    origin: () => origin,
    recordWrite: (q, entry) => identity.record(q, entry),
  };
  const stops: Array<() => Promise<void>> = [];
  const stop = async () => {
    for (const undo of stops.toReversed()) await undo();
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
      for (const module of modules) {
        for (const job of module.jobs ?? []) stops.push(repeat(job, host));
      }
    },
    stop,
  };
}

const toolsetsOf = (operations: ReadonlyMap<string, Operation>): readonly string[] => [
  ...new Set([...operations.values()].map(({ toolset }) => toolset)),
];

/** A host for what looks at the configuration alone: nothing is opened, made or started. @throws UsageError. */
export function hostWithoutData({
  modules,
  config,
  log,
  origin,
  ...options
}: Omit<KernelOptions, 'location'>): Host {
  const operations = checkModules(inOrder(modules));
  checkTables(modules, config);
  const none = () => {
    throw new Error('this command uses no database');
  };
  return {
    db: {
      engine: engine(),
      get q() {
        return none();
      },
      tx: none,
      failing: () => null,
      close: async () => {},
    },
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log,
    config,
    version,
    toolsets: toolsetsOf(operations),
    origin: () => origin,
    recordWrite: none,
  };
}

/** Runs a job again and again; a run that throws is logged and the next one comes as planned. */
function repeat(job: NonNullable<Module['jobs']>[number], host: Host): () => Promise<void> {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await job.run(host);
      } catch (error) {
        host.log.error('job_failed', { job: job.name, ...errorFields(error) });
      }
      await pause(job.everyMs, stopping.signal);
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

/** Waits, but not longer than until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** Runs tools on this kernel for one actor. */
export function localExecutor(
  kernel: Kernel,
  actor: Actor,
  cut: ToolCut,
  surface: Surface = 'cli',
): Executor {
  const offered = () =>
    [...kernel.operations.values()].filter(
      (operation) => withinCut(operation, cut) && mayUse(actor, operation),
    );
  return {
    tools: async () => offered().map(describe),
    call: async (name, input, options) => {
      const operation = kernel.operations.get(name);
      if (!operation || !withinCut(operation, cut)) {
        throw unknownTool(
          name,
          offered().map((known) => known.name),
        );
      }
      return run(kernel.host, operation, input, { actor, surface, ...options });
    },
    close: async () => {},
  };
}

/** Modules after those they require. @throws UsageError for a missing or circular requirement, or a name used twice. */
function inOrder(modules: readonly Module[]): readonly Module[] {
  const byName = new Map<string, Module>();
  for (const module of modules) {
    if (byName.has(module.name)) throw new UsageError(`Two modules are named "${module.name}".`);
    byName.set(module.name, module);
  }
  const ordered: Module[] = [];
  const visit = (module: Module, path: readonly string[]) => {
    if (ordered.includes(module)) return;
    if (path.includes(module.name)) {
      throw new UsageError(`Modules require each other in a circle: ${[...path, module.name].join(' → ')}.`);
    }
    for (const name of module.requires ?? []) {
      const required = byName.get(name);
      if (!required) {
        const all = [...byName.keys(), name].join(',');
        throw new UsageError(`The module "${module.name}" requires "${name}". Load both: --modules ${all}`);
      }
      visit(required, [...path, module.name]);
    }
    ordered.push(module);
  };
  for (const module of modules) visit(module, []);
  return ordered;
}

/** What must hold for every module before anything is opened. @throws UsageError naming module and fault. */
export function checkModules(modules: readonly Module[]): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  const codes = new Map<string, string>(Object.keys(coreErrors).map((code) => [code, 'core']));
  const identities = modules.filter((module) => module.identity);
  if (identities.length > 1) {
    throw new UsageError(`Two modules know users: ${identities.map(({ name }) => name).join(' and ')}.`);
  }
  for (const module of modules) {
    const fault = (problem: string) => new UsageError(`Module "${module.name}": ${problem}`);
    if (!/^[a-z][a-z0-9_-]{0,30}$/.test(module.name)) {
      throw fault('its name must be a lowercase word of at most 31 characters.');
    }
    for (const code of Object.keys(module.errors ?? {})) {
      const owner = codes.get(code);
      if (owner) throw fault(`the error code ${code} is already one of "${owner}".`);
      codes.set(code, module.name);
    }
    for (const operation of module.operations ?? []) {
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(operation.name)) {
        throw fault(`the operation name "${operation.name}" must be kebab-case.`);
      }
      if (operations.has(operation.name)) throw fault(`the operation "${operation.name}" exists already.`);
      if (!operation.access)
        throw fault(`the operation "${operation.name}" does not say who may use it (access).`);
      const open = openObject(operation.input, '');
      if (open !== null) {
        throw fault(`the input of "${operation.name}" is open${open}: set additionalProperties to false.`);
      }
      operations.set(operation.name, operation);
    }
    for (const table of tablesOf(module)) {
      if (!getTableName(table).startsWith(`${module.name}_`)) {
        throw fault(`the table "${getTableName(table)}" must be named "${module.name}_…".`);
      }
    }
  }
  return operations;
}

/**
 * Where an input schema takes properties nobody declared, or null. An object without any declared property is free-form
 * data on purpose (a rule, a context) and must say so with `additionalProperties: true`.
 */
function openObject(schema: TSchema, path: string): string | null {
  if (schema['type'] === 'array') return openObject(schema['items'] as TSchema, `${path}[]`);
  if (schema['type'] !== 'object') return null;
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>;
  const freeForm =
    Object.keys(properties).length === 0 && schema['additionalProperties'] === true && path !== '';
  if (schema['additionalProperties'] !== false && !freeForm && schema[Kind] !== 'Record') {
    return path ? ` at ${path}` : '';
  }
  for (const [name, property] of Object.entries(properties)) {
    const open = openObject(property, path ? `${path}.${name}` : name);
    if (open !== null) return open;
  }
  return null;
}

const tablesOf = (module: Module) =>
  Object.values(module.tables ?? {}).filter((value): value is Table => is(value, Table));

/** Every migration that a database for these modules needs, those of plugins last. */
export const migrationsOf = (modules: readonly Module[]): readonly Migration[] => [
  ...builtInMigrations(engine()),
  ...modules.flatMap((module) =>
    (module.migrations?.[engine()] ?? []).map(({ tag, sql }) => ({ tag: `${module.name}/${tag}`, sql })),
  ),
];

/** A plugin's table without its migration would fail at the first request; it fails at start instead. */
async function checkPluginTables(modules: readonly Module[], db: Db): Promise<void> {
  for (const module of modules.filter((candidate) => candidate.migrations)) {
    for (const table of tablesOf(module)) {
      try {
        await db.q
          .select()
          .from(table as never)
          .where(sql`1 = 0`);
      } catch {
        throw new UsageError(
          `Module "${module.name}" declares the table "${getTableName(table)}", but its ${engine()} migrations do not ` +
            'create it with these columns.',
        );
      }
    }
  }
}

/** Settings that are tables of a file have a schema of their own. @throws UsageError with the path of each fault. */
function checkTables(modules: readonly Module[], config: Config): void {
  for (const module of modules) {
    for (const [name, setting] of Object.entries(module.settings ?? {})) {
      if (setting.type !== 'table') continue;
      const part: SettingTable = module.settings ?? {};
      const value = config.read(part)[name];
      if (value === undefined) continue;
      const result = check(setting.schema, value);
      if (!result.ok) throw new UsageError(`${name}: ${sentence(result.problems)}.`);
    }
  }
}
