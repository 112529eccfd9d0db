import { FileFault } from './file-fault.ts';

/** Bytes in which the encoding is detected; an XML declaration that names an encoding is at the start. */
const headBytes = 1_024;

/**
 * The text of a file in small chunks. The encoding is taken from the byte order mark or the XML declaration, and is UTF-8 otherwise.
 * Invalid bytes become U+FFFD: tools write whatever the tested program printed.
 * @throws FileFault for an empty file, one that is not text, and an unknown encoding.
 */
export async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let head = new Uint8Array();
  const waiting: Uint8Array[] = [];
  function* begin(): Generator<string> {
    const begun = new TextDecoder(encodingOf(head) as Bun.Encoding);
    decoder = begun;
    for (const chunk of waiting.splice(0)) yield begun.decode(chunk, { stream: true });
  }
  for await (const chunk of chunks) {
    if (decoder) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    const longer = new Uint8Array(head.length + chunk.length);
    longer.set(head);
    longer.set(chunk, head.length);
    head = longer;
    waiting.push(chunk);
    if (head.length >= headBytes) yield* begin();
  }
  if (!decoder) yield* begin();
  const rest = decoder?.decode() ?? '';
  if (rest) yield rest;
}

const kinds: ReadonlyArray<readonly [kind: string, bytes: readonly number[]]> = [
  ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04]],
  ['a PDF document', [0x25, 0x50, 0x44, 0x46]],
  ['a PNG image', [0x89, 0x50, 0x4e, 0x47]],
  ['a zstd archive', [0x28, 0xb5, 0x2f, 0xfd]],
  ['an XZ archive', [0xfd, 0x37, 0x7a, 0x58]],
  ['an executable', [0x7f, 0x45, 0x4c, 0x46]],
  ['an SQLite database', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
];

function encodingOf(head: Uint8Array): string {
  if (head.length === 0) throw new FileFault('It is empty. The tool wrote no report: see what it printed.');
  const starts = (...bytes: readonly number[]) => bytes.every((byte, index) => head[index] === byte);
  for (const [kind, bytes] of kinds) {
    if (starts(...bytes))
      throw new FileFault(`It is ${kind}, not a report. Upload the files that are in it, or gzip them.`);
  }
  if (starts(0xef, 0xbb, 0xbf)) return 'utf-8';
  if (starts(0xff, 0xfe)) return 'utf-16le';
  if (starts(0xfe, 0xff)) return 'utf-16be';
  // XML 1.0 appendix F: UTF-16 without a byte order mark.
  if (starts(0x3c, 0) && head[2] !== 0) return 'utf-16le';
  if (starts(0, 0x3c, 0)) return 'utf-16be';
  const ascii = new TextDecoder('latin1').decode(head.subarray(0, headBytes));
  if (/^\0*[^\0]{0,20}\0/.test(ascii)) throw new FileFault('It is a binary file, not a report.');
  const declared = /^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(ascii)?.[1];
  // A file whose head is ASCII is not UTF-16, whatever it declares: .NET writes that declaration from strings.
  if (declared === undefined || /^(?:utf-?16|ucs-?2)/i.test(declared)) return 'utf-8';
  try {
    return new TextDecoder(declared as Bun.Encoding).encoding;
  } catch {
    throw new FileFault(`Its encoding "${declared}" is unknown. Write the report in UTF-8.`);
  }
}
