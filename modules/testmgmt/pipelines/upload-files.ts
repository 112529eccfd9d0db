import type { GivenFile } from '../../../core/given-file.ts';
import { fail } from '../errors.ts';
import { caseLimit, UnreadableResultFile } from '../result-files/reported-case.ts';
import { readResultBatches } from '../result-files/result-file.ts';
import type { UploadFile } from './upload-cases.ts';

export interface ReadFiles {
  readonly files: readonly UploadFile[];
  /** Of the contents, whatever the order and the names of the files. */
  readonly digest: string;
}

/**
 * Reads all files before anything is written. Yields to other requests.
 * @throws Fault RESULT_FILE_UNREADABLE that names the file.
 */
export async function readFiles(given: readonly GivenFile[], signal: AbortSignal): Promise<ReadFiles> {
  const files: UploadFile[] = [];
  const digests: string[] = [];
  let left = caseLimit;
  for (const { name, chunks } of given) {
    const hasher = new Bun.CryptoHasher('sha256');
    try {
      const read = await readResultBatches(hashed(chunks(), hasher), { name, signal, caseLimit: left });
      left -= read.count;
      files.push({ name, read });
      digests.push(hasher.digest('hex'));
    } catch (error) {
      if (!(error instanceof UnreadableResultFile)) throw error;
      throw fail.RESULT_FILE_UNREADABLE(error.message, { cause: 'files' });
    }
  }
  const all = new Bun.CryptoHasher('sha256').update(digests.toSorted().join());
  return { files, digest: all.digest('hex').slice(0, 32) };
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
