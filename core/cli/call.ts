import { UsageError, exit } from '../errors.ts';
import { readFileSync } from 'node:fs';
import { withinCut, type Executor } from '../tools/executor.ts';
import { isFile, isJson, isText, type FileAnswer } from '../tools/file-answer.ts';
import { unknownTool } from '../tools/operation.ts';
import { callSettings, clientSettings } from '../settings/settings.ts';
import { isTerminal, readInput, writeAnswer, writeError } from '../standard-streams.ts';
import { jsonShown, shown } from './terminal-text.ts';
import { modulesWithin } from '../kernel/module-loading.ts';
import { openExecutor, operationOf, operationsOf, print, type Invocation } from './invocation.ts';

/** `trivet call <tool>`: runs one tool; its result alone goes to stdout. */
export async function runCall(invocation: Invocation): Promise<number> {
  const [tool, ...extra] = invocation.config.words;
  if (tool === undefined)
    throw new UsageError('Name a tool: trivet call <tool>. "trivet tools" lists them.', exit.usage);
  if (extra.length > 0) {
    throw new UsageError(
      `"${extra[0]}" is not expected here; give arguments with --args or -a key=value.`,
      exit.usage,
    );
  }
  const { args, argument, 'idempotency-key': idempotencyKey } = invocation.config.read(callSettings);
  const whole = args === undefined ? {} : await readArguments(args);

  // Ctrl-C ends the process as it ends others (no handler): what a tool has not committed then, the database undoes.
  checkPairs(argument ?? []);

  const operation = await operationOf(invocation, tool);
  // A tool that reads, or that is not known, begins no new database in the wrong folder.
  const mode = operation && operation.effect !== 'read' ? 'create' : 'check';
  if (!operation) await refuseUnknown(invocation, tool);
  const used = modulesWithin(invocation.modules, { tools: [tool] });
  const executor = await openExecutor(invocation, { mode, used });
  try {
    const single = argument === undefined ? {} : await readPairs(argument, tool, executor);
    const data = await executor.call(
      tool,
      { ...whole, ...single },
      {
        signal: new AbortController().signal,
        ...(isTerminal('stderr') ? { progress: showProgress } : {}),
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      },
    );
    if (isFile(data)) return await printFile(data);
    const { json } = invocation.config.read(clientSettings);
    return await print(`${jsonShown(data, json || !isTerminal('stdout') ? undefined : 2)}\n`);
  } finally {
    await executor.close();
  }
}

/** A local tool that is not known needs no database to be told of. @throws Fault UNKNOWN_TOOL. */
async function refuseUnknown({ config, modules, cut }: Invocation, tool: string): Promise<void> {
  if (config.read(clientSettings).url !== undefined) return;
  const offered = (await operationsOf(modules)).filter((known) => withinCut(known, cut));
  throw unknownTool(
    tool,
    offered.map(({ name }) => name),
  );
}

/** How far a long call is, on the one line of a terminal. */
function showProgress(done: number, total: number): void {
  const share = total > 0 ? Math.floor((100 * done) / total) : 100;
  writeError(`\r${share} %${done >= total ? '\r     \r' : ''}`);
}

/** The file itself on stdout. A pipe may take only a part at once: the next piece waits for it. */
async function printFile(file: FileAnswer): Promise<number> {
  if (isTerminal('stdout') && !isText(file)) {
    throw new UsageError(`The result is a file (${file.mediaType}). Redirect it, e.g. > ${file.name}`);
  }
  const decoder = new TextDecoder();
  for await (const chunk of file.chunks()) {
    // A file that is kept is as it is; one that is looked at must not command the terminal.
    const part = isTerminal('stdout') ? shown(decoder.decode(chunk, { stream: true })) : chunk;
    if (!(await writeAnswer(part))) return exit.ok;
  }
  return isJson(file) ? print('\n') : exit.ok;
}

async function readArguments(given: string): Promise<Record<string, unknown>> {
  let text = given;
  if (given === '-') text = await readInput();
  else if (given.startsWith('@')) {
    try {
      text = readFileSync(given.slice(1), 'utf8');
    } catch {
      throw new UsageError(`--args: the file ${given.slice(1)} cannot be read.`);
    }
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`--args is not JSON. Give an object, e.g. --args '{"projectId":1}'.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`--args must be a JSON object, e.g. --args '{"projectId":1}'.`);
  }
  return value as Record<string, unknown>;
}

async function fileText(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch {
    throw new UsageError(`-a: the file ${path} cannot be read.`);
  }
}

/** @throws UsageError for what is no pair, and for an argument that is given twice: one of the two would be lost. */
function checkPairs(pairs: readonly string[]): void {
  const seen = new Set<string>();
  for (const pair of pairs) {
    const at = pair.search(/[=@]/);
    if (at < 1) throw new UsageError('-a takes key=value or key@file, e.g. -a projectId=1.');
    const key = pair.slice(0, at);
    if (seen.has(key))
      throw new UsageError(
        `-a names ${key} twice. Give each argument once; a list is one value: -a ${key}='[1,2]'.`,
      );
    seen.add(key);
  }
}

/** `-a key=value` and `-a key@file` pairs; a value becomes what the tool's schema says the parameter is. */
async function readPairs(
  pairs: readonly string[],
  tool: string,
  executor: Executor,
): Promise<Record<string, unknown>> {
  const known = (await executor.tools()).find(({ name }) => name === tool);
  const properties = (known?.inputSchema['properties'] ?? {}) as Record<
    string,
    { type?: string } | undefined
  >;
  const found: Record<string, unknown> = {};
  for (const pair of pairs) {
    // The name of a parameter has neither = nor @, so the first of them says what follows: a value or the name of a file.
    const at = pair.search(/[=@]/);
    const key = pair.slice(0, at);
    const text = pair[at] === '=' ? pair.slice(at + 1) : await fileText(pair.slice(at + 1));
    found[key] = typed(text, Object.hasOwn(properties, key) ? properties[key]?.type : undefined);
  }
  return found;
}

/** What does not convert stays text, so that the tool's own check names the fault. */
function typed(text: string, type: string | undefined): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
    case 'object':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    default:
      return text;
  }
}
