import { fail } from './errors.ts';
import { isBrokenPipe, codeOf } from './foreign-errors.ts';

/*
 * The one owner of stdin, stdout and stderr (test/architecture.test.ts). stdout belongs to answers, stderr to everything else. Each
 * stream is loaded at its first use (1 to 4 ms each, measured).
 */

/** A stream whose reader may leave early (`| head`). Without a listener the next write would end the process with a stack. */
function tolerant<S extends NodeJS.WriteStream>(stream: S): S {
  if (stream.listenerCount('error') === 0) stream.on('error', () => {});
  return stream;
}

const stdout = () => tolerant(process.stdout);
const stderr = () => tolerant(process.stderr);

/**
 * Writes a part of an answer to stdout and waits until it has left: a pipe may take only a part of it at once.
 * @returns whether more is wanted: a reader that has seen enough closes the pipe, which is no failure.
 * @throws Fault OUTPUT_FAILED, e.g. on a full disk.
 */
export async function writeAnswer(part: string | Uint8Array): Promise<boolean> {
  const failed = await new Promise<Error | null | undefined>((written) => stdout().write(part, written));
  if (!failed) return true;
  if (isBrokenPipe(failed)) return false;
  throw fail.OUTPUT_FAILED(`The answer could not be written (${codeOf(failed)}).`);
}

/** Writes to stderr. A reader that has gone is no failure: a log that nobody reads is no reason to stop. */
export const writeError = (text: string): void => void stderr().write(text);

/** Whether a person looks at the stream. */
export const isTerminal = (stream: 'stdout' | 'stderr'): boolean =>
  (stream === 'stdout' ? process.stdout : process.stderr).isTTY;

/** Everything that is sent to stdin. */
export const readInput = (): Promise<string> => Bun.stdin.text();

/** Both ends of a protocol that is spoken on stdin and stdout. */
export const protocolStreams = () => ({ input: process.stdin, output: stdout() });

/** stdout carries a protocol: a stray console.log of any dependency would break it, so the console is pointed at stderr. */
export function pointConsoleAtStderr(): void {
  const print = (...values: unknown[]) => writeError(`${values.map(String).join(' ')}\n`);
  for (const method of ['log', 'info', 'debug', 'warn', 'error'] as const) globalThis.console[method] = print;
}
