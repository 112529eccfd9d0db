import { readFileSync } from 'node:fs';
import { UsageError } from '../config.ts';
import { exit } from '../errors.ts';
import type { Executor } from '../executor.ts';
import { callSettings, clientSettings } from '../settings.ts';
import { openExecutor, print, type Invocation } from './invocation.ts';

/** `trivet call <tool>`: runs one tool; its result alone goes to stdout. */
export async function runCall(invocation: Invocation): Promise<number> {
  const [tool, ...extra] = invocation.config.words;
  if (tool === undefined)
    throw new UsageError('Name a tool: trivet call <tool>. "trivet tools" lists them.', exit.usage);
  if (extra.length > 0) {
    throw new UsageError(
      `"${extra[0]}" means nothing here; give arguments by --args or -a key=value.`,
      exit.usage,
    );
  }
  const { args, argument, 'idempotency-key': idempotencyKey } = invocation.config.read(callSettings);
  const whole = args === undefined ? {} : await readArguments(args);

  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  const executor = await openExecutor(invocation);
  try {
    const single = argument === undefined ? {} : await readPairs(argument, tool, executor);
    const data = await executor.call(
      tool,
      { ...whole, ...single },
      { signal: stopping.signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
    );
    const { json } = invocation.config.read(clientSettings);
    return await print(
      `${json || !process.stdout.isTTY ? JSON.stringify(data) : JSON.stringify(data, null, 2)}\n`,
    );
  } finally {
    await executor.close();
  }
}

async function readArguments(given: string): Promise<Record<string, unknown>> {
  let text = given;
  if (given === '-') text = await Bun.stdin.text();
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

/** `-a key=value` pairs; a value becomes what the tool's schema says the parameter is. */
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
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError('-a takes key=value, e.g. -a projectId=1.');
    const key = pair.slice(0, at);
    found[key] = typed(
      pair.slice(at + 1),
      Object.hasOwn(properties, key) ? properties[key]?.type : undefined,
    );
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
