import { peekList, resolveConfig, UsageError, type Sources } from '../config.ts';
import { asFault } from '../as-fault.ts';
import { exit, exitCodeOf } from '../errors.ts';
import { createLog, errorFields, type LogLevel } from '../log.ts';
import type { Command, Module } from '../module.ts';
import { nearest } from '../nearest.ts';
import { callSettings, clientSettings, coreSettings, type SettingTable } from '../settings.ts';
import { version } from '../version.ts';
import { helpText } from './help.ts';
import { openKernel, print, type Invocation } from './invocation.ts';

type BuiltIn = Readonly<Record<string, () => Promise<Module>>>;

const verbs = ['serve', 'call', 'tools', 'backup', 'help', 'version'] as const;

/** Runs one command line to its end. @returns the exit code; answers are on stdout, everything else on stderr. */
export async function runCommandLine(sources: Sources, builtIn: BuiltIn): Promise<number> {
  const asJson = sources.argv[0] === 'call';
  try {
    return await dispatch(sources, builtIn);
  } catch (error) {
    if (error instanceof UsageError) {
      reportError(asJson, { code: 'USAGE', message: error.message });
      return error.exitCode;
    }
    const fault = asFault(error);
    // Where it happened is of use only for what nobody foresaw; anything else is the one line that scripts read.
    if (fault.code === 'INTERNAL') createLog('error', Date.now).error('failed', errorFields(error));
    reportError(asJson, {
      code: fault.code,
      message: fault.message,
      ...(fault.causeWord === undefined ? {} : { cause: fault.causeWord }),
      tip: fault.tip,
    });
    return exitCodeOf(fault);
  }
}

/** Programs get one JSON line, people a sentence. */
function reportError(
  asJson: boolean,
  error: { code: string; message: string; cause?: string; tip?: string },
): void {
  process.stderr.write(
    asJson
      ? `${JSON.stringify({ error })}\n`
      : `trivet: ${error.message}${error.tip ? `\n${error.tip}` : ''}\n`,
  );
}

async function dispatch(sources: Sources, builtIn: BuiltIn): Promise<number> {
  const modules = await loadModules(sources, builtIn);
  const commands = modules.flatMap((module) => module.commands ?? []);
  const { verb, command, rest } = verbOf(sources.argv, commands);
  const table: SettingTable = Object.assign(
    { mcp: mcpFlag, help: helpFlag, version: versionFlag },
    coreSettings,
    clientSettings,
    ...modules.map((module) => module.settings ?? {}),
    verb === 'call' ? callSettings : {},
    command?.settings ?? {},
  ) as SettingTable;

  const config = resolveConfig(table, { argv: rest, env: sources.env });
  const {
    help,
    version: wantsVersion,
    mcp,
  } = config.read({ help: helpFlag, version: versionFlag, mcp: mcpFlag });
  if (help || verb === 'help') return print(helpText(modules, command, verb));
  if (wantsVersion || verb === 'version') return print(`trivet ${version}\n`);

  const settings = config.read(coreSettings);
  // Scripts read stderr: of a call that fails it is the error alone, also on data that had to be migrated first.
  const level = settings['log-level'] ?? (mcp || verb === 'serve' ? 'info' : 'warn');
  const invocation: Invocation = {
    config,
    modules,
    log: createLog(level as LogLevel, Date.now),
    cut: { toolsets: settings.toolsets, tools: settings.tools, readOnly: settings['read-only'] },
  };
  if (verb !== 'call' && verb !== 'backup' && config.words.length > 0) {
    throw new UsageError(`"${config.words[0]}" means nothing here. See trivet help.`, exit.usage);
  }
  if (mcp) return (await import('./mcp.ts')).runMcp(invocation);
  if (command) return runCommand(command, invocation);
  switch (verb) {
    case 'call':
      return (await import('./call.ts')).runCall(invocation);
    case 'backup':
      return (await import('./backup.ts')).runBackup(invocation);
    case 'tools':
      return (await import('./tools.ts')).runTools(invocation);
    default:
      return (await import('./serve.ts')).runServe(invocation);
  }
}

const mcpFlag = {
  type: 'boolean',
  description: 'Speak the Model Context Protocol on stdin and stdout.',
} as const;
const helpFlag = { type: 'boolean', description: 'Show what the command takes.' } as const;
const versionFlag = { type: 'boolean', description: 'Show the version.' } as const;

/** Finds the verb at the start of the command line; none means `serve`. */
function verbOf(argv: readonly string[], commands: readonly Command[]) {
  const firstFlag = argv.findIndex((word) => word.startsWith('-'));
  const leading = firstFlag < 0 ? argv : argv.slice(0, firstFlag);
  const first = leading[0];
  if (first === undefined) return { verb: 'serve', command: undefined, rest: argv };
  const command = commands.find(
    ({ verb }) => leading.join(' ') === verb || leading.join(' ').startsWith(`${verb} `),
  );
  if (command) return { verb: command.verb, command, rest: argv.slice(command.verb.split(' ').length) };
  if (verbs.some((verb) => verb === first)) return { verb: first, command: undefined, rest: argv.slice(1) };
  const known = [...verbs, ...commands.map(({ verb }) => verb)];
  const close = nearest(leading.slice(0, 2).join(' '), known) ?? nearest(first, known);
  throw new UsageError(
    `There is no command "${first}".${close ? ` Did you mean "trivet ${close}"?` : ''} See trivet help.`,
    exit.usage,
  );
}

async function loadModules(sources: Sources, builtIn: BuiltIn): Promise<readonly Module[]> {
  const chosen = peekList('modules', sources) ?? Object.keys(builtIn);
  const modules: Module[] = [];
  for (const name of chosen) {
    const load = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
    if (!load) {
      const close = nearest(name, Object.keys(builtIn));
      throw new UsageError(
        `There is no module "${name}".${close ? ` Did you mean "${close}"?` : ''} Known: ${Object.keys(builtIn).join(', ')}.`,
      );
    }
    modules.push(await load());
  }
  const files = peekList('plugin', sources) ?? [];
  if (files.length > 0) {
    const { loadPlugin } = await import('../plugin.ts');
    for (const file of files) modules.push(await loadPlugin(file));
  }
  return modules;
}

async function runCommand(command: Command, invocation: Invocation): Promise<number> {
  const kernel = await openKernel(invocation);
  try {
    const answer = await command.run(kernel.host);
    const { json } = invocation.config.read(clientSettings);
    await print(json ? `${JSON.stringify(answer.data)}\n` : `${answer.text}\n`);
    return answer.failed ? exit.failed : exit.ok;
  } finally {
    await kernel.stop();
  }
}
