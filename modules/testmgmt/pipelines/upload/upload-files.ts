import type { GivenFile } from '../../../../core/base/given-file.ts';
import { fail } from '../../base/errors.ts';
import { caseLimit, UnreadableResultFile } from '../../result-files/cases/reported-case.ts';
import type { UploadFile } from '../rows/upload-cases.ts';

export interface ReadFiles {
  readonly files: readonly UploadFile[];
  /** Digest of the contents, independent of the order and the names of the files. */
  readonly digest: string;
}

/** Allure writes each result into its own file, and attempts are recognized only by comparison, so its files are read as one. */
const oneByOne = 'allure';

/**
 * Reads all files before anything is written. Yields to other requests.
 * @throws Fault RESULT_FILE_UNREADABLE that names the file.
 */
export async function readFiles(given: readonly GivenFile[], signal: AbortSignal): Promise<ReadFiles> {
  const files: UploadFile[] = [];
  const parts: Array<{ readonly file: GivenFile; readonly read: UploadFile['read'] }> = [];
  const digests: string[] = [];
  for (const file of given) {
    const hasher = new Bun.CryptoHasher('sha256');
    const read = await readOne({ ...file, chunks: () => hashed(file.chunks(), hasher) }, files, signal);
    digests.push(hasher.digest('hex'));
    if (read.format === oneByOne) parts.push({ file, read });
    else files.push({ name: file.name, read });
  }
  const [only, ...more] = parts;
  if (only && more.length === 0) files.push({ name: only.file.name, read: only.read });
  else if (only) {
    const name = `${parts.length} results of Allure`;
    const whole = { name, chunks: () => joined(parts.map(({ file }) => file)) };
    files.push({ name, read: await readOne(whole, files, signal) });
  }
  const all = new Bun.CryptoHasher('sha256').update(digests.toSorted().join());
  return { files, digest: all.digest('hex').slice(0, 32) };
}

/** @param before the files read so far: the limit on cases applies to all files of an upload together. */
async function readOne({ name, chunks }: GivenFile, before: readonly UploadFile[], signal: AbortSignal) {
  const left = before.reduce((sum, { read }) => sum - read.count, caseLimit);
  try {
    // The readers of all formats are loaded with the first file: an idle server needs none of them.
    const { readResultBatches } = await import('../../result-files/result-file.ts');
    return await readResultBatches(chunks(), { name, signal, caseLimit: left });
  } catch (error) {
    if (!(error instanceof UnreadableResultFile)) throw error;
    throw fail.RESULT_FILE_UNREADABLE(error.message, { cause: 'files' });
  }
}

/** Several files as one text in UTF-8: each may be packed, and in its own encoding. */
async function* joined(files: readonly GivenFile[]): AsyncGenerator<Uint8Array> {
  const { textOfFile } = await import('../../result-files/result-file.ts');
  const encoder = new TextEncoder();
  for (const { chunks } of files) {
    for await (const piece of textOfFile(chunks())) yield encoder.encode(piece);
    yield encoder.encode('\n');
  }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hasher: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hasher.update(chunk);
    yield chunk;
  }
}
