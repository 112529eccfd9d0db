import { systemClock } from '../../base/clock.ts';
import { fail, Fault } from '../../base/errors.ts';
import { toolNamesOf } from '../../kernel/module-loading.ts';
import type { CommandAnswer, ToolCommand } from '../../module/command.ts';
import { inputStream, isTerminal, terminalWidth } from '../../base/standard-streams.ts';
import { openExecutor, type Invocation } from '../invocation/invocation.ts';
import { progressLine } from '../invocation/progress-line.ts';

/** Runs a command that calls tools, on a data directory or another server. */
export async function runByTools(
  invocation: Invocation,
  command: ToolCommand,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CommandAnswer> {
  const { config } = invocation;
  const progress = progressLine();
  const executor = await openExecutor(invocation, { mode: 'check', only: command.tools });
  try {
    return await command.run({
      words: config.words,
      config,
      env,
      call: (tool, input, files = []) =>
        // Ctrl-C needs no handler: the database undoes what the tool has not committed.
        executor
          .call(tool, input, { signal: new AbortController().signal, files, progress: progress.show })
          .catch((error: unknown) =>
            Promise.reject(withoutTools(withoutRight(error, tool, invocation), command.tools)),
          ),
      terminalWidth: isTerminal('stdout') ? terminalWidth() : undefined,
      clock: systemClock,
      input: inputStream,
    });
  } finally {
    progress.end();
    await executor.close();
  }
}

/** Tips that name tools do not help at a shell: the message must say what to do. */
function withoutTools(error: unknown, tools: readonly string[]): unknown {
  if (!(error instanceof Fault) || !tools.some((tool) => error.tip.includes(tool))) return error;
  const { code, status, message, causeWord, retryAfter } = error;
  return new Fault(code, { status, tip: '' }, message, {
    ...(causeWord === undefined ? {} : { cause: causeWord }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** A server lists only the tools that a token may use. A command knows that its own tools exist. */
function withoutRight(error: unknown, tool: string, { modules }: Invocation): unknown {
  if (!(error instanceof Fault) || error.code !== 'UNKNOWN_TOOL') return error;
  const toolset = modules.flatMap(toolNamesOf).find(({ name }) => name === tool)?.toolset;
  return fail.FORBIDDEN(`This token may not use ${tool} there, or the server is of an earlier version.`, {
    tip: `Its scopes must include "${toolset}", and its user needs a role in the organization.`,
  });
}
