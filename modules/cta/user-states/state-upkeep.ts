import { perHost, type Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaSettings } from '../base/settings.ts';
import { statesAtOnce, deleteUnused, statesAfter } from './state-upkeep-store.ts';
import { tenantToCount, writeCountedUsage } from './state-usage-store.ts';
import { stateUsage } from './state-usage.ts';

/** How often the upkeep runs. */
export const upkeepEveryMs = 10_000;
/** How often all states of a tenant are checked. */
const roundMs = 24 * 60 * 60 * 1000;
/** Chunks per run: a server that stops waits for the run to end. */
const maxChunksOfRun = 250;

/** A round through the states of one tenant, and its progress. */
interface UpkeepRound {
  readonly tenantId: string;
  after: string;
  states: number;
  bytes: number;
}

/** The current round. It is kept in memory: a restarted server starts it again. */
const presentRound = perHost((): { round: UpkeepRound | null } => ({ round: null }));

/**
 * One run of the job that bounds stored states: adds up the counted writes, and goes through the states of a tenant once a day. States
 * unused for `--cta-state-keep` are deleted; the rest is counted. There is no index by time to find them, because every write of a state
 * would have to update it. The run yields to other requests between chunks, and locks the writer only to delete.
 * @returns how many states were deleted.
 */
export async function keepStatesBounded(host: Host): Promise<number> {
  const { db, clock, config } = host;
  await stateUsage(host).flush();
  const keep = config.read(ctaSettings)['cta-state-keep'] * 1000;
  const unusedSince = keep === 0 ? null : clock.now() - keep;
  const present = presentRound(host);
  let deleted = 0;
  for (let chunk = 0; chunk < maxChunksOfRun; chunk++) {
    present.round ??= await nextRound(host);
    if (present.round === null) break;
    const { round } = present;
    const rows = await statesAfter(db.q, { tenantId: round.tenantId, after: round.after });
    const unused = unusedSince === null ? [] : rows.filter(({ updatedAt }) => updatedAt < unusedSince);
    const gone =
      unused.length === 0 || unusedSince === null
        ? new Set<string>()
        : await db.write((q) => deleteUnused(q, round.tenantId, unused, unusedSince));
    for (const { userId, bytes } of rows) {
      if (gone.has(userId)) continue;
      round.states++;
      round.bytes += bytes;
    }
    deleted += gone.size;
    const last = rows.at(-1);
    if (last && rows.length === statesAtOnce) round.after = last.userId;
    else {
      await finishRound(host, round);
      present.round = null;
    }
    if (turnIsOver()) await nextTurn();
  }
  return deleted;
}

/** The round of the tenant that has waited longest, if one is due. */
async function nextRound({ db, clock }: Host): Promise<UpkeepRound | null> {
  const tenantId = await tenantToCount(db.q, clock.now() - roundMs);
  return tenantId === undefined ? null : { tenantId, after: '', states: 0, bytes: 0 };
}

/** Stores the count of a round; it may miss concurrent writes. */
async function finishRound(host: Host, round: UpkeepRound): Promise<void> {
  await host.db.write((q) => writeCountedUsage(q, round.tenantId, round, host.clock.now()));
  await stateUsage(host).flush();
}
