/*
 * The rollback journal of SQLite (sqlite.org/fileformat2.html §3): a header that fills a sector, then records of a page number, the page
 * as it was, and a checksum. Whoever opens the database finds it and writes the pages back.
 */
const magic = Uint8Array.of(0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7);
const sectorBytes = 512;
/** The checksum adds each so many bytes, from the end. */
const step = 200;

/** The header of a journal. @param pages of the database before the change. */
export function journalHeader({
  records,
  nonce,
  pages,
  pageSize,
}: {
  readonly records: number;
  readonly nonce: number;
  readonly pages: number;
  readonly pageSize: number;
}): Uint8Array {
  const header = Buffer.alloc(sectorBytes);
  header.set(magic);
  header.writeUInt32BE(records, 8);
  header.writeUInt32BE(nonce >>> 0, 12);
  header.writeUInt32BE(pages, 16);
  header.writeUInt32BE(sectorBytes, 20);
  header.writeUInt32BE(pageSize, 24);
  return header;
}

/** The record of a page. */
export function journalRecord(number: number, page: Uint8Array, nonce: number): Uint8Array {
  const record = Buffer.alloc(page.length + 8);
  record.writeUInt32BE(number, 0);
  record.set(page, 4);
  let sum = nonce >>> 0;
  for (let at = page.length - step; at > 0; at -= step) sum = (sum + (page[at] ?? 0)) >>> 0;
  record.writeUInt32BE(sum, page.length + 4);
  return record;
}
