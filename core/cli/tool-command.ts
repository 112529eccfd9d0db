import { systemClock } from '../clock.ts';
import { exit, fail, Fault } from '../errors.ts';
import { toolNamesOf } from '../kernel/module-loading.ts';
import type { ToolCommand } from '../module.ts';
import { inputStream, isTerminal, terminalWidth, writeError } from '../standard-streams.ts';
import { openExecutor, print, type Invocation } from './invocation.ts';
import { progressLine } from './progress-line.ts';
import { shown } from './terminal-text.ts';

/** Runs a command that works by tools, on a data directory or another server. @returns the exit code. */
export async function runToolCommand(
  invocation: Invocation,
  command: ToolCommand,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { config } = invocation;
  const progress = progressLine();
  const executor = await openExecutor(invocation, { mode: 'check', only: command.tools });
  try {
    const answer = await command.run({
      words: config.words,
      config,
      env,
      call: (tool, input, files = []) =>
        // Ctrl-C needs no handler: the database undoes what the tool has not committed.
        executor
          .call(tool, input, { signal: new AbortController().signal, files, progress: progress.show })
          .catch((error: unknown) => Promise.reject(withoutRight(error, tool, invocation))),
      terminalWidth: isTerminal('stdout') ? terminalWidth() : undefined,
      clock: systemClock,
      input: inputStream,
    });
    progress.end();
    if (answer.note !== undefined) writeError(shown(`${answer.note}\n`));
    await print(answer.text);
    return answer.failed ? exit.failed : exit.ok;
  } finally {
    progress.end();
    await executor.close();
  }
}

/** A server lists only the tools that a token may use. A command knows that its own exist. */
function withoutRight(error: unknown, tool: string, { modules }: Invocation): unknown {
  if (!(error instanceof Fault) || error.code !== 'UNKNOWN_TOOL') return error;
  const toolset = modules.flatMap(toolNamesOf).find(({ name }) => name === tool)?.toolset;
  return fail.FORBIDDEN(`This token may not use ${tool} there, or the server is of an earlier version.`, {
    tip: `Its scopes must include "${toolset}", and its user needs a role in the organization.`,
  });
}
