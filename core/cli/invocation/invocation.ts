import { resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Location, WriteGate } from '../../db/query/db.ts';
import type { MigrationMode } from '../../db/ledger/migration-mode.ts';
import { exit, UsageError } from '../../base/errors.ts';
import { startKernel, type Kernel } from '../../kernel/kernel.ts';
import { loadModule, modulesWithin, toolNamesOf } from '../../kernel/module-loading.ts';
import type { Log } from '../../base/log.ts';
import type { Recorder } from '../../metrics/recorder.ts';
import type { Module } from '../../module/module.ts';
import type { Config, SettingsInForce } from '../../settings/config.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { writeAnswer } from '../../base/standard-streams.ts';
import { faultOfCut, type Executor, type ToolCut, type NamedTool } from '../../tools/executor.ts';
import { localExecutor } from '../../tools/local-executor.ts';
import type { Operation } from '../../tools/operation.ts';
import type { ReloadOutcome } from '../../settings/reload-plan.ts';
import type { Tracing } from '../../traces/tracing.ts';
import type { Surface } from '../../base/write-entry.ts';
import type { HangUps } from './hang-ups.ts';

/** The arguments of every kernel command. */
export interface Invocation {
  readonly config: Config;
  readonly modules: readonly Module[];
  readonly log: Log;
  readonly cut: ToolCut;
  /** The metrics of a server. */
  readonly recorder?: Recorder;
  readonly tracing?: Tracing | undefined;
  /** Whether a server may write. */
  readonly gate?: WriteGate | undefined;
  /** Replaces the system clock. */
  readonly clock?: Clock;
  /** Reads the configuration of a server again, or takes that which another of its processes has accepted. */
  readonly reload?: (accepted?: SettingsInForce) => ReloadOutcome;
  /** Of a server, unless it runs on a terminal, with which it ends. */
  readonly hangUps?: HangUps | undefined;
  /** The present settings of a server. */
  readonly inForce?: () => SettingsInForce;
}

/** The names of all tools. Loads no module. */
export const toolNames = ({ modules }: Pick<Invocation, 'modules'>): readonly NamedTool[] =>
  modules.flatMap(toolNamesOf);

/** The operations of these modules. Loads them. */
export async function loadOperations(modules: readonly Module[]): Promise<readonly Operation[]> {
  return (await Promise.all(modules.map((module) => loadModule(module)))).flatMap(
    ({ operations }) => operations ?? [],
  );
}

/** The operation of a tool, or undefined if it is unknown. Loads the module that contains it. */
export async function operationOf(
  { modules }: Pick<Invocation, 'modules'>,
  tool: string,
): Promise<Operation | undefined> {
  const found = await Promise.all(
    modulesWithin(modules, { tools: [tool] }).map((module) => loadModule(module, [tool])),
  );
  return found.flatMap(({ operations }) => operations ?? []).find(({ name }) => name === tool);
}

/** Writes a result to stdout. @returns the exit code of success. */
export async function print(text: string): Promise<number> {
  await writeAnswer(text);
  return exit.ok;
}

export function locationOf(config: Config): Location {
  const settings = config.read(coreSettings);
  const { data, database, 'database-durability': durability } = settings;
  if (database === undefined)
    return {
      engine: 'sqlite',
      directory: resolve(data),
      durability: durability as 'full' | 'normal',
      replicated: settings.replicate !== undefined,
    };
  const limits = {
    connections: settings['database-connections'],
    statementMs: settings['database-timeout'] * 1_000,
    lockMs: settings['database-lock-timeout'] * 1_000,
    poolMs: settings['database-pool-timeout'] * 1_000,
    pooler: settings['database-pooler'],
  };
  const file = config.fileOf('database');
  return { engine: 'postgres', url: database, limits, ...(file === undefined ? {} : { urlFile: file }) };
}

/** The origin of the server before it listens. */
export function originOf(config: Config): string {
  const { host, port, 'public-url': publicUrl } = config.read(coreSettings);
  return publicUrl ?? originOfAddress(host, port);
}

/** e.g. `http://127.0.0.1:8787` or `http://[::1]:8787` */
export const originOfAddress = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The URL of a server on its own machine: a wildcard address cannot be connected to. */
export function localOrigin(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return originOfAddress(reached, port);
}

/** The origin for other commands, e.g. for printed links: the configured one, else that of a server that runs on the data directory. */
async function originOfCommand(config: Config): Promise<string> {
  const given = ['host', 'port', 'public-url'].some((name) => config.sourceOf(name) !== undefined);
  if (given) return originOf(config);
  const { runningServer } = await import('../../db/sqlite/running-server.ts');
  return runningServer(resolve(config.read(coreSettings).data)) ?? originOf(config);
}

/** A small cache: a command ends before it reads pages repeatedly, and an upload of 200 MB must stay below 300 MB of memory. */
const commandCacheMiB = 8;

/**
 * Starts the kernel on the data of this invocation.
 * @param mode what may be done to a missing or older database: only `serve` may change a schema.
 * @param used the modules whose parts this invocation needs; all unless given.
 * @param tools the only tools that it calls.
 */
export async function openKernel(
  { config, modules, log, recorder, tracing, clock, gate }: Invocation,
  mode: MigrationMode,
  used: readonly Module[] = modules,
  tools?: readonly string[],
): Promise<Kernel> {
  const given = locationOf(config);
  const cached = given.engine === 'sqlite' && tools ? { ...given, readCacheMiB: commandCacheMiB } : given;
  const location = cached.engine === 'sqlite' && gate ? { ...cached, gate } : cached;
  const seen = { ...(recorder && { recorder }), ...(tracing && { tracing }), ...(clock && { clock }) };
  // A server announces its address once it listens.
  const serves = mode === 'alone' || mode === 'require' || gate !== undefined;
  const origin = serves ? originOf(config) : await originOfCommand(config);
  return startKernel({ modules, used, tools, config, location, log, origin, mode, ...seen });
}

interface ExecutorOptions {
  readonly mode: MigrationMode;
  /** The only tools that are called; all that are offered unless given. */
  readonly only?: readonly string[];
  readonly surface?: Surface;
  readonly defaultToolsets?: readonly string[];
}

/** The executor of `--mcp` and `call`: for another server (`--url`), or for this data directory as its owner. */
export async function openExecutor(
  invocation: Invocation,
  { mode, only, surface = 'cli', defaultToolsets }: ExecutorOptions,
): Promise<Executor> {
  const { url, token, as } = invocation.config.read(clientSettings);
  const cut = { ...invocation.cut, toolsets: invocation.cut.toolsets ?? defaultToolsets };
  const fault = faultOfCut(cut, toolNames(invocation));
  if (url !== undefined) {
    if (as !== undefined)
      throw new UsageError('--as works on a data directory; with --url the token says who you are.');
    const { hasLogin, loginToken } = await import('../../login/login-credential.ts');
    if (token === undefined && !hasLogin(url))
      throw new UsageError(
        `--url needs a token: sign in with "trivet login --url ${url}", or set TRIVET_TOKEN or --token-file FILE.`,
        exit.auth,
      );
    const { remoteExecutor } = await import('../../tools/remote-executor.ts');
    const server = { url, token: async () => token ?? (await loginToken(url)) };
    const executor = remoteExecutor(server, cut, { forAgent: surface === 'stdio' });
    // The server may have plugins that are not loaded here.
    const faultThere = fault && faultOfCut(cut, await remoteExecutor(server, {}).tools());
    if (faultThere) throw new UsageError(faultThere);
    return executor;
  }
  if (fault) throw new UsageError(fault);
  const used = modulesWithin(invocation.modules, only ? { tools: only } : cut);
  const kernel = await openKernel(invocation, mode, used, only);
  try {
    // A session of an agent lasts for days: rights that the person loses meanwhile are gone at the next call.
    const now = async () => localExecutor(kernel, await kernel.identity.local(kernel.host, as), cut, surface);
    await now();
    return {
      tools: async () => (await now()).tools(),
      tool: async (name) => (await now()).tool(name),
      call: async (...call) => (await now()).call(...call),
      close: () => kernel.stop(),
    };
  } catch (error) {
    await kernel.stop();
    throw error;
  }
}
