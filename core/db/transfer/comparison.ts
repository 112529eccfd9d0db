import { rowKeyOf } from './page-statement.ts';
import type { TransferSource } from './place.ts';
import { contentSum, type TableContent } from './row-checksum.ts';
import type { TableDescription } from './table-description.ts';

/** One table on both sides. `lastId` is null for a table whose ids the database does not assign. */
interface ComparedTable extends TableContent {
  readonly table: string;
  readonly lastId: number | null;
  readonly equal: boolean;
}

/**
 * Reads all rows of both places and compares count, checksum and last id of each table. Returns the values of the source.
 * @param report gets the table and the number of rows read from the source so far.
 */
export async function compare(
  source: TransferSource,
  target: TransferSource,
  tables: readonly TableDescription[],
  report: (table: string, rows: number) => void,
): Promise<readonly ComparedTable[]> {
  const compared: ComparedTable[] = [];
  let rows = 0;
  for (const table of tables) {
    const [there, here] = await Promise.all([
      contentOf(source, table, (read) => report(table.name, (rows += read))),
      contentOf(target, table, () => {}),
    ]);
    const equal =
      there.rows === here.rows && there.checksum === here.checksum && there.lastId === here.lastId;
    compared.push({ table: table.name, ...there, equal });
  }
  return compared;
}

async function contentOf(place: TransferSource, table: TableDescription, read: (rows: number) => void) {
  const sum = contentSum();
  for (let page = await place.page(table, null); ;) {
    for (const row of page) sum.add(row);
    read(page.length);
    const last = page.at(-1);
    if (last === undefined) break;
    page = await place.page(table, rowKeyOf(table, last));
  }
  const lastId = table.identity === null ? null : await place.lastId(table);
  return { ...sum.content(), lastId };
}
