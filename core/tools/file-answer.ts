import { fail } from '../base/errors.ts';

/** Marks a file among the results of operations: no JSON value has a symbol. */
const file: unique symbol = Symbol('file');

/** A file as the result of an operation. It is created while it is read, so that a large one is never completely in memory. */
export interface FileAnswer {
  readonly [file]: true;
  readonly name: string;
  /** e.g. `text/csv; charset=utf-8`. A file of JSON is sent as the result itself. */
  readonly mediaType: string;
  /** What is known of a stored file. */
  readonly stored?: StoredFile;
  /** For a file of a part of a list, which cannot say so itself as a page does. */
  readonly part?: ListPart;
  /** The bytes in chunks. Throws when the file cannot be completed: the earlier chunks are then not a valid file. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** Which part of a list a file has: how many rows there are, and the offset of what follows; absent when nothing is left. */
export interface ListPart {
  readonly total: number;
  readonly nextOffset?: number;
}

/** A file that is stored, so that a part of it can be read. */
export interface StoredFile {
  /** Bytes. */
  readonly size: number;
  /** A strong validator (RFC 9110 §8.8.3), e.g. the digest of the content. */
  readonly etag: string;
  /** Whether a browser may show it: an image whose content is what its media type says. */
  readonly isImage: boolean;
  /** The bytes from `from` on, without those from `to` on. */
  readonly part: (from: number, to: number) => AsyncIterable<Uint8Array>;
}

export const isFile = (answer: unknown): answer is FileAnswer =>
  typeof answer === 'object' && answer !== null && file in answer;

/** Pieces are joined up to this size: each chunk costs a write. */
const chunkBytes = 64 * 1024;

export function fileAnswer(
  name: string,
  mediaType: string,
  pieces: () => AsyncIterable<string | Uint8Array>,
  part?: ListPart,
): FileAnswer {
  return { [file]: true, name, mediaType, ...(part && { part }), chunks: () => gathered(pieces()) };
}

export const storedFileAnswer = (name: string, mediaType: string, stored: StoredFile): FileAnswer => ({
  [file]: true,
  name,
  mediaType,
  stored,
  chunks: () => stored.part(0, stored.size),
});

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
 * The whole file, for a surface that cannot stream it.
 * @param limit bytes; a larger file is not read to its end.
 * @throws Fault ANSWER_TOO_LARGE.
 */
export async function bytesOf({ name, chunks }: FileAnswer, limit = Infinity): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks()) {
    size += chunk.byteLength;
    if (size > limit) {
      throw fail.ANSWER_TOO_LARGE(
        `${name} has more than ${limit / 2 ** 20} MiB, too much for one result of MCP.`,
      );
    }
    all.push(chunk);
  }
  return Buffer.concat(all);
}

export const isTextFile = ({ mediaType }: FileAnswer) => /^(text\/|application\/json)/.test(mediaType);

export const isJsonFile = ({ mediaType }: FileAnswer) => mediaType.startsWith('application/json');

const totalHeader = 'Trivet-Total';
const nextHeader = 'Trivet-Next-Offset';

/** The headers that say which part of a list the file of a response has. */
export const headersOfPart = ({ total, nextOffset }: ListPart): Record<string, string> => ({
  [totalHeader]: String(total),
  ...(nextOffset === undefined ? {} : { [nextHeader]: String(nextOffset) }),
});

/** What {@link headersOfPart} wrote; undefined for a whole file. */
export function partOfHeaders(headers: Headers): ListPart | undefined {
  const numberIn = (name: string) => {
    const text = headers.get(name);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const [total, nextOffset] = [numberIn(totalHeader), numberIn(nextHeader)];
  return total === undefined ? undefined : { total, ...(nextOffset === undefined ? {} : { nextOffset }) };
}
