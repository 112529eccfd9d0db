import { fail } from './errors.ts';
import { codeOf, isBrokenPipe } from './foreign-errors.ts';

/*
 * Only this file uses stdin, stdout and stderr (test/architecture.test.ts). stdout is for results, stderr for everything else.
 * Each stream is loaded at its first use (1 to 4 ms each, measured).
 */

/** A reader may close the stream early (`| head`). Without a listener the next write would end the process with a stack. */
function tolerant<S extends NodeJS.WriteStream>(stream: S): S {
  if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  return stream;
}

const stdout = () => tolerant(process.stdout);
const stderr = () => tolerant(process.stderr);

/**
 * Writes a chunk of a result to stdout and waits until it is written: a pipe may accept only a part of it at once.
 * @returns whether to go on: false when the reader has closed the pipe, which is no failure.
 * @throws Fault OUTPUT_FAILED, e.g. on a full disk.
 */
export async function writeAnswer(part: string | Uint8Array): Promise<boolean> {
  const failed = await new Promise<Error | null | undefined>((written) => stdout().write(part, written));
  if (!failed) return true;
  if (isBrokenPipe(failed)) return false;
  throw fail.OUTPUT_FAILED(`The answer could not be written (${codeOf(failed)}).`);
}

/** Writes to stderr. A closed stream is no failure: a server must not stop because nobody reads its log. */
export const writeError = (text: string): void => void stderr().write(text);

export const isTerminal = (stream: 'stdout' | 'stderr'): boolean =>
  (stream === 'stdout' ? process.stdout : process.stderr).isTTY;

/** Everything that is sent to stdin. */
export const readInput = (): Promise<string> => Bun.stdin.text();

/** The streams of a protocol on stdin and stdout. */
export const protocolStreams = () => ({ input: process.stdin, output: stdout() });

/** For a protocol on stdout: a stray console.log of a dependency would break it, so the console writes to stderr. */
export function pointConsoleAtStderr(): void {
  const print = (...values: unknown[]) => writeError(`${values.map(String).join(' ')}\n`);
  for (const method of ['log', 'info', 'debug', 'warn', 'error'] as const) globalThis.console[method] = print;
}
