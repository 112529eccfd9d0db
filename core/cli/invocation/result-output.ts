import { exit, UsageError } from '../../base/errors.ts';
import type { Config } from '../../settings/config.ts';
import { clientSettings, outputSettings } from '../../settings/settings.ts';
import { isTerminal, terminalWidth, writeAnswer } from '../../base/standard-streams.ts';
import { isFile, isJsonFile, isTextFile, type FileAnswer } from '../../tools/file-answer.ts';
import { print } from './invocation.ts';
import { recordsOf, tableOf } from './result-table.ts';
import { escapeJson, escapeControls } from './terminal-text.ts';

/**
 * Prints the result of a tool as `--output` says: a table on a terminal, JSON on one line otherwise.
 * @param columns the columns of a table; unless given, those that fit.
 * @param list the name of the list whose records are the lines of `ndjson`; unless given, the only list.
 * @returns the exit code.
 */
export async function printResult(
  data: unknown,
  config: Config,
  {
    columns,
    list,
  }: { readonly columns?: readonly string[] | undefined; readonly list?: string | undefined } = {},
): Promise<number> {
  if (isFile(data)) return printFile(data);
  const { json } = config.read(clientSettings);
  const { output = json || !isTerminal('stdout') ? 'json' : 'table' } = config.read(outputSettings);
  switch (output) {
    case 'table':
      return print(tableOf(data, { width: terminalWidth(), ...(columns ? { columns } : {}) }));
    case 'ndjson': {
      const lines = (recordsOf(data, list) ?? [data]).map((record) => `${escapeJson(record)}\n`);
      return print(lines.join(''));
    }
    default:
      return print(`${escapeJson(data, json || !isTerminal('stdout') ? undefined : 2)}\n`);
  }
}

async function printFile(file: FileAnswer): Promise<number> {
  if (isTerminal('stdout') && !isTextFile(file)) {
    throw new UsageError(`The result is a file (${file.mediaType}). Redirect it, e.g. > ${file.name}`);
  }
  const decoder = new TextDecoder();
  for await (const chunk of file.chunks()) {
    // Redirected output stays unchanged. Output to a terminal must not contain control sequences.
    const part = isTerminal('stdout') ? escapeControls(decoder.decode(chunk, { stream: true })) : chunk;
    if (!(await writeAnswer(part))) return exit.ok;
  }
  return isJsonFile(file) ? print('\n') : exit.ok;
}
