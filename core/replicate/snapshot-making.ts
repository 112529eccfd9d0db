import { readSync } from 'node:fs';
import { lockPageOf } from '../db/sqlite/copy-file.ts';
import { databaseDescriptor } from '../db/sqlite/database-descriptor.ts';
import { isLogOf, type OpenLog } from './log-reader.ts';
import type { LogPosition, Page } from './replica-object.ts';

/** A database at one position of its log. */
export interface Image {
  readonly pageSize: number;
  readonly databasePages: number;
  /** The position; undefined for an empty log. */
  readonly position: LogPosition | undefined;
  /** For each page in the log up to there, the frame with its newest bytes. */
  readonly frames: ReadonlyMap<number, number>;
}

/**
 * The pages of an image, from the database and its log, while others write. The caller holds a reader that began before the position was
 * read: nothing after its place is copied into the database, so a page of it is changed only if the log has a newer one.
 *
 * If the log was begun anew, our reader began when all of it was copied, so the database alone is the image, and does not change.
 * @throws Error for a page that is nowhere.
 */
export function readImage(
  directory: string,
  log: OpenLog,
  image: Image,
  first: number,
  count: number,
): readonly Page[] {
  const { pageSize, position, frames } = image;
  const read = (useLog: boolean) =>
    Array.from({ length: count }, (_, index): Page => {
      const number = first + index;
      const frame = useLog ? frames.get(number) : undefined;
      const bytes =
        frame === undefined ? pageOfDatabase(directory, number, pageSize) : log.page(frame, pageSize);
      return { number, bytes };
    });
  if (!position || frames.size === 0) return read(false);
  const isSame = () => {
    const head = log.header();
    return head !== undefined && isLogOf(head, position);
  };
  if (!isSame()) return read(false);
  const pages = read(true);
  return isSame() ? pages : read(false);
}

function pageOfDatabase(directory: string, number: number, pageSize: number): Uint8Array {
  const bytes = new Uint8Array(pageSize);
  const count = readSync(databaseDescriptor(directory), bytes, 0, pageSize, (number - 1) * pageSize);
  if (count !== pageSize && number !== lockPageOf(pageSize))
    throw new Error(`page ${number} is neither in the database nor in its log`);
  return bytes;
}
