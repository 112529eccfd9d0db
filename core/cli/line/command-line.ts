import { exit, exitCodeOf, UsageError } from '../../base/errors.ts';
import { asFault } from '../../base/foreign-errors.ts';
import { hostWithoutData } from '../../kernel/kernel.ts';
import { moduleSettings, toolNamesOf } from '../../kernel/module-loading.ts';
import { createLog, errorFields, type LogLevel } from '../../base/log.ts';
import type { Host } from '../../host/host.ts';
import type { CommandAnswer, HostCommand } from '../../module/command.ts';
import type { Module } from '../../module/module.ts';
import { didYouMean } from '../../text/nearest-word.ts';
import { checkTables } from '../../kernel/module-check.ts';
import { liveConfig } from '../../settings/live-config.ts';
import { reloaded } from '../serve/server-reload.ts';
import { refuseUnservable } from '../serve/server-settings.ts';
import {
  configInForce,
  peekList,
  resolveConfig,
  settingsInForce,
  type Config,
  type Sources,
} from '../../settings/config.ts';
import { clientSettings, coreSettings, type SettingTable } from '../../settings/settings.ts';
import { isTerminal, pointConsoleAtStderr, writeError } from '../../base/standard-streams.ts';
import { expandToolsets } from '../../tools/executor.ts';
import { locationOf, openKernel, originOf, print, type Invocation } from '../invocation/invocation.ts';
import { holdHangUps } from '../invocation/hang-ups.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { escapeJson, escapeControls } from '../invocation/terminal-text.ts';
import { type AnyCommand, chooseCommand, commandsOf, settingsOf, splitName } from './command-list.ts';
import { kernelCommands, printVersion } from './kernel-commands.ts';
import { workerFields } from '../invocation/worker.ts';

type BuiltIn = Readonly<Record<string, () => Promise<Module>>>;

/** Runs one command line. Writes its result to stdout, everything else to stderr. @returns the exit code. */
export async function runCommandLine(sources: Sources, builtIn: BuiltIn): Promise<number> {
  try {
    return await dispatch(sources, builtIn);
  } catch (error) {
    // Programs read the output of `call`.
    const asJson = isCall(sources);
    if (error instanceof UsageError) {
      reportError(asJson, { code: error.code, message: error.message });
      return error.exitCode;
    }
    const fault = asFault(error);
    // Only an unexpected error needs its stack. Any other error is one line, which scripts read.
    if (fault.code === 'INTERNAL') createLog('error', Date.now).error('failed', errorFields(error));
    reportError(asJson, {
      code: fault.code,
      message: fault.message,
      ...(fault.causeWord === undefined ? {} : { cause: fault.causeWord }),
      ...(fault.tip === '' ? {} : { tip: fault.tip }),
    });
    return exitCodeOf(fault);
  }
}

interface ShownError {
  readonly code: string;
  readonly message: string;
  readonly cause?: string;
  readonly tip?: string;
}

const reportError = (asJson: boolean, error: ShownError): void => writeError(errorText(asJson, error));

const errorText = (asJson: boolean, error: ShownError): string =>
  asJson
    ? `${escapeJson({ error })}\n`
    : escapeControls(`trivet: ${error.message}${error.tip ? `\n${error.tip}` : ''}\n`);

const ownFlags = {
  mcp: { type: 'boolean', description: 'Serve the Model Context Protocol on stdin and stdout.' },
  help: { type: 'boolean', description: 'Show what the command takes.' },
  version: { type: 'boolean', description: 'Show the version.' },
} as const satisfies SettingTable;

/** The settings that are known before the modules are loaded. */
const globalSettings: SettingTable = { ...ownFlags, ...coreSettings, ...clientSettings };

/** Before the modules are loaded and the configuration is read. */
const isServer = ({ argv }: Sources): boolean =>
  !argv.includes('--mcp') && ['serve', undefined].includes(splitName(argv, globalSettings).words[0]);

const isCall = ({ argv }: Sources): boolean => splitName(argv, globalSettings).words[0] === 'call';

async function dispatch(sources: Sources, builtIn: BuiltIn): Promise<number> {
  // A worker leaves the end of the terminal to its supervisor.
  const ofTerminal = !sources.inForce && isTerminal('stderr');
  const hangUps = isServer(sources) && !ofTerminal ? holdHangUps() : undefined;
  const modules = await loadModules(sources, builtIn);
  const commands = commandsOf(modules, kernelCommands);
  const shared: SettingTable = { ...globalSettings, ...moduleSettings(modules) };
  const { words, rest } = splitName(sources.argv, shared);
  const { command } = chooseCommand(words, commands);
  const used = command && words.length > 0 ? command.name.split(' ').length : 0;
  const table: SettingTable = { ...shared, ...(command && settingsOf(command)) };
  const given = { argv: [...words.slice(used), ...rest], env: sources.env };
  const config = sources.inForce ? configInForce(table, sources.inForce) : resolveConfig(table, given);
  const { help, version: wantsVersion, mcp } = config.read(ownFlags);
  // A group of commands, e.g. `trivet token`, only has a help page.
  if (help || !command) {
    const { helpPageOf } = await import('./help.ts');
    return print(await helpPageOf([...words.slice(0, used), ...config.words], commands, modules));
  }
  if (wantsVersion) return printVersion(config);

  const settings = config.read(coreSettings);
  // Scripts parse stderr: for a failed call it contains only the error, even when the data was migrated first.
  const usual = mcp || command.name === 'serve' ? 'info' : 'warn';
  const serves = command.name === 'serve' && !mcp;
  const live = liveConfig(config);
  const level = live.config.follow(coreSettings, 'log-level');
  const followed = (take: (given: LogLevel) => void) => level((given) => take((given ?? usual) as LogLevel));
  const log = createLog(followed, Date.now, writeError, workerFields());
  const reread = () => checkedConfig(modules, resolveConfig(table, given));
  const invocation: Invocation = {
    config: serves ? live.config : config,
    modules,
    log,
    ...(serves && {
      hangUps,
      reload: (accepted) =>
        reloaded({
          live,
          table: shared,
          reread: accepted ? () => configInForce(table, accepted) : reread,
          log,
        }),
      inForce: () => settingsInForce(table, live.config),
    }),
    cut: {
      toolsets: expandToolsets(settings.toolsets, modules.flatMap(toolNamesOf)),
      tools: settings.tools,
      readOnly: settings['read-only'],
    },
  };
  if (command.words === undefined && config.words.length > 0) {
    throw new UsageError(`"${config.words[0]}" is not expected here. See trivet help.`, exit.usage);
  }
  if (mcp && !['help', 'version'].includes(command.name))
    return (await import('../commands/mcp.ts')).runMcp(invocation);
  refuseUrl(config, command);
  switch (command.needs) {
    case 'nothing':
    case 'machine':
      return command.run(invocation, commands);
    case 'tools': {
      const { runByTools } = await import('./command-by-tools.ts');
      return printAnswer(await runByTools(invocation, command, sources.env), config);
    }
    default:
      return runOnHost(command, invocation);
  }
}

/** A configuration that a running server may take. @throws UsageError. */
function checkedConfig(modules: readonly Module[], config: Config): Config {
  checkTables(modules, config);
  refuseUnservable(config);
  return config;
}

/** @throws UsageError: working on a new local directory instead would be a silent mistake. */
function refuseUrl(config: Config, { name, needs, settings }: AnyCommand): void {
  if (needs === 'tools' || 'url' in settings || config.read(clientSettings).url === undefined) return;
  if (needs === 'nothing') {
    // The variable of the environment may be there for other commands.
    if (config.sourceOf('url') !== '--url') return;
    throw new UsageError(`trivet ${name} asks no server: leave out --url.`, exit.usage);
  }
  throw new UsageError(
    `trivet ${name} works on the data of this machine, not on the server of --url or TRIVET_URL. Leave them out and name the ` +
      'data directory with --data, or run it where the server is.',
    exit.usage,
  );
}

async function runOnHost(command: HostCommand, invocation: Invocation): Promise<number> {
  const { modules, config, log } = invocation;
  if (command.needs === 'configuration') {
    const host = hostWithoutData({ modules, config, log, origin: originOf(config) });
    return printAnswer(await runShown(command, host), config);
  }
  const location = locationOf(config);
  const { hasDatabase } = await import('../../db/sqlite/database-place.ts');
  const isNew = location.engine === 'sqlite' && !hasDatabase(location.directory);
  // A command needs no operations of the modules.
  const kernel = await openKernel(invocation, command.needs === 'data' ? 'check' : 'create', []);
  // It may have meant another place: a server with its data elsewhere refuses the link or the token that is printed.
  if (isNew)
    writeError(
      escapeControls(
        `There was no Trivet database in ${location.directory}: this command created one. If a server has its data elsewhere, ` +
          'name that place with --data.\n',
      ),
    );
  try {
    return await printAnswer(await runShown(command, kernel.host), config);
  } finally {
    await kernel.stop();
  }
}

async function runShown(command: HostCommand, host: Host): Promise<CommandAnswer> {
  const progress = progressLine();
  return command.run(host, progress.show).finally(progress.end);
}

async function printAnswer(answer: CommandAnswer, config: Config): Promise<number> {
  if (answer.note !== undefined) writeError(escapeControls(`${answer.note}\n`));
  if ('output' in answer) await print(answer.output);
  else if ('record' in answer) {
    const { printResult } = await import('../invocation/result-output.ts');
    await printResult(answer.record, config, { columns: answer.columns });
  } else {
    const { json } = config.read(clientSettings);
    await print(json ? `${escapeJson(answer.data)}\n` : `${escapeControls(answer.text)}\n`);
  }
  return answer.failed ? exit.failed : exit.ok;
}

async function loadModules(sources: Sources, builtIn: BuiltIn): Promise<readonly Module[]> {
  const known = Object.keys(builtIn);
  const chosen = peekList('modules', sources) ?? known;
  const modules: Module[] = [];
  for (const name of chosen) {
    const load = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
    if (!load) {
      throw new UsageError(
        `--modules: there is no module "${name}".${didYouMean(name, known)} Known: ${known.join(', ')}.`,
      );
    }
    modules.push(await load());
  }
  const plugins = peekList('plugin', sources) ?? [];
  if (plugins.length === 0) return modules;
  // stdout is for results. A plugin may print while it loads.
  pointConsoleAtStderr();
  const { loadPlugins } = await import('../../plugin/plugin-loading.ts');
  const asJson = isCall(sources);
  const shownError = (message: string) => errorText(asJson, { code: 'INVALID_REQUEST', message });
  return [...modules, ...(await loadPlugins(plugins, modules, shownError))];
}
