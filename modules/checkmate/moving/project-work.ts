import type { Query } from '../../../core/db/query/db.ts';
import type { ImportedKind } from '../base/schema.ts';
import { importedIds, rememberImported } from './imported-store.ts';
import type { CheckmateRow } from './checkmate-table.ts';
import type { Note } from './moved-row.ts';
import type { Stage } from './stage.ts';

/** What is counted. */
export const countedKinds = [
  'users',
  'projects',
  'values',
  'sections',
  'squads',
  'labels',
  'tests',
  'runs',
  'runTests',
  'results',
] as const;
type CountedKind = (typeof countedKinds)[number];

interface KindCount {
  /** Stored by this import. */
  imported: number;
  /** Stored by an earlier one, or there by name. */
  known: number;
  /** Of the imported ones, those whose id was taken here. */
  otherId: number;
}
export type ImportCounts = Record<CountedKind, KindCount>;

export const noImportCounts = (): ImportCounts =>
  Object.fromEntries(
    countedKinds.map((kind) => [kind, { imported: 0, known: 0, otherId: 0 }]),
  ) as ImportCounts;

export function sumCounts(to: ImportCounts, more: ImportCounts): void {
  for (const kind of countedKinds)
    for (const what of ['imported', 'known', 'otherId'] as const) to[kind][what] += more[kind][what];
}

/** The import of one project, in a transaction. */
export interface ProjectWork {
  readonly q: Query;
  readonly stage: Stage;
  readonly source: string;
  readonly project: CheckmateRow<'projects'>;
  readonly orgId: number;
  /** Who imports: the author of what has no author. */
  readonly by: number;
  readonly now: number;
  /** Our users by their ids there. */
  readonly people: ReadonlyMap<number, number>;
  readonly note: Note;
  readonly counts: ImportCounts;
  readonly show: (what: string, done: number) => void;
}

/** Who wrote a row, and when. */
export function authorOf(
  { by, now, people }: ProjectWork,
  row: {
    readonly createdBy: number | null;
    readonly createdOn: number | null;
    readonly updatedBy: number | null;
    readonly updatedOn: number | null;
  },
) {
  const createdBy = people.get(row.createdBy ?? 0) ?? by;
  const createdAt = row.createdOn ?? row.updatedOn ?? now;
  return {
    createdBy,
    createdAt,
    updatedBy: people.get(row.updatedBy ?? 0) ?? createdBy,
    updatedAt: Math.max(row.updatedOn ?? createdAt, createdAt),
  };
}

/**
 * Stores those records of one kind that were not imported before, and remembers them.
 * @param store returns our id of each.
 * @returns our ids of all of them, by their ids there.
 */
export async function importOnce<R>(
  work: ProjectWork,
  { kind, counted }: { readonly kind: ImportedKind; readonly counted: CountedKind },
  rows: ReadonlyArray<{ readonly id: number; readonly row: R }>,
  store: (news: ReadonlyArray<{ readonly id: number; readonly row: R }>) => Promise<readonly number[]>,
): Promise<{ readonly ids: Map<number, number>; readonly news: ReadonlySet<number> }> {
  const { q, source, now: at } = work;
  const ids = await importedIds(
    q,
    source,
    kind,
    rows.map(({ id }) => id),
  );
  const count = work.counts[counted];
  count.known += ids.size;
  const news = rows.filter(({ id }) => !ids.has(id));
  if (news.length === 0) return { ids, news: new Set() };
  const stored = await store(news);
  const records = news.map(({ id }, index) => ({ foreignId: id, ourId: stored[index] ?? 0 }));
  await rememberImported(q, { source, kind, at }, records);
  for (const { foreignId, ourId } of records) {
    ids.set(foreignId, ourId);
    if (foreignId !== ourId) count.otherId++;
  }
  count.imported += records.length;
  return { ids, news: new Set(records.map(({ foreignId }) => foreignId)) };
}
