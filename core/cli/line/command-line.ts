import { exit, exitCodeOf, UsageError } from '../../base/errors.ts';
import { asFault } from '../../base/foreign-errors.ts';
import { hostWithoutData } from '../../kernel/kernel.ts';
import { moduleSettings, toolNamesOf } from '../../kernel/module-loading.ts';
import { createLog, errorFields, type LogLevel } from '../../base/log.ts';
import type { Command, CommandAnswer, Module, ShortCall, ToolCommand } from '../../module/module.ts';
import { didYouMean, nearest } from '../../base/nearest-word.ts';
import { peekList, resolveConfig, type Config, type Sources } from '../../settings/config.ts';
import { clientSettings, coreSettings, type SettingTable } from '../../settings/settings.ts';
import { pointConsoleAtStderr, writeError } from '../../base/standard-streams.ts';
import { expandedToolsets } from '../../tools/executor.ts';
import { buildOf, version } from '../../base/version.ts';
import { commandText, groupText, helpText, shortText, toolCommandText, toolText, verbText } from './help.ts';
import {
  openKernel,
  operationOf,
  originOf,
  print,
  toolNames,
  type Invocation,
} from '../invocation/invocation.ts';
import { jsonShown, shown } from '../invocation/terminal-text.ts';
import {
  commandsOf,
  settingsOfShort,
  settingsOfToolCommand,
  shortCallsOf,
  splitVerb,
  toolCommandsOf,
  verbNames,
  type Verb,
} from './verb.ts';
import { verbs } from './verbs.ts';
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
    // Only an unexpected error needs its place. Any other error is the one line that scripts read.
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
    ? `${jsonShown({ error })}\n`
    : shown(`trivet: ${error.message}${error.tip ? `\n${error.tip}` : ''}\n`);

const ownFlags = {
  mcp: { type: 'boolean', description: 'Serve the Model Context Protocol on stdin and stdout.' },
  help: { type: 'boolean', description: 'Show what the command takes.' },
  version: { type: 'boolean', description: 'Show the version.' },
} as const satisfies SettingTable;

/** The settings that are known before the modules are loaded. */
const globalSettings: SettingTable = { ...ownFlags, ...coreSettings, ...clientSettings };

const isCall = ({ argv }: Sources): boolean => splitVerb(argv, globalSettings).words[0] === 'call';

type Chosen =
  | { readonly kind: 'verb'; readonly verb: Verb }
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'short'; readonly short: ShortCall }
  | { readonly kind: 'by-tools'; readonly command: ToolCommand }
  | { readonly kind: 'group'; readonly name: string; readonly commands: readonly Command[] }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

async function dispatch(sources: Sources, builtIn: BuiltIn): Promise<number> {
  const modules = await loadModules(sources, builtIn);
  const shared: SettingTable = { ...globalSettings, ...moduleSettings(modules) };
  const { words, rest } = splitVerb(sources.argv, shared);
  const { chosen, used } = choose(words, modules);
  const argv = [...words.slice(used), ...rest];
  const table: SettingTable = { ...shared, ...ownSettings(chosen) };
  const config = resolveConfig(table, { argv, env: sources.env });
  const { help, version: wantsVersion, mcp } = config.read(ownFlags);
  if (chosen.kind === 'help') return print(await pageOf(config.words, modules));
  if (help) return print(await pageOf([...words.slice(0, used), ...config.words], modules));
  if (wantsVersion || chosen.kind === 'version') {
    const { json } = config.read(clientSettings);
    return print(json ? `${JSON.stringify(buildOf())}\n` : `trivet ${version}\n`);
  }
  if (chosen.kind === 'group') return print(groupText(chosen.name, chosen.commands));

  const settings = config.read(coreSettings);
  const serving = mcp || (chosen.kind === 'verb' && chosen.verb.name === 'serve');
  // Scripts read stderr: for a call that fails it has only the error, also when the data had to be migrated first.
  const level = settings['log-level'] ?? (serving ? 'info' : 'warn');
  const invocation: Invocation = {
    config,
    modules,
    log: createLog(level as LogLevel, Date.now, writeError, workerFields()),
    cut: {
      toolsets: expandedToolsets(settings.toolsets, modules.flatMap(toolNamesOf)),
      tools: settings.tools,
      readOnly: settings['read-only'],
    },
  };
  const takesWords =
    chosen.kind === 'short' || chosen.kind === 'by-tools' || (chosen.kind === 'verb' && chosen.verb.words);
  if (!takesWords && config.words.length > 0) {
    throw new UsageError(`"${config.words[0]}" is not expected here. See trivet help.`, exit.usage);
  }
  if (mcp) return (await import('../verbs/mcp.ts')).runMcp(invocation);
  if (chosen.kind === 'command') {
    refuseUrl(config, chosen.command.verb);
    return runCommand(chosen.command, invocation);
  }
  if (chosen.kind === 'by-tools')
    return (await import('../verbs/tool-command.ts')).runToolCommand(invocation, chosen.command, sources.env);
  if (chosen.kind === 'short')
    return (await import('../verbs/short-call.ts')).runShortCall(invocation, chosen.short);
  if (!chosen.verb.remote) refuseUrl(config, chosen.verb.name);
  return chosen.verb.run(invocation);
}

function ownSettings(chosen: Chosen): SettingTable {
  if (chosen.kind === 'command') return chosen.command.settings;
  if (chosen.kind === 'short') return settingsOfShort(chosen.short);
  if (chosen.kind === 'by-tools') return settingsOfToolCommand(chosen.command);
  return chosen.kind === 'verb' ? chosen.verb.settings : {};
}

/** @throws UsageError: to work on a new local directory instead would be a silent mistake. */
function refuseUrl(config: Config, verb: string): void {
  if (config.read(clientSettings).url === undefined) return;
  throw new UsageError(
    `trivet ${verb} works on the data of this machine, not on the server of --url or TRIVET_URL. Leave them out and name the ` +
      'data directory with --data, or run it where the server is.',
    exit.usage,
  );
}

/** Which verb the words name, and how many of them it takes. None means `serve`. */
function choose(
  words: readonly string[],
  modules: readonly Module[],
): { readonly chosen: Chosen; readonly used: number } {
  const commands = commandsOf(modules);
  const [first] = words;
  if (first === undefined) return { chosen: { kind: 'verb', verb: verbNamed('serve') }, used: 0 };
  const command = commands.find(({ verb }) => verb === words.join(' ') || verb === first);
  if (command) return { chosen: { kind: 'command', command }, used: command.verb.split(' ').length };
  const verb = verbs.find(({ name }) => name === first);
  if (verb) return { chosen: { kind: 'verb', verb }, used: 1 };
  const short = shortCallsOf(modules).find((each) => each.verb === first);
  if (short) return { chosen: { kind: 'short', short }, used: 1 };
  const byTools = toolCommandsOf(modules).find((each) => each.verb === first);
  if (byTools) return { chosen: { kind: 'by-tools', command: byTools }, used: 1 };
  if (first === 'help') return { chosen: { kind: 'help' }, used: 1 };
  if (first === 'version') return { chosen: { kind: 'version' }, used: 1 };
  const group = commands.filter((each) => each.verb.startsWith(`${first} `));
  if (group.length > 0 && words.length === 1)
    return { chosen: { kind: 'group', name: first, commands: group }, used: 1 };
  throw unknownVerb(words, modules);
}

function verbNamed(name: string): Verb {
  const verb = verbs.find((each) => each.name === name);
  if (!verb) throw new Error(`no verb ${name}`);
  return verb;
}

function unknownVerb(words: readonly string[], modules: readonly Module[]): UsageError {
  const known = verbNames(verbs, modules);
  const given = words.join(' ');
  const closest = nearest(given, known) === undefined ? (words[0] ?? '') : given;
  const hint = didYouMean(closest, known, (name) => `"trivet ${name}"`);
  return new UsageError(`There is no command "${words[0]}".${hint} See trivet help.`, exit.usage);
}

/** The page of a command, a group, a tool (`call get-tests`), or of everything. @throws UsageError when there is none. */
async function pageOf(words: readonly string[], modules: readonly Module[]): Promise<string> {
  if (words.length === 0) return helpText(modules);
  const { chosen } = choose(words.slice(0, 2), modules);
  switch (chosen.kind) {
    case 'command':
      return commandText(chosen.command);
    case 'short':
      return shortText(chosen.short);
    case 'by-tools':
      return toolCommandText(chosen.command);
    case 'group':
      return groupText(chosen.name, chosen.commands);
    case 'verb': {
      const [, tool] = words;
      if (chosen.verb.name !== 'call' || tool === undefined) return verbText(chosen.verb);
      const operation = await operationOf({ modules }, tool);
      if (operation) return toolText(operation);
      const names = toolNames({ modules }).map(({ name }) => name);
      throw new UsageError(
        `There is no tool "${tool}".${didYouMean(tool, names)} "trivet tools" lists them.`,
        exit.usage,
      );
    }
    default:
      return helpText(modules);
  }
}

async function loadModules(sources: Sources, builtIn: BuiltIn): Promise<readonly Module[]> {
  const known = Object.keys(builtIn);
  const chosen = peekList('modules', sources) ?? known;
  const modules: Module[] = [];
  for (const name of chosen) {
    const load = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
    if (!load) {
      throw new UsageError(
        `There is no module "${name}".${didYouMean(name, known)} Known: ${known.join(', ')}.`,
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

async function runCommand(command: Command, invocation: Invocation): Promise<number> {
  if (command.reads === 'configuration') {
    const { modules, config, log } = invocation;
    const host = hostWithoutData({ modules, config, log, origin: originOf(config) });
    return printAnswer(await command.run(host), invocation);
  }
  // A command needs no operations of the modules.
  const kernel = await openKernel(invocation, command.reads === 'data' ? 'check' : 'create', []);
  try {
    return await printAnswer(await command.run(kernel.host), invocation);
  } finally {
    await kernel.stop();
  }
}

async function printAnswer(answer: CommandAnswer, { config }: Invocation): Promise<number> {
  const { json } = config.read(clientSettings);
  if (answer.note !== undefined) writeError(shown(`${answer.note}\n`));
  await print(json ? `${jsonShown(answer.data)}\n` : `${shown(answer.text)}\n`);
  return answer.failed ? exit.failed : exit.ok;
}
