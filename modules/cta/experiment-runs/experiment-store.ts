import { and, asc, eq, gt, gte, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaArrivals, ctaEvents, ctaGoals, ctas, ctaUserCounts } from '../base/schema.ts';
import { insertVersion, versionsOf } from '../ctas/cta-version-store.ts';
import type { CoverageStep, ExposedUser } from '../experiments/results.ts';
import { passesGoal } from '../rules/goal.ts';
import type { Action } from '../rules/rule-parts.ts';
import type { CtaRow } from '../base/schema.ts';

export const writeStart = (q: Query, cta: CtaRow, now: number): Promise<CtaRow | undefined> =>
  writeTimes(q, cta, { experimentStartedAt: now, experimentStoppedAt: null, updatedAt: now });

export const writeStop = (q: Query, cta: CtaRow, now: number): Promise<CtaRow | undefined> =>
  writeTimes(q, cta, { experimentStoppedAt: now, updatedAt: now });

async function writeTimes(q: Query, cta: CtaRow, times: Partial<CtaRow>): Promise<CtaRow | undefined> {
  const [written] = await q
    .update(ctas)
    .set(times)
    .where(and(eq(ctas.id, cta.id), eq(ctas.version, cta.version)))
    .returning();
  return written;
}

/** Gives the actions of a variant to everybody, as a new version. */
export async function shipActions(
  q: Query,
  cta: CtaRow,
  actions: readonly Action[],
  { by, now }: { readonly by: number; readonly now: number },
): Promise<CtaRow> {
  const rule = { ...cta.rule, actions: [...actions] };
  const [written] = await q
    .update(ctas)
    .set({ rule, version: cta.version + 1, updatedAt: now })
    .where(eq(ctas.id, cta.id))
    .returning();
  if (!written) throw new Error('the CTA was not stored');
  await insertVersion(q, written, { by, now });
  return written;
}

/** The coverage of the running or last experiment of a CTA, since its start. */
export async function coverageSteps(q: Query, cta: CtaRow): Promise<readonly CoverageStep[]> {
  const startedAt = cta.experimentStartedAt ?? Infinity;
  const steps: CoverageStep[] = [];
  for await (const { version } of versionsOf(q, cta, { limit: cta.version, offset: 0 })) {
    const { experiment } = version.fields;
    if (experiment) steps.unshift({ at: Math.max(version.at, startedAt), coverage: experiment.coverage });
    if (version.at <= startedAt) break;
  }
  return steps;
}

type GoalRow = typeof ctaGoals.$inferSelect;

/** The goal of a CTA with this name, or its oldest one. */
export async function goalOf(
  q: Query,
  ctaId: number,
  name: string | undefined,
): Promise<GoalRow | undefined> {
  const [goal] = await q
    .select()
    .from(ctaGoals)
    .where(and(eq(ctaGoals.ctaId, ctaId), name === undefined ? undefined : eq(ctaGoals.name, name)))
    .orderBy(asc(ctaGoals.id))
    .limit(1);
  return goal;
}

/** Each has its events read, in two statements between which nobody else is served: some 10 ms on SQLite. */
const usersAtOnce = 200;

interface Asked {
  readonly cta: CtaRow;
  /** null: the conversions that apps report. */
  readonly goal: GoalRow | null;
  readonly signal: AbortSignal;
}

/** The users who were exposed to a CTA since the start of its experiment, by their id. */
export async function* exposedUsers(q: Query, { cta, goal, signal }: Asked): AsyncGenerator<ExposedUser> {
  const startedAt = cta.experimentStartedAt ?? Infinity;
  const stoppedAt = cta.experimentStoppedAt ?? Infinity;
  for (let after = ''; ;) {
    const rows = await q
      .select()
      .from(ctaUserCounts)
      .where(
        and(
          eq(ctaUserCounts.tenantId, cta.tenantId),
          eq(ctaUserCounts.ctaId, cta.id),
          gt(ctaUserCounts.userId, after),
          or(isNotNull(ctaUserCounts.firstSeenAt), isNotNull(ctaUserCounts.firstActedAt)),
        ),
      )
      .orderBy(asc(ctaUserCounts.userId))
      .limit(usersAtOnce);
    const exposed = rows
      .map((row) => ({
        ...row,
        exposedAt: Math.min(row.firstSeenAt ?? Infinity, row.firstActedAt ?? Infinity),
      }))
      // Who saw the CTA before is in no arm: the first exposure decides.
      .filter(({ userId, exposedAt }) => exposedAt >= startedAt && exposedAt < stoppedAt && isUserId(userId));
    const ids = exposed.map(({ userId }) => userId);
    const named = await variantsNamed(q, cta, ids, startedAt);
    const reached = await reachedBy(q, { cta, goal, ids, startedAt });
    for (const { userId, exposedAt, convertedAt, exposedAs } of exposed) {
      const first = goal === null && convertedAt !== null ? [convertedAt] : [];
      // Not by spreading the times: a user may have more events than a call has arguments.
      const converted = [...first, ...(reached.get(userId) ?? [])]
        .filter((at) => at >= exposedAt)
        .reduce((earliest, at) => Math.min(earliest, at), Infinity);
      yield {
        userId,
        variants: named.get(userId) ?? [],
        exposedAs: exposedAs?.split(',') ?? null,
        exposedAt,
        convertedAt: converted === Infinity ? null : converted,
      };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < usersAtOnce) return;
    after = last.userId;
    if (turnIsOver()) await nextTurn(signal);
  }
}

/** An erased user has a word in the place of the id, from which no arm follows. */
const isUserId = (userId: string): boolean => /^-?\d+$/.test(userId);

/** The variants that the apps of these users named with what they sent. What the server derived names the arm that the server gave. */
async function variantsNamed(q: Query, cta: CtaRow, ids: readonly string[], startedAt: number) {
  const found = new Map<string, string[]>();
  if (ids.length === 0) return found;
  const rows = await q
    .selectDistinct({ userId: ctaEvents.userId, variant: ctaEvents.variant })
    .from(ctaEvents)
    .where(
      and(
        eq(ctaEvents.tenantId, cta.tenantId),
        inArray(ctaEvents.userId, [...ids]),
        eq(ctaEvents.ctaId, cta.id),
        eq(ctaEvents.source, 'client'),
        isNotNull(ctaEvents.variant),
        gte(ctaEvents.at, startedAt),
      ),
    );
  for (const { userId, variant } of rows)
    if (variant !== null) found.set(userId, [...(found.get(userId) ?? []), variant]);
  return found;
}

/**
 * When these users reached a goal, or reported a conversion if there is no goal, by the stored events. The first arrival of a user in a
 * state is kept after its event was deleted, so it is added. It may be earlier than the exposure; the caller leaves such times out.
 */
async function reachedBy(
  q: Query,
  { cta, goal, ids, startedAt }: { cta: CtaRow; goal: GoalRow | null; ids: string[]; startedAt: number },
): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  if (ids.length === 0) return found;
  const add = (userId: string, at: number) => {
    const times = found.get(userId);
    if (times) times.push(at);
    else found.set(userId, [at]);
  };
  const on = goal?.on;
  if (on && 'state' in on)
    for (const { userId, at } of await firstArrivals(q, cta, on.state, ids)) add(userId, at);
  const rows = await q
    .select({ userId: ctaEvents.userId, at: ctaEvents.at, details: ctaEvents.details })
    .from(ctaEvents)
    .where(
      and(
        eq(ctaEvents.tenantId, cta.tenantId),
        isConversion(on),
        // An event that names no CTA counts for each.
        inArray(ctaEvents.ctaId, [0, cta.id]),
        gte(ctaEvents.at, startedAt),
        inArray(ctaEvents.userId, ids),
      ),
    );
  const filters = on && 'event' in on ? on.filters : undefined;
  for (const { userId, at, details } of rows) if (passesGoal(filters, details, at)) add(userId, at);
  return found;
}

/** Whether an event says that its user reached the goal; without a goal, whether it reports a conversion. */
function isConversion(on: GoalRow['on'] | undefined) {
  if (on === undefined) return eq(ctaEvents.type, 'conversion');
  const [type, name] = 'state' in on ? (['reached', on.state] as const) : (['custom', on.event] as const);
  // Not the name itself: by the index of names a statement would read the events of all users, not those of its own.
  return and(eq(ctaEvents.type, type), sql`coalesce(${ctaEvents.name}, '') = ${name}`);
}

const firstArrivals = (q: Query, cta: CtaRow, state: string, ids: string[]) =>
  q
    .select({ userId: ctaArrivals.userId, at: ctaArrivals.firstAt })
    .from(ctaArrivals)
    .where(
      and(
        eq(ctaArrivals.tenantId, cta.tenantId),
        eq(ctaArrivals.ctaId, cta.id),
        eq(ctaArrivals.state, state),
        inArray(ctaArrivals.userId, ids),
      ),
    );
