import { readResultFile } from '../result-file.ts';
import { UnreadableResultFile, type ReadResultFile } from '../cases/reported-case.ts';

/** The bytes in chunks of this size. */
export async function* chunksOf(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Reading {
  readonly chunk?: number;
  readonly caseLimit?: number;
  readonly bytesLimit?: number;
}

/** Reads a file with this content. */
export function readContent(
  content: string | Uint8Array,
  { chunk, ...limits }: Reading = {},
): Promise<ReadResultFile> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const { signal } = new AbortController();
  return readResultFile(chunksOf(bytes, chunk), { name: 'results', signal, ...limits });
}

/** The message with which a file is refused. */
export async function refusalOf(content: string | Uint8Array, reading?: Reading): Promise<string> {
  try {
    const { cases } = await readContent(content, reading);
    return `read ${cases.length} cases`;
  } catch (error) {
    if (error instanceof UnreadableResultFile) return error.message;
    throw error;
  }
}
