import { inTurns, nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { CaseList } from './cases/case-list.ts';
import { defaultBytesLimit, unpackedBytes } from './text/file-bytes.ts';
import { FileFault } from './text/file-fault.ts';
import { readerOf } from './file-format.ts';
import { decodedText } from './text/file-text.ts';
import {
  caseLimit,
  UnreadableResultFile,
  type ReadResultFile,
  type ReportedCase,
} from './cases/reported-case.ts';

export interface ReadOptions {
  /** The name of the file, for messages. The format is determined by its content. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly caseLimit?: number;
  /** The limit after decompression. */
  readonly bytesLimit?: number;
}

/** A file that was read, whose cases become objects only when they are taken: otherwise a file of 200 MB takes 300 MB. */
export interface ReadResultBatches extends Omit<ReadResultFile, 'cases'> {
  readonly count: number;
  /** The cases in batches of a few hundred; taking one costs about a millisecond. */
  batches(): Iterable<readonly ReportedCase[]>;
}

/**
 * Reads one result file. Yields to other requests.
 * @throws UnreadableResultFile
 */
export async function readResultFile(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
): Promise<ReadResultFile> {
  const { format, warnings, batches } = await readResultBatches(chunks, options);
  const cases: ReportedCase[] = [];
  for (const batch of batches()) {
    for (const one of batch) cases.push(one);
    if (turnIsOver()) await nextTurn(options.signal);
  }
  return { format, cases, warnings };
}

/**
 * Like {@link readResultFile}, for files of any length.
 * @throws UnreadableResultFile
 */
export async function readResultBatches(
  chunks: AsyncIterable<Uint8Array>,
  { name, signal, caseLimit: cases = caseLimit, bytesLimit = defaultBytesLimit }: ReadOptions,
): Promise<ReadResultBatches> {
  const list = new CaseList(cases);
  const text = decodedText(unpackedBytes(chunks, bytesLimit));
  try {
    const { reader, whole } = await readerOf(text, list);
    for await (const piece of whole) {
      reader.write(piece);
      if (turnIsOver()) await nextTurn(signal);
    }
    await inTurns(reader.end(), signal);
    if (list.count === 0) list.warn('It contains no cases: the tool may have found no tests.');
    return {
      format: reader.format,
      warnings: list.warnings,
      count: list.count,
      batches: () => list.batches(),
    };
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    const place = error.place ? `, line ${error.place.line}, column ${error.place.column}` : '';
    throw new UnreadableResultFile(`${name}${place}: ${error.message}`);
  } finally {
    // Releases the source when the file was refused before its end.
    await text.return(undefined);
  }
}
