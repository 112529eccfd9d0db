import { Type, type Static } from '@sinclair/typebox';
import { check, closedObject } from '../base/schema.ts';

/*
 * An object of a replica: one line that says what it is, then its content, compressed and, with recipients, encrypted. Its name has the
 * SHA-256 of all its bytes, so a torn or changed object is known by its name, and none ever replaces another.
 */

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0 });

/** How far the log has been read. */
const LogPosition = closedObject({
  /** The number and the salt of the log. */
  number: Count,
  salt: Type.Tuple([Count, Count]),
  /** Frames that were read. */
  frame: Count,
  /** The checksum of the last of them. */
  sum: Type.Tuple([Count, Count]),
});
export type LogPosition = Static<typeof LogPosition>;

const ObjectFace = closedObject({
  format: Type.Literal(1),
  /** `pages`: what transactions changed; `files`: the files next to the database; `part`: pages of a snapshot; `snapshot`: its parts. */
  kind: Type.Union([
    Type.Literal('pages'),
    Type.Literal('files'),
    Type.Literal('part'),
    Type.Literal('snapshot'),
  ]),
  /** The generation to which it belongs. */
  generation: Type.String({ pattern: '^[0-9TZ]{19}-[0-9a-f]{8}$' }),
  /** The position in the chain of its generation; of a snapshot that after which it was made, 0 for the beginning. */
  sequence: Count,
  /** Epoch milliseconds at which its content was read: everything in it had been committed. */
  at: Count,
  /** When the log had been read to its end the time before: everything in it was committed later. */
  since: Count,
  /** The SHA-256 of the object before it in the chain; zeros for the first. */
  previous: Digest,
  pageSize: Count,
  /** The pages of the database after it. */
  databasePages: Count,
  /** Whether a transaction ends with it. Only there a restore may stop. */
  ends: Type.Boolean(),
  /** Of `pages`: the position in the log after it. */
  log: Type.Optional(LogPosition),
  /** Of a `part`: its place in the snapshot, from 0, and its first page. */
  part: Type.Optional(Count),
  firstPage: Type.Optional(Count),
  /** Of a `snapshot`: the SHA-256 of its parts. */
  parts: Type.Optional(Type.Array(Digest)),
  encrypted: Type.Boolean(),
});
/** What an object says of itself. It is not secret, and the content repeats its digest. */
export type ObjectFace = Static<typeof ObjectFace>;

const magic = 'trivet-replica ';
/** A snapshot of 1 TiB has 65,536 parts of 16 MiB, at 67 bytes each. */
const longestFace = 8 * 1024 * 1024;

export const sha256 = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** The digest before the first object of a chain. */
export const noDigest = '0'.repeat(64);

/** The line of an object, as bytes. */
export const faceBytes = (face: ObjectFace): Uint8Array =>
  new TextEncoder().encode(`${magic}${JSON.stringify(face)}\n`);

/** Separates the line from the content; undefined if these bytes are no object of this format. */
export function readReplicaObject(
  bytes: Uint8Array,
): { readonly face: ObjectFace; readonly head: Uint8Array; readonly body: Uint8Array } | undefined {
  const end = bytes.subarray(0, longestFace).indexOf(10);
  if (end < 0) return undefined;
  const line = new TextDecoder().decode(bytes.subarray(0, end));
  if (!line.startsWith(magic)) return undefined;
  try {
    const checked = check(ObjectFace, JSON.parse(line.slice(magic.length)));
    if (!checked.ok) return undefined;
    return { face: checked.value, head: bytes.subarray(0, end + 1), body: bytes.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

/** One changed page. */
export interface Page {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/**
 * The content of an object: the digest of its line, then how many pages there are, their numbers, and the pages. The digest binds a content
 * that only recipients can read to what the object says of itself: nobody can move it to another place of the chain.
 */
export function packPages(head: Uint8Array, pages: readonly Page[]): Uint8Array<ArrayBuffer> {
  const pageSize = pages[0]?.bytes.length ?? 0;
  const packed = new Uint8Array(36 + pages.length * (4 + pageSize));
  packed.set(Buffer.from(sha256(head), 'hex'));
  const view = new DataView(packed.buffer);
  view.setUint32(32, pages.length);
  const from = 36 + pages.length * 4;
  for (const [index, { number, bytes }] of pages.entries()) {
    view.setUint32(36 + index * 4, number);
    packed.set(bytes, from + index * pageSize);
  }
  return packed;
}

/** The content of `files`: the digest, then JSON of their names and their bytes. */
export const packFiles = (head: Uint8Array, files: Readonly<Record<string, Uint8Array>>): Uint8Array =>
  Buffer.concat([
    Buffer.from(sha256(head), 'hex'),
    Buffer.from(
      JSON.stringify(
        Object.fromEntries(
          Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
        ),
      ),
    ),
  ]);

/** Whether a content belongs to the line of its object. */
export const isContentOf = (head: Uint8Array, content: Uint8Array): boolean =>
  content.length >= 32 && Buffer.from(content.subarray(0, 32)).toString('hex') === sha256(head);

/** The pages of a content, or undefined if it is not complete. They share its memory. */
export function unpackPages(content: Uint8Array, pageSize: number): readonly Page[] | undefined {
  if (content.length < 36) return undefined;
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const count = view.getUint32(32);
  const from = 36 + count * 4;
  if (content.length !== from + count * pageSize) return undefined;
  return Array.from({ length: count }, (_, index) => ({
    number: view.getUint32(36 + index * 4),
    bytes: content.subarray(from + index * pageSize, from + (index + 1) * pageSize),
  }));
}

/** The names and bytes of a content of `files`, or undefined if it is none. */
export function unpackFiles(content: Uint8Array): Readonly<Record<string, Uint8Array>> | undefined {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(content.subarray(32)));
    if (typeof read !== 'object' || read === null) return undefined;
    return Object.fromEntries(
      Object.entries(read).map(([name, text]) => [name, Buffer.from(String(text), 'base64')]),
    );
  } catch {
    return undefined;
  }
}
