import type { GivenFile } from '../../../../core/base/given-file.ts';
import { fail } from '../../base/errors.ts';
import { caseLimit, UnreadableResultFile } from '../../result-files/cases/reported-case.ts';
import type { UploadFile } from '../rows/upload-cases.ts';

interface ReadFiles {
  readonly files: readonly UploadFile[];
  /** Digest of the contents, independent of the order and the names of the files. */
  readonly digest: string;
}

/** Allure writes each result into its own file, and attempts are recognized only by comparison, so its files count as one. */
const oneByOne = 'allure';

/**
 * Reads all files before anything is written. Yields to other requests.
 * @throws Fault RESULT_FILE_UNREADABLE that names the file.
 */
export async function readFiles(given: readonly GivenFile[], signal: AbortSignal): Promise<ReadFiles> {
  const files: UploadFile[] = [];
  const parts: UploadFile[] = [];
  const digests: string[] = [];
  for (const file of given) {
    const hasher = new Bun.CryptoHasher('sha256');
    const read = await readOne({ ...file, chunks: () => hashed(file.chunks(), hasher) }, files, signal);
    digests.push(hasher.digest('hex'));
    (read.format === oneByOne ? parts : files).push({ name: file.name, read });
  }
  files.push(...(parts.length > 1 ? [await joined(parts, files, signal)] : parts));
  const all = new Bun.CryptoHasher('sha256').update(digests.toSorted().join());
  return { files, digest: all.digest('hex').slice(0, 32) };
}

/** The limit on cases applies to all files of an upload together. @param before the files read so far. */
const casesLeft = (before: readonly UploadFile[]): number =>
  before.reduce((sum, { read }) => sum - read.count, caseLimit);

async function readOne({ name, chunks }: GivenFile, before: readonly UploadFile[], signal: AbortSignal) {
  const options = { name, signal, caseLimit: casesLeft(before) };
  try {
    // The readers of all formats are loaded with the first file: an idle server needs none of them.
    const { readResultBatches } = await import('../../result-files/result-file.ts');
    return await readResultBatches(chunks(), options);
  } catch (error) {
    throw refused(error);
  }
}

async function joined(
  parts: readonly UploadFile[],
  before: readonly UploadFile[],
  signal: AbortSignal,
): Promise<UploadFile> {
  const name = `${parts.length} results of Allure`;
  try {
    const { joinedByHistory } = await import('../../result-files/history-join.ts');
    const reads = parts.map(({ read }) => read);
    const whole = await joinedByHistory(reads, { name, signal, caseLimit: casesLeft(before) });
    return { name, read: { format: oneByOne, ...whole } };
  } catch (error) {
    throw refused(error);
  }
}

const refused = (error: unknown): unknown =>
  error instanceof UnreadableResultFile
    ? fail.RESULT_FILE_UNREADABLE(error.message, { cause: 'files' })
    : error;

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hasher: Bun.CryptoHasher,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hasher.update(chunk);
    yield chunk;
  }
}
