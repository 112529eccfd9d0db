/**
 * The lines of a stream, without their ends, until it ends or the signal aborts. An unterminated last line is dropped.
 * @param longest the maximum bytes of a line.
 * @throws LineTooLong: the rest of the stream is not read.
 */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  longest: number,
  until: AbortSignal,
): AsyncGenerator<string> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  if (until.aborted) stop();
  else until.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  /** The parts of an unfinished line. They are joined once, because joining at each part takes quadratic time. */
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { value: chunk, done } = await reader.read();
    if (done) return;
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)]);
      [parts, bytes, from] = [[], 0, at + 1];
      if (line.length > longest) {
        stop();
        throw new LineTooLong();
      }
      yield decoder.decode(line).replace(/\r$/, '');
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > longest) {
      stop();
      throw new LineTooLong();
    }
  }
}

/** A line that is longer than allowed. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

const newline = 10;
