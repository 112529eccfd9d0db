/** Rows of one page: a restored database is compared with the one before it page by page. */
export const restoredAtOnce = 500;

/** The maximum number of each kind to list. */
const named = 50;

/** What a restored database allows, and the one that it replaced did not any more: the first ones, and how many there are. */
export interface Back<T> {
  readonly first: readonly T[];
  readonly count: number;
}

export const backOf = <T>(all: readonly T[]): Back<T> => ({ first: all.slice(0, named), count: all.length });

/** Compares two databases page by page. @param cameBack what of a page is back; `ids` are those of its rows. */
export async function backInPages<Id, Row, Found>(
  after: Id,
  read: (after: Id) => Promise<readonly Row[]>,
  idOf: (row: Row) => Id,
  cameBack: (ids: readonly Id[], page: readonly Row[]) => Promise<readonly Found[]>,
): Promise<Back<Found>> {
  const back: Found[] = [];
  for (let last = after; ;) {
    const page = await read(last);
    const ids = page.map(idOf);
    back.push(...(await cameBack(ids, page)));
    const next = ids.at(-1);
    if (next === undefined || page.length < restoredAtOnce) return backOf(back);
    last = next;
  }
}
