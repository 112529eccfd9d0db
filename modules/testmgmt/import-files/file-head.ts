import type { FileHead } from './tables/import-format.ts';
import { formatOfHead, importFormats, type ImportFormatName } from './import-formats.ts';
import { plainHeader } from './tables/table-fields.ts';
import { csvRows, InvalidCsv, separatorOf } from './text/csv.ts';
import { InvalidImport } from './text/described-test.ts';
import { isWorkbook } from './text/file-content.ts';

const headLength = 64 * 1024;

/**
 * The format of a file, by its content.
 * @throws InvalidImport if it is in none that is known here.
 */
export function formatOfContent(content: string): ImportFormatName {
  const head: FileHead = isWorkbook(content) ? { kind: 'zip' } : headOf(content);
  const found = formatOfHead(head);
  if (found !== undefined) return found;
  const titles = Object.values(importFormats).map(({ title }) => title);
  throw new InvalidImport(
    `It is in no format that is known here: ${titles.join(', ')}. Give the format if it is one of them.`,
  );
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
