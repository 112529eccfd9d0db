import { and, desc, eq, gte, inArray, lt, type SQL } from 'drizzle-orm';
import { amongSelected, inValues } from '../../../core/db/query/columns.ts';
import { rowsInOrder, type Page } from '../../../core/db/query/counted-page.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { audit, auditRecords } from '../base/schema.ts';

/** A write as stored in its audit entry. */
export type Write = typeof audit.$inferSelect;

/** A write whose rows are marked by its write id. */
export type MarkedWrite = Pick<Write, 'id' | 'operation' | 'ids' | 'client'>;

/** Which writes are wanted; all conditions hold together. */
export interface WantedWrites {
  /** Only writes in these projects: those that the caller may see. */
  readonly projectIds: readonly number[];
  readonly runId?: number;
  /** Only writes that changed this record. */
  readonly record?: { readonly kind: string; readonly id: number };
  readonly userId?: number;
  /** Epoch ms: only writes at this time or later. */
  readonly since?: number;
}

/** The source of entry ids in descending order, which an index provides. */
interface Source {
  readonly table: typeof audit | typeof auditRecords;
  readonly id: typeof audit.id | typeof auditRecords.auditId;
  readonly where: SQL | undefined;
}

/** The maximum entries that one step examines: a few milliseconds. */
const stepSize = 5_000;

/** The maximum entries of single projects that are read and sorted for one page. Beyond that the whole log is scanned. */
const mostMerged = 20_000;

/**
 * One page of the writes in projects, the newest first, and whether more follow. Any filter uses an index, and the page is read in steps
 * that yield to other requests: the log has millions of entries, which are not counted.
 */
export async function pageOfWrites(
  q: Query,
  wanted: WantedWrites,
  { limit, offset }: Page,
  signal: AbortSignal,
): Promise<{ readonly rows: readonly Write[]; readonly more: boolean }> {
  const ids = await idsOfWrites(q, wanted, { offset, wantedRows: limit + 1 }, signal);
  const shown = ids.slice(0, limit);
  const rows = await q.select().from(audit).where(inValues(audit.id, shown));
  return { rows: rowsInOrder(shown, rows, 'id'), more: ids.length > limit };
}

interface Wish {
  readonly offset: number;
  readonly wantedRows: number;
}

async function idsOfWrites(q: Query, wanted: WantedWrites, wish: Wish, signal: AbortSignal) {
  const { projectIds, record, runId, userId } = wanted;
  const driven = record !== undefined || runId !== undefined || userId !== undefined;
  const perProject = wish.offset + wish.wantedRows;
  if (driven || projectIds.length === 1 || projectIds.length * perProject > mostMerged)
    return idsInSteps(q, sourceOf(wanted), wanted, wish, signal);
  const found: number[] = [];
  for (const projectId of projectIds) {
    const one = { ...wanted, projectIds: [projectId] };
    const newest = { offset: 0, wantedRows: perProject };
    for (const id of await idsInSteps(q, sourceOf(one), one, newest, signal)) found.push(id);
  }
  return found.toSorted((a, b) => b - a).slice(wish.offset, perProject);
}

/** The index that leaves the fewest entries. */
function sourceOf({ record, runId, projectIds, userId }: WantedWrites): Source {
  if (record)
    return {
      table: auditRecords,
      id: auditRecords.auditId,
      where: and(eq(auditRecords.kind, record.kind), eq(auditRecords.recordId, record.id)),
    };
  const [only, ...others] = projectIds;
  if (runId !== undefined) return { table: audit, id: audit.id, where: eq(audit.runId, runId) };
  if (only !== undefined && others.length === 0)
    return { table: audit, id: audit.id, where: eq(audit.projectId, only) };
  if (userId !== undefined) return { table: audit, id: audit.id, where: eq(audit.userId, userId) };
  return { table: audit, id: audit.id, where: undefined };
}

async function idsInSteps(
  q: Query,
  source: Source,
  wanted: WantedWrites,
  { offset, wantedRows }: Wish,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const ids: number[] = [];
  let skipped = 0;
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const [last] = await q
      .select({ id: source.id })
      .from(source.table as typeof audit)
      .where(and(source.where, lt(source.id, below)))
      .orderBy(desc(source.id))
      .limit(1)
      .offset(stepSize - 1);
    const from = last?.id ?? 0;
    const rows = await q
      .select({ id: audit.id })
      .from(audit)
      .where(isWanted(q, source, wanted, [from, below]))
      .orderBy(desc(audit.id))
      .limit(offset - skipped + wantedRows - ids.length);
    for (const { id } of rows) {
      if (skipped < offset) skipped++;
      else ids.push(id);
    }
    if (!last || ids.length >= wantedRows || (await isTooOld(q, from, wanted))) return ids;
    below = from;
    if (turnIsOver()) await nextTurn(signal);
  }
}

function isWanted(q: Query, source: Source, wanted: WantedWrites, [from, below]: readonly [number, number]) {
  const { projectIds, runId, userId, since } = wanted;
  const here = and(gte(source.id, from), lt(source.id, below));
  const found =
    source.table === audit
      ? and(source.where, here)
      : amongSelected(
          audit.id,
          q.select({ id: auditRecords.auditId }).from(auditRecords).where(and(source.where, here)),
        );
  return and(
    found,
    inValues(audit.projectId, projectIds),
    runId === undefined ? undefined : eq(audit.runId, runId),
    userId === undefined ? undefined : eq(audit.userId, userId),
    since === undefined ? undefined : gte(audit.at, since),
  );
}

/** Whether all earlier entries are too old: ids grow with time. */
async function isTooOld(q: Query, id: number, { since }: WantedWrites): Promise<boolean> {
  if (since === undefined) return false;
  const [entry] = await q
    .select({ at: audit.at })
    .from(audit)
    .where(inArray(audit.id, [id]));
  return entry !== undefined && entry.at < since;
}

/** The entry of a write with its id, or null. Entries of other events are no writes. */
export async function writeById(q: Query, id: number): Promise<Write | null> {
  const [row] = await q
    .select()
    .from(audit)
    .where(and(eq(audit.id, id), eq(audit.event, 'operation')));
  return row ?? null;
}

/**
 * The entries of writes that changed a record.
 * @param writeIds by which their rows are marked (`WriteEntry.writeId`).
 * @returns each entry, by write id.
 */
export async function writesOfRecord(
  q: Query,
  { kind, id }: { readonly kind: string; readonly id: number },
  writeIds: readonly number[],
): Promise<ReadonlyMap<number, MarkedWrite>> {
  if (writeIds.length === 0) return new Map();
  const ofRecord = q
    .select({ id: auditRecords.auditId })
    .from(auditRecords)
    .where(and(eq(auditRecords.kind, kind), eq(auditRecords.recordId, id)));
  const rows = await q
    .select({
      id: audit.id,
      writeId: audit.writeId,
      operation: audit.operation,
      ids: audit.ids,
      client: audit.client,
    })
    .from(audit)
    .where(and(amongSelected(audit.id, ofRecord), inValues(audit.writeId, writeIds)));
  return new Map(rows.flatMap((row) => (row.writeId === null ? [] : [[row.writeId, row] as const])));
}
