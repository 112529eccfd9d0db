import { and, asc, eq, lte } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import { sendsLetters } from '../../../core/letters/smtp-settings.ts';
import { runNotices } from '../base/following-schema.ts';
import { hasFollowers } from './follow-store.ts';

export type RunNotice = typeof runNotices.$inferSelect;

/** How long after the last upload followers are told: the jobs of a build arrive one after the other. */
const quietMs = 60_000;

/** Notes that followers may have to be told of runs, in the transaction that stores their results. Costs nothing where nobody follows. */
export async function noteForFollowers(
  q: Query,
  { config, clock }: Pick<Context, 'config' | 'clock'>,
  { projectId, runIds }: Pick<RunNotice, 'projectId'> & { readonly runIds: readonly number[] },
): Promise<void> {
  if (runIds.length === 0 || !sendsLetters({ config }) || !(await hasFollowers(q, projectId))) return;
  const dueAt = clock.now() + quietMs;
  await q
    .insert(runNotices)
    .values(runIds.map((runId) => ({ runId, projectId, dueAt })))
    .onConflictDoUpdate({ target: runNotices.runId, set: { dueAt } });
}

/** The next run that followers may have to be told of. */
export async function dueNotice(q: Query, now: number): Promise<RunNotice | undefined> {
  const due = q.select().from(runNotices).where(lte(runNotices.dueAt, now));
  return (await due.orderBy(asc(runNotices.dueAt)).limit(1))[0];
}

/** Settles a notice. @returns whether this process did, and no later upload has moved it. */
export async function settleNotice(q: Query, { runId, dueAt }: RunNotice): Promise<boolean> {
  const same = and(eq(runNotices.runId, runId), eq(runNotices.dueAt, dueAt));
  return (await q.delete(runNotices).where(same).returning({ runId: runNotices.runId })).length > 0;
}
