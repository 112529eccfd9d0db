import type { FileHead } from './tables/import-format.ts';
import { formatOfHead, importFormats, type ImportFormatName } from './import-formats.ts';
import { plainHeader } from './tables/table-fields.ts';
import { csvRows, InvalidCsv, separatorOf } from './text/csv.ts';
import { InvalidImport } from './text/described-test.ts';

/** A file as import-tests takes it. */
export interface ImportContent {
  readonly content: string;
  readonly format: ImportFormatName;
}

const headLength = 64 * 1024;
const formatsText = `${Object.values(importFormats)
  .map(({ title }) => title)
  .join(', ')}`;

/**
 * The content of a file, and its format unless it is given.
 * @throws InvalidImport for a file whose format or encoding nobody can tell.
 */
export function importContentOf(bytes: Uint8Array, format?: ImportFormatName): ImportContent {
  if (bytes.length === 0) throw new InvalidImport('It is empty.');
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (isZip || format === 'xlsx') {
    if (!isZip || (format !== undefined && format !== 'xlsx'))
      throw new InvalidImport(
        isZip
          ? `It is a ZIP archive, not ${format}. An .xlsx has the format xlsx.`
          : 'It is no XLSX workbook.',
      );
    return { content: base64Of(bytes), format: 'xlsx' };
  }
  const content = textOf(bytes);
  const found = format ?? formatOfHead(headOf(content));
  if (found === undefined)
    throw new InvalidImport(
      `It is in no format that is known here: ${formatsText}. Give the format if it is one of them.`,
    );
  return { content, format: found };
}

/** Also for a browser, which has no Buffer. */
function base64Of(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x6000)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return parts.join('');
}

/** UTF-8, or UTF-16 with a byte order mark. */
function textOf(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidImport(
      `It is not ${encoding.toUpperCase()}, so its letters would be lost. Save it as UTF-8 (in Excel: "CSV UTF-8") and import it again.`,
    );
  }
}

function headOf(content: string): FileHead {
  const text = content.slice(0, headLength);
  const start = text.trimStart();
  if (start.startsWith('<')) {
    const root =
      /<([A-Za-z_][\w.:-]{0,100})/.exec(start.replaceAll(/<!--[\s\S]{0,5000}?-->/g, ''))?.[1] ?? '';
    return { kind: 'xml', root, text };
  }
  if (start.startsWith('{') || start.startsWith('[')) return { kind: 'json', text };
  return { kind: 'table', header: new Set(headerOf(text).map(plainHeader)) };
}

function headerOf(text: string): readonly string[] {
  const limits = { columns: 1_000, cellLength: headLength, rows: 10 };
  try {
    for (const row of csvRows(text, limits, separatorOf(text))) if (row) return row.cells;
  } catch (error) {
    if (!(error instanceof InvalidCsv)) throw error;
  }
  return [];
}
