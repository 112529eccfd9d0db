import { fstatSync, statSync } from 'node:fs';
import { fail } from './errors.ts';
import { codeOf, isBrokenPipe } from './foreign-errors.ts';

/*
 * Only this file uses stdin, stdout and stderr (test/architecture.test.ts). stdout is for results, stderr for everything else. It uses
 * Bun's own streams, because process.stdout loads Node's streams, which adds 4 ms to a start (docs/decisions/start.md).
 */

type Sink = ReturnType<typeof Bun.stdout.writer>;

/**
 * Writes in the order of the calls. The flush can fail at once while the write still waits for the reader of a pipe: the write's own
 * failure comes later and must be handled, or it ends the process with a stack.
 */
async function putIn(sink: Sink, part: string | Uint8Array): Promise<void> {
  const written = Promise.resolve(sink.write(part));
  written.catch(() => {});
  await sink.flush();
  await written;
}

let stdoutSink: Sink | undefined;
let stderrSink: Sink | undefined;

/**
 * Writes a chunk of a result to stdout and waits until it is written: a pipe may accept only a part of it at once.
 * @returns whether to continue: false when the reader has closed the pipe, which is not a failure.
 * @throws Fault OUTPUT_FAILED, e.g. on a full disk.
 */
export async function writeAnswer(part: string | Uint8Array): Promise<boolean> {
  try {
    stdoutSink ??= Bun.stdout.writer();
    await putIn(stdoutSink, part);
    return true;
  } catch (error) {
    if (isBrokenPipe(error)) return false;
    throw fail.OUTPUT_FAILED(`The answer could not be written (${codeOf(error)}).`);
  }
}

/**
 * Writes to stderr without waiting: data that a pipe does not accept at once is written later, in order. A closed stream is not a failure:
 * a server must not stop because nobody reads its log.
 */
export function writeError(text: string): void {
  try {
    stderrSink ??= Bun.stderr.writer();
    putIn(stderrSink, text).catch(() => {});
  } catch {
    // The stream is closed or the disk is full: the failure cannot be reported anywhere.
  }
}

/**
 * Whether the stream is a terminal. Only a device can be one, so node:tty is loaded only for devices other than /dev/null, which scripts
 * use.
 */
export function isTerminal(stream: 'stdout' | 'stderr'): boolean {
  try {
    const file = fstatSync(stream === 'stdout' ? 1 : 2);
    if (!file.isCharacterDevice() || file.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev)
      return false;
  } catch {
    return false;
  }
  return (stream === 'stdout' ? process.stdout : process.stderr).isTTY === true;
}

/** The width of the terminal; for other streams that of a wide terminal. */
export const terminalWidth = (): number => (isTerminal('stdout') ? process.stdout.columns || 80 : 120);

/** The whole of stdin. */
export const readInput = (): Promise<string> => Bun.stdin.text();

/** The chunks of stdin as they arrive. */
export const inputStream = (): ReadableStream<Uint8Array> => Bun.stdin.stream();

/** For a protocol on stdout: a stray console.log of a dependency would break it, so the console writes to stderr. */
export function pointConsoleAtStderr(): void {
  const print = (...values: unknown[]) => writeError(`${values.map(String).join(' ')}\n`);
  for (const method of ['log', 'info', 'debug', 'warn', 'error'] as const) globalThis.console[method] = print;
}
