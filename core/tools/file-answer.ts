import { fail } from '../errors.ts';

/** Marks what is a file among what operations answer: no JSON value has a symbol. */
const file: unique symbol = Symbol('file');

/** What an operation answers when it is a file: it is made while it is read, so that a large one is never whole in memory. */
export interface FileAnswer {
  readonly [file]: true;
  readonly name: string;
  /** e.g. `text/csv; charset=utf-8`. One of JSON is the answer itself and not a file beside it. */
  readonly mediaType: string;
  /** The bytes, in pieces. Reading ends with an error when the file cannot be finished: what was read is no file then. */
  chunks(): AsyncIterable<Uint8Array>;
}

export const isFile = (answer: unknown): answer is FileAnswer =>
  typeof answer === 'object' && answer !== null && file in answer;

/** Pieces are gathered up to this size: each one on its way costs a write. */
const chunkBytes = 64 * 1024;

/** A file of pieces of text or bytes. */
export function fileAnswer(
  name: string,
  mediaType: string,
  pieces: () => AsyncIterable<string | Uint8Array>,
): FileAnswer {
  return { [file]: true, name, mediaType, chunks: () => gathered(pieces()) };
}

async function* gathered(pieces: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    waiting.push(bytes);
    size += bytes.byteLength;
    if (size < chunkBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/**
 * The whole file. Only for surfaces that cannot pass it on in pieces.
 * @param limit bytes; a larger file is not made to its end. None unless given.
 * @throws Fault ANSWER_TOO_LARGE.
 */
export async function bytesOf({ name, chunks }: FileAnswer, limit = Infinity): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks()) {
    size += chunk.byteLength;
    if (size > limit) {
      throw fail.ANSWER_TOO_LARGE(
        `${name} has more than ${limit / 2 ** 20} MiB, too much for one answer of MCP.`,
      );
    }
    all.push(chunk);
  }
  return Buffer.concat(all);
}

export const isText = ({ mediaType }: FileAnswer) => /^(text\/|application\/json)/.test(mediaType);

export const isJson = ({ mediaType }: FileAnswer) => mediaType.startsWith('application/json');
