import { Database } from 'bun:sqlite';
import {
  closeSync,
  fsyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { databaseFile } from './data-directory.ts';
import { journalHeader, journalRecord } from './journal-format.ts';

interface NumberedPage {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** SQLite stores nothing in the page at this byte (sqlite.org/fileformat2.html §1.5). */
const lockByte = 0x4000_0000;

export const lockPageOf = (pageSize: number): number => lockByte / pageSize + 1;

/** The file header of SQLite (sqlite.org/fileformat2.html §1.3). */
const pageSizeAt = 16;
const writeVersionAt = 18;
const changeCounterAt = 24;
const pageCountAt = 28;
const validForAt = 92;
/** Readers and writers use a rollback journal. With a log this would be 2. */
const journalVersion = 1;

/** How long a change waits for readers, e.g. a backup. */
const readersMs = 10_000;

const numberAt = (bytes: Uint8Array, at: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32BE(at);

/** The first page of a database as a copy has it: without a log, and with a counter by which readers see that it has changed. */
function asCopy(page: Uint8Array, counter: number, pages: number): Uint8Array {
  const changed = Buffer.from(page);
  changed[writeVersionAt] = journalVersion;
  changed[writeVersionAt + 1] = journalVersion;
  changed.writeUInt32BE(counter >>> 0, changeCounterAt);
  changed.writeUInt32BE(counter >>> 0, validForAt);
  changed.writeUInt32BE(pages, pageCountAt);
  return changed;
}

/** Makes a restored database a copy, before anything opens it. */
export function prepareCopy(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const head = Buffer.alloc(512);
    readSync(file, head, 0, head.length, 0);
    const pageSize = pageSizeIn(head);
    const changed = asCopy(head, head.readUInt32BE(changeCounterAt) + 1, fstatSync(file).size / pageSize);
    writeSync(file, changed, 0, changed.length, 0);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Lets the database of a former standby have a log again, before a replicator opens it: its readers would keep the server from that.
 * Nothing in this process may have it open.
 */
export function giveLog(directory: string): void {
  const path = join(directory, databaseFile);
  const head = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, head, 0, head.length, 0);
  } finally {
    closeSync(file);
  }
  if (head[writeVersionAt] !== journalVersion) return;
  const client = new Database(path, { create: false, readwrite: true });
  try {
    client.run(`PRAGMA busy_timeout = ${readersMs}`);
    client.run('PRAGMA journal_mode = WAL');
  } finally {
    client.close();
  }
}

const pageSizeIn = (head: Buffer): number => {
  const raw = head.readUInt16BE(pageSizeAt);
  return raw === 1 ? 65_536 : raw;
};

/**
 * The database of a standby. Pages are written into the file itself while an exclusive lock of SQLite keeps readers away, and what they
 * replace is in a rollback journal first: whoever opens the file after a kill undoes what was not completed, as after a kill of SQLite.
 * Nothing is flushed while readers wait: after a loss of power the follower applies again what it had not noted as applied.
 */
export class CopyFile {
  readonly #path: string;
  readonly #client: Database;
  /** It is never closed: that would release the locks of the connection (sqlite.org/howtocorrupt.html §2.2). */
  readonly #file: number;
  readonly #pageSize: number;

  /** Called before each page is written: a test stops there. */
  onWrite: () => void = () => {};

  constructor(directory: string) {
    this.#path = join(directory, databaseFile);
    this.#client = new Database(this.#path, { create: false, readwrite: true });
    this.#client.run(`PRAGMA busy_timeout = ${readersMs}`);
    // Undoes what was left by a kill.
    this.#client.query('SELECT count(*) FROM sqlite_schema').get();
    this.#file = openSync(this.#path, 'r+');
    const head = Buffer.alloc(100);
    readSync(this.#file, head, 0, head.length, 0);
    this.#pageSize = pageSizeIn(head);
  }

  set busyMs(ms: number) {
    this.#client.run(`PRAGMA busy_timeout = ${ms}`);
  }

  get pageSize(): number {
    return this.#pageSize;
  }

  /**
   * Changes pages, all at once for every reader.
   * @param pages in any order, each number once; undefined for those that are the same in another file, see {@link replaceBy}.
   * @param databasePages the pages of the database afterwards.
   * @throws Error when readers do not leave, or the disk is full: then nothing has changed.
   */
  apply(pages: readonly NumberedPage[], databasePages: number): void {
    this.#change(
      pages.map(({ number }) => number),
      databasePages,
      (index) => pages[index]?.bytes,
    );
  }

  /** Makes the database that of another file, which nobody has open. Only pages that differ are written. */
  replaceBy(path: string): void {
    const other = openSync(path, 'r');
    try {
      const databasePages = fstatSync(other).size / this.#pageSize;
      const bytes = new Uint8Array(this.#pageSize);
      const pageOf = (number: number) => {
        readSync(other, bytes, 0, bytes.length, (number - 1) * this.#pageSize);
        return bytes;
      };
      const differing: number[] = [];
      for (let number = 1; number <= databasePages; number++)
        if (
          number !== lockPageOf(this.#pageSize) &&
          !Buffer.from(pageOf(number)).equals(this.#read(number) ?? empty)
        )
          differing.push(number);
      this.#change(differing, databasePages, (index) => pageOf(differing[index] ?? 1));
    } finally {
      closeSync(other);
    }
  }

  /** Waits until all of it is on the disk. */
  flush(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    this.#client.close();
  }

  #change(
    given: readonly number[],
    databasePages: number,
    pageOf: (index: number) => Uint8Array | undefined,
  ): void {
    this.#client.run('BEGIN EXCLUSIVE');
    try {
      const journal = `${this.#path}-journal`;
      const before = fstatSync(this.#file).size / this.#pageSize;
      // The first page has the counter.
      const replaced = new Set([1, ...given.filter((number) => number <= before)]);
      // Pages that a smaller database does not have any more.
      for (let number = databasePages + 1; number <= before; number++) replaced.add(number);
      try {
        this.#keep(journal, replaced, before);
      } catch (error) {
        rmSync(journal, { force: true });
        throw error;
      }
      // From here on an error leaves the journal, and the next reader undoes it.
      const first = given.indexOf(1);
      const head = (first < 0 ? undefined : pageOf(first)) ?? this.#read(1) ?? empty;
      const counter = numberAt(this.#read(1) ?? empty, changeCounterAt) + 1;
      this.#write(1, asCopy(head, counter, databasePages));
      for (const [index, number] of given.entries()) {
        const bytes = number === 1 || number > databasePages ? undefined : pageOf(index);
        if (bytes) this.#write(number, bytes);
      }
      ftruncateSync(this.#file, databasePages * this.#pageSize);
      rmSync(journal);
    } finally {
      this.#client.run('ROLLBACK');
    }
  }

  /** Writes the journal: the pages as they are. */
  #keep(path: string, numbers: ReadonlySet<number>, pages: number): void {
    const file = openSync(path, 'w', 0o600);
    try {
      const nonce = Math.floor(Math.random() * 0xffff_ffff);
      const kept = [...numbers].filter((number) => number <= pages && number !== lockPageOf(this.#pageSize));
      writeAll(file, journalHeader({ records: kept.length, nonce, pages, pageSize: this.#pageSize }), 0);
      let at = journalHeader({ records: 0, nonce, pages, pageSize: this.#pageSize }).length;
      for (const number of kept) {
        const record = journalRecord(number, this.#read(number) ?? empty, nonce);
        writeAll(file, record, at);
        at += record.length;
      }
    } finally {
      closeSync(file);
    }
  }

  /** A page of the file; undefined after its end. */
  #read(number: number): Uint8Array | undefined {
    const bytes = new Uint8Array(this.#pageSize);
    const count = readSync(this.#file, bytes, 0, bytes.length, (number - 1) * this.#pageSize);
    return count === bytes.length ? bytes : undefined;
  }

  #write(number: number, bytes: Uint8Array): void {
    this.onWrite();
    writeAll(this.#file, bytes, (number - 1) * this.#pageSize);
  }
}

const empty = new Uint8Array(0);

function writeAll(file: number, bytes: Uint8Array, offset: number): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
}
