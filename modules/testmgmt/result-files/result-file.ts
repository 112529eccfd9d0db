import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { CaseList } from './case-list.ts';
import { defaultBytesLimit, unpackedBytes } from './file-bytes.ts';
import { FileFault } from './file-fault.ts';
import { readerOf } from './file-format.ts';
import { decodedText } from './file-text.ts';
import { caseLimit, UnreadableResultFile, type ReadResultFile } from './reported-case.ts';

interface ReadOptions {
  /** Of the file, for messages. Its content decides what it is. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly caseLimit?: number;
  /** Unpacked. */
  readonly bytesLimit?: number;
}

/**
 * Reads one result file. Yields to other requests.
 * @throws UnreadableResultFile
 */
export async function readResultFile(
  chunks: AsyncIterable<Uint8Array>,
  { name, signal, caseLimit: cases = caseLimit, bytesLimit = defaultBytesLimit }: ReadOptions,
): Promise<ReadResultFile> {
  const list = new CaseList(cases);
  try {
    const text = decodedText(unpackedBytes(chunks, bytesLimit));
    const { reader, whole } = await readerOf(text, list);
    for await (const piece of whole) {
      reader.write(piece);
      if (turnIsOver()) await nextTurn(signal);
    }
    for (const _ of reader.end()) if (turnIsOver()) await nextTurn(signal);
    if (list.cases.length === 0) list.warn('It contains no cases: the tool may have found no tests.');
    return { format: reader.format, cases: list.cases, warnings: list.warnings };
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    const place = error.place ? `, line ${error.place.line}, column ${error.place.column}` : '';
    throw new UnreadableResultFile(`${name}${place}: ${error.message}`);
  }
}
