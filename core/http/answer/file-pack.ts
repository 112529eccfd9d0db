import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/*
 * Files that the executable serves, as one file of it: the executable reads the list of its files at each start, and a hundred more made
 * `--version` a fifth slower (measured). Each is stored compressed as well, so a server compresses nothing.
 */

/** A file to be packed. */
export interface PackedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file as a client gets it. */
export interface SentFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly encoding: 'br' | 'gzip' | null;
}

export interface FilePack {
  /** What the packer added, e.g. a page. */
  readonly about: string;
  /** @returns undefined for a name that no file has. */
  file(name: string, accepted: string): SentFile | undefined;
}

/** The offset and length of a file in a pack. */
type Place = readonly [from: number, length: number];

/** The beginning of a pack, as JSON. */
interface PackIndex {
  readonly about: string;
  readonly files: Readonly<
    Record<string, { readonly type: string; readonly plain: Place; readonly br: Place; readonly gzip: Place }>
  >;
}

/** The same files give the same bytes, in whatever order. */
export function packOf(files: readonly PackedFile[], about: string): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const place = (bytes: Uint8Array): Place => {
    parts.push(bytes);
    length += bytes.byteLength;
    return [length - bytes.byteLength, bytes.byteLength];
  };
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  const inOrder = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const stored = inOrder.map(({ name, type, bytes }) => {
    const places = {
      plain: place(bytes),
      br: place(brotliCompressSync(bytes, quality)),
      gzip: place(gzipSync(bytes, { level: 9 })),
    };
    return [name, { type, ...places }] as const;
  });
  const index: PackIndex = { about, files: Object.fromEntries(stored) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...parts]);
}

export function openedPack(pack: Uint8Array<ArrayBuffer>): FilePack {
  const start = pack.indexOf(10) + 1;
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(0, start))) as PackIndex;
  const bytesAt = ([from, length]: Place) => pack.subarray(start + from, start + from + length);
  return {
    about: index.about,
    file: (name, accepted) => {
      const found = Object.hasOwn(index.files, name) ? index.files[name] : undefined;
      if (!found) return undefined;
      const { type, plain, br, gzip } = found;
      if (/\bbr\b/.test(accepted)) return { type, body: bytesAt(br), encoding: 'br' };
      if (/\bgzip\b/.test(accepted)) return { type, body: bytesAt(gzip), encoding: 'gzip' };
      return { type, body: bytesAt(plain), encoding: null };
    },
  };
}
