import { and, asc, eq, gt, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import { prepared } from '../../../core/db/db.ts';
import { perHost, type Host } from '../../../core/host.ts';
import { nextTurn, turnIsOver } from '../../../core/turns.ts';
import { stateUsage as usageRows, tenants, userStates } from '../schema.ts';
import { ctaSettings } from '../settings.ts';
import { stateUsage } from './state-usage.ts';

/** How often the upkeep goes on. */
export const upkeepEveryMs = 10_000;
/** How often all states of a tenant are looked through. */
const roundMs = 24 * 60 * 60 * 1000;
/** Rows of one statement, which takes 1 to 3 ms. */
const rowsAtOnce = 200;
/** Parts of one run: a server that stops waits for a run. */
const partsOfRun = 250;

const partOf = prepared<
  { tenantId: string; after: string },
  { userId: string; updatedAt: number; bytes: number }
>(
  (q) =>
    q
      .select({
        userId: userStates.userId,
        updatedAt: userStates.updatedAt,
        // On neither engine does this read the text itself.
        bytes: sql<number>`octet_length(${userStates.state})`.mapWith(Number),
      })
      .from(userStates)
      .where(
        and(
          eq(userStates.tenantId, sql.placeholder('tenantId')),
          gt(userStates.userId, sql.placeholder('after')),
        ),
      )
      .orderBy(asc(userStates.userId))
      .limit(rowsAtOnce),
  'cta_upkeep_part',
);

/** A round through the states of one tenant, and how far it has come. */
interface Round {
  readonly tenantId: string;
  after: string;
  states: number;
  bytes: number;
}

/** The round under way. In memory: a server that starts begins it again. */
const underWay = perHost((): { round: Round | null } => ({ round: null }));

/**
 * A part of what keeps stored states bounded: adds up what was written, and looks through the states of a tenant once a day.
 * Those unused for `--cta-state-keep` go; the rest is counted. No index by time helps to find them: it would have to be
 * written with each state. The parts let requests in between them, and hold the writer only for what is deleted.
 * @returns how many states were deleted.
 */
export async function keepStatesBounded(host: Host): Promise<number> {
  const { db, clock, config } = host;
  await stateUsage(host).flush();
  const keep = config.read(ctaSettings)['cta-state-keep'] * 1000;
  const unusedSince = keep === 0 ? null : clock.now() - keep;
  const way = underWay(host);
  let removed = 0;
  for (let part = 0; part < partsOfRun; part++) {
    way.round ??= await nextRound(host);
    if (way.round === null) break;
    const { round } = way;
    const rows = await partOf(db.q, { tenantId: round.tenantId, after: round.after });
    const old = unusedSince === null ? [] : rows.filter(({ updatedAt }) => updatedAt < unusedSince);
    const gone = await removedOf(host, round.tenantId, old, unusedSince);
    for (const { userId, bytes } of rows) {
      if (gone.has(userId)) continue;
      round.states++;
      round.bytes += bytes;
    }
    removed += gone.size;
    const last = rows.at(-1);
    if (last && rows.length === rowsAtOnce) round.after = last.userId;
    else {
      await counted(host, round);
      way.round = null;
    }
    if (turnIsOver()) await nextTurn();
  }
  return removed;
}

/** The tenant that waits longest for its round, if one is due. */
async function nextRound({ db, clock }: Host): Promise<Round | null> {
  const [due] = await db.q
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .leftJoin(usageRows, eq(usageRows.tenantId, tenants.tenantId))
    .where(or(isNull(usageRows.countedAt), lt(usageRows.countedAt, clock.now() - roundMs)))
    .orderBy(asc(sql`coalesce(${usageRows.countedAt}, 0)`))
    .limit(1);
  return due ? { tenantId: due.tenantId, after: '', states: 0, bytes: 0 } : null;
}

/** Deletes states, except those that were used meanwhile. @returns whose are gone. */
async function removedOf(
  { db }: Host,
  tenantId: string,
  old: ReadonlyArray<{ readonly userId: string }>,
  unusedSince: number | null,
): Promise<ReadonlySet<string>> {
  if (old.length === 0 || unusedSince === null) return new Set();
  const gone = await db.tx((q) =>
    q
      .delete(userStates)
      .where(
        and(
          eq(userStates.tenantId, tenantId),
          inArray(
            userStates.userId,
            old.map(({ userId }) => userId),
          ),
          lt(userStates.updatedAt, unusedSince),
        ),
      )
      .returning({ userId: userStates.userId }),
  );
  return new Set(gone.map(({ userId }) => userId));
}

/** What a round has found is what is stored; writes beside it are off by what was written meanwhile. */
async function counted(host: Host, { tenantId, states, bytes }: Round): Promise<void> {
  const found = { states, bytes, countedAt: host.clock.now() };
  await host.db.tx(async (q) => {
    await q
      .insert(usageRows)
      .values({ tenantId, ...found })
      .onConflictDoUpdate({ target: usageRows.tenantId, set: found });
  });
  await stateUsage(host).flush();
}
