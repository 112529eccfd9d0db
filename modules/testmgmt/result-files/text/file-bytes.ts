import { FileFault } from './file-fault.ts';

/** The most bytes of a file after decompression. */
export const defaultBytesLimit = 1_073_741_824;

/** The parsers work in steps of this size: 0.3 ms, and 5 ms for the worst content (`<testcase/>` repeated). */
const stepBytes = 16_384;

/**
 * The bytes of a file in small chunks, decompressed if they are gzip.
 * @throws FileFault for a truncated or damaged gzip, or more bytes than `limit`.
 */
export async function* unpackedBytes(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const head = await firstBytes(source);
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    const rest = { [Symbol.asyncIterator]: () => source };
    let size = 0;
    for await (const chunk of isGzip ? unpacked(head, rest) : joined(head, rest)) {
      size += chunk.length;
      if (size > limit) {
        throw new FileFault(
          `It has more than ${limit} bytes${isGzip ? ' when unpacked' : ''}. Upload it in parts.`,
        );
      }
      for (let at = 0; at < chunk.length; at += stepBytes) yield chunk.subarray(at, at + stepBytes);
    }
  } finally {
    await source.return?.();
  }
}

async function firstBytes(source: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < 4) {
    const next = await source.next();
    if (next.done) break;
    const longer = new Uint8Array(head.length + next.value.length);
    longer.set(head);
    longer.set(next.value, head.length);
    head = longer;
  }
  return head;
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* rest;
}

async function* unpacked(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const failed: { source?: unknown } = {};
  const packed = streamOf(joined(head, rest), failed);
  try {
    yield* packed.pipeThrough(new DecompressionStream('gzip'));
  } catch (error) {
    if ('source' in failed) throw failed.source;
    // A damaged file and a truncated one both raise a TypeError or an error with a code Z_….
    if (!(error instanceof TypeError) && !codeOf(error).startsWith('Z_')) throw error;
    throw new FileFault('Its gzip data is broken or was cut off. Compress and upload it again.');
  }
}

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Requests the next chunk only when the last one was taken, and records an error of the source. */
const streamOf = (chunks: AsyncGenerator<Uint8Array>, failed: { source?: unknown }) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(new Uint8Array(next.value));
      } catch (error) {
        failed.source = error;
        throw error;
      }
    },
  });
