import { packTar } from 'modern-tar';

/** A file in an archive, or a folder if it has no bytes. */
export interface Entry {
  readonly path: string;
  readonly bytes?: Uint8Array;
  readonly mode: number;
  /** Owner and group; root by default. */
  readonly owner?: number;
  /** It is a symbolic link to this path. */
  readonly link?: string;
}

/** A TAR archive. The same entries give the same bytes: sorted, with one owner and one time. */
export async function tarOf(entries: readonly Entry[], time: Date): Promise<Uint8Array> {
  return packTar(
    ordered(entries).map(({ path, bytes, mode, owner = 0, link }) => {
      const common = { mtime: time, mode, uid: owner, gid: owner, uname: '', gname: '' };
      if (link !== undefined)
        return { header: { ...common, name: path, size: 0, type: 'symlink' as const, linkname: link } };
      if (!bytes) return { header: { ...common, name: `${path}/`, size: 0, type: 'directory' as const } };
      return { header: { ...common, name: path, size: bytes.length, type: 'file' as const }, body: bytes };
    }),
  );
}

const ordered = (entries: readonly Entry[]) => entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** Contains neither a time nor a name: the result depends only on the bytes and the version of Bun. */
export const gzip = (bytes: Uint8Array): Uint8Array => Bun.gzipSync(new Uint8Array(bytes), { level: 6 });

const localHeader = 0x04034b50;
const centralHeader = 0x02014b50;
const endOfCentral = 0x06054b50;
const deflated = 8;
/** Marked as made on Unix, so that the modes apply. */
const madeOnUnix = 0x0314;
const regularFile = 0o100000;

/** A ZIP archive of files of less than 4 GiB. */
export function zipOf(entries: readonly Entry[], time: Date): Uint8Array {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let at = 0;
  for (const { path, bytes = new Uint8Array(), mode } of ordered(entries)) {
    const name = new TextEncoder().encode(path);
    const data = Bun.deflateSync(new Uint8Array(bytes), { level: 6 });
    const described = [20, 0, deflated, ...dosTime(time)];
    const sizes = [Bun.hash.crc32(bytes), data.length, bytes.length];
    const head = struct([localHeader], described, sizes, [name.length, 0]);
    central.push(
      struct(
        [centralHeader],
        [madeOnUnix, ...described],
        sizes,
        [name.length, 0, 0, 0, 0],
        [((regularFile | mode) << 16) >>> 0, at],
      ),
      name,
    );
    parts.push(head, name, data);
    at += head.length + name.length + data.length;
  }
  const directory = central.reduce((sum, { length }) => sum + length, 0);
  const count = central.length / 2;
  const end = struct([endOfCentral], [0, 0, count, count], [directory, at], [0]);
  return Buffer.concat([...parts, ...central, end]);
}

/** Groups of little-endian numbers: four bytes each, then two, then four, and so on. */
function struct(...groups: ReadonlyArray<readonly number[]>): Uint8Array {
  const width = (group: number) => (group % 2 === 0 ? 4 : 2);
  const bytes = new Uint8Array(groups.reduce((sum, { length }, i) => sum + length * width(i), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [i, group] of groups.entries())
    for (const value of group) {
      if (width(i) === 4) view.setUint32(at, value, true);
      else view.setUint16(at, value, true);
      at += width(i);
    }
  return bytes;
}

/** Time and date in MS-DOS format: since 1980, in steps of two seconds. Always in UTC. */
const dosTime = (time: Date): readonly [number, number] => [
  (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
  ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
];
