import { readFileSync } from 'node:fs';
import { exit, UsageError } from '../../base/errors.ts';
import { clientSettings } from '../../settings/settings.ts';
import { readInput } from '../../base/standard-streams.ts';
import { pagedListIn } from '../../tools/page.ts';
import { withinCut, type Executor } from '../../tools/executor.ts';
import { unknownTool } from '../../tools/operation.ts';
import { openExecutor, operationOf, loadOperations, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';
import { printResult } from '../invocation/result-output.ts';
import { callSettings } from '../invocation/command-settings.ts';
import { typedArgument, type ParameterType } from '../invocation/typed-argument.ts';

/** `trivet call <tool>`: runs one tool. Only its result goes to stdout. */
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

  const pairs = pairsOf(argument ?? []);

  const operation = await operationOf(invocation, tool);
  // A tool that only reads, or an unknown tool, must not create a database in the wrong folder.
  const mode = operation && operation.effect !== 'read' ? 'create' : 'check';
  if (!operation) await refuseUnknown(invocation, tool);
  const executor = await openExecutor(invocation, { mode, only: [tool] });
  // Programs parse the stderr of a call, so it contains only the error.
  const progress = progressLine({ lines: false });
  try {
    const input = { ...whole, ...(await readPairs(pairs, tool, executor)) };
    const data = await executor.call(tool, input, {
      // Ctrl-C needs no handler: the database undoes what the tool has not committed.
      signal: new AbortController().signal,
      progress: progress.show,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    progress.end();
    return await printResult(data, invocation.config, { list: operation && pagedListIn(operation.output) });
  } finally {
    progress.end();
    await executor.close();
  }
}

/** Rejects an unknown local tool without opening a database. @throws Fault UNKNOWN_TOOL. */
async function refuseUnknown({ config, modules, cut }: Invocation, tool: string): Promise<void> {
  if (config.read(clientSettings).url !== undefined) return;
  throw unknownTool(
    tool,
    (await loadOperations(modules)).filter((known) => withinCut(known, cut)),
  );
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

/**
 * `-a key=value` and `-a key@file` by key; the rest of a pair begins with its separator. Parameter names contain neither = nor @, so the
 * first of them is the separator.
 * @throws UsageError for text that is not a pair, and for a repeated argument, since one of its values would be lost.
 */
function pairsOf(given: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of given) {
    const at = pair.search(/[=@]/);
    if (at < 1) throw new UsageError('-a takes key=value or key@file, e.g. -a projectId=1.');
    const key = pair.slice(0, at);
    if (pairs.has(key))
      throw new UsageError(
        `-a names ${key} twice. Give each argument once; a list is one value: -a ${key}='[1,2]'.`,
      );
    pairs.set(key, pair.slice(at));
  }
  return pairs;
}

/** The values of pairs, converted to the types of the tool's schema. */
async function readPairs(
  pairs: ReadonlyMap<string, string>,
  tool: string,
  executor: Executor,
): Promise<Record<string, unknown>> {
  if (pairs.size === 0) return {};
  const schema = (await executor.tools()).find(({ name }) => name === tool)?.inputSchema;
  const types = new Map(Object.entries((schema?.['properties'] ?? {}) as Record<string, ParameterType>));
  const found: Record<string, unknown> = {};
  for (const [key, rest] of pairs) {
    const text = rest.startsWith('=') ? rest.slice(1) : await fileText(rest.slice(1));
    found[key] = typedArgument(text, types.get(key));
  }
  return found;
}
