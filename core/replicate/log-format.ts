/*
 * The write-ahead log of SQLite (sqlite.org/fileformat2.html §4): a header of 32 bytes, then frames of 24 bytes and a page each. A frame
 * belongs to the log if it has the salt of the header and continues the running checksum; others are left from an earlier log.
 */
export const logHeaderBytes = 32;
export const frameHeaderBytes = 24;

/** The running checksum: two unsigned numbers of 32 bits. */
export type LogSum = readonly [number, number];

export interface LogHeader {
  /** Whether the checksums read words as big endian. Everything else in the file is big endian anyway. */
  readonly bigEndian: boolean;
  readonly pageSize: number;
  /** Counts the logs of this database: a new one has the next number. */
  readonly number: number;
  readonly salt: LogSum;
  /** The checksum with which the first frame begins. */
  readonly sum: LogSum;
}

interface Frame {
  readonly page: number;
  /** The pages of the database after this commit; 0 inside of a transaction. */
  readonly databasePages: number;
  readonly sum: LogSum;
}

const magicLittle = 0x377f0682;
const magicBig = 0x377f0683;
const formatVersion = 3_007_000;

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Reads the header of a log; undefined if it is empty, being written or damaged. */
export function readLogHeader(bytes: Uint8Array): LogHeader | undefined {
  if (bytes.length < logHeaderBytes) return undefined;
  const view = viewOf(bytes);
  const magic = view.getUint32(0);
  if ((magic !== magicLittle && magic !== magicBig) || view.getUint32(4) !== formatVersion) return undefined;
  const pageSize = view.getUint32(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return undefined;
  const bigEndian = magic === magicBig;
  const sum = addToSum([0, 0], bytes.subarray(0, 24), bigEndian);
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return undefined;
  return {
    bigEndian,
    pageSize,
    number: view.getUint32(12),
    salt: [view.getUint32(16), view.getUint32(20)],
    sum,
  };
}

/**
 * Reads the frame at the start of `bytes`.
 * @param before the checksum of the frame before, or that of the header.
 * @returns undefined if it does not belong to this log, or is not complete.
 */
export function readFrame(header: LogHeader, before: LogSum, bytes: Uint8Array): Frame | undefined {
  const { pageSize, salt, bigEndian } = header;
  if (bytes.length < frameHeaderBytes + pageSize) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(8) !== salt[0] || view.getUint32(12) !== salt[1]) return undefined;
  const begun = addToSum(before, bytes.subarray(0, 8), bigEndian);
  const sum = addToSum(begun, bytes.subarray(frameHeaderBytes, frameHeaderBytes + pageSize), bigEndian);
  const page = view.getUint32(0);
  if (page === 0 || sum[0] !== view.getUint32(16) || sum[1] !== view.getUint32(20)) return undefined;
  return { page, databasePages: view.getUint32(4), sum };
}

const isLittleMachine = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** Continues the checksum. @param bytes their number is a multiple of 8. */
export function addToSum([first, second]: LogSum, bytes: Uint8Array, bigEndian: boolean): LogSum {
  let [a, b] = [first | 0, second | 0];
  if (bytes.byteOffset % 4 === 0 && bigEndian !== isLittleMachine) {
    // The words as the machine reads them: 4 KiB take 2 µs instead of 20.
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let at = 0; at < words.length; at += 2) {
      a = (a + (words[at] ?? 0) + b) | 0;
      b = (b + (words[at + 1] ?? 0) + a) | 0;
    }
    return [a >>> 0, b >>> 0];
  }
  const view = viewOf(bytes);
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + view.getUint32(at, !bigEndian) + b) | 0;
    b = (b + view.getUint32(at + 4, !bigEndian) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
}

/** Where a frame begins in the file. @param number of the frame, from 1. */
export const frameOffset = (number: number, pageSize: number): number =>
  logHeaderBytes + (number - 1) * (frameHeaderBytes + pageSize);
