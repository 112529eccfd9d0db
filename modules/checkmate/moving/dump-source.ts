import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../../core/base/errors.ts';
import type { ShowProgress } from '../../../core/module/command.ts';
import {
  checkmateTables,
  neededColumns,
  tableNames,
  type CheckmateTable,
  type TableName,
} from './checkmate-table.ts';
import { DumpFault } from './dump-lexer.ts';
import { DumpStatements } from './dump-statement.ts';
import { tableCalled, type Stage } from './stage.ts';

/** What a source tells besides its rows. */
export interface SourceNotes {
  readonly isUtc: boolean;
}

/** Bytes of an unpacked dump: a file that is a bomb would fill the disk. */
const largestDump = 64 * 1024 ** 3;

/**
 * Reads a dump of mysqldump, also one packed with gzip.
 * @throws UsageError that names the fault and the line.
 */
export async function stageDump(file: string, stage: Stage, show: ShowProgress): Promise<SourceNotes> {
  const { size, isPacked } = await examined(file);
  const found = new Map<TableName, ReadonlySet<string>>();
  const statements = new DumpStatements({
    wants: (table) => tableCalled(table) !== undefined,
    created: (table, columns) => {
      const name = tableCalled(table);
      if (name) found.set(name, new Set(columns));
    },
    row: (table, cells) => {
      const name = tableCalled(table);
      if (!name) return;
      if (!found.has(name)) found.set(name, new Set(cells.keys()));
      stage.add(name, Object.fromEntries(cells));
    },
  });
  const source = createReadStream(file);
  const stream = isPacked ? source.pipe(createGunzip()) : source;
  const decoder = new TextDecoder();
  let unpacked = 0;
  try {
    source.on('error', (error) => stream.destroy(error));
    for await (const bytes of stream as AsyncIterable<Uint8Array>) {
      unpacked += bytes.length;
      if (unpacked > largestDump) throw new DumpFault(`It has more than ${largestDump / 1024 ** 3} GiB.`);
      statements.push(decoder.decode(bytes, { stream: true }));
      show(source.bytesRead, size, 'read the dump');
    }
    statements.end();
    stage.close();
  } catch (error) {
    throw new UsageError(`--dump ${file} cannot be read. ${faultOf(error)} Nothing was imported.`);
  } finally {
    source.destroy();
  }
  requireTables(found, `--dump ${file}`);
  return { isUtc: statements.isUtc };
}

/** @throws UsageError for a file that is none of mysqldump. */
async function examined(file: string): Promise<{ readonly size: number; readonly isPacked: boolean }> {
  try {
    const { size } = await stat(file);
    const handle = await open(file);
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0).finally(() => handle.close());
    if ((buffer[0] === 0xff && buffer[1] === 0xfe) || (buffer[0] === 0xfe && buffer[1] === 0xff))
      throw new UsageError(
        `--dump ${file} is UTF-16, as PowerShell writes with ">". Dump with mysqldump --result-file=FILE.`,
      );
    return { size, isPacked: buffer[0] === 0x1f && buffer[1] === 0x8b };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `--dump ${file} cannot be read: ${error instanceof Error ? error.message : 'unknown'}.`,
    );
  }
}

function faultOf(error: unknown): string {
  if (error instanceof DumpFault) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code.startsWith('Z_') || code.startsWith('ERR_'))
    return 'It is packed with gzip, and damaged or cut off.';
  return error instanceof Error ? `${error.message}.` : 'It failed.';
}

/** @throws UsageError when this is no database of Checkmate. */
export function requireTables(found: ReadonlyMap<TableName, ReadonlySet<string>>, source: string): void {
  for (const name of tableNames) {
    const { isOptional }: CheckmateTable = checkmateTables[name];
    const columns = found.get(name);
    // A dump without CREATE TABLE says nothing of a table without rows.
    if (!columns && (isOptional || found.size > 0) && name !== 'projects') continue;
    const lacking = columns ? neededColumns(name).filter((column) => !columns.has(column)) : [];
    if (columns && lacking.length === 0) continue;
    throw new UsageError(
      `${source} is no database of Checkmate: ${columns ? `column "${lacking.join('", "')}" of ` : ''}table "${name}" is missing. Nothing was imported.`,
    );
  }
}
