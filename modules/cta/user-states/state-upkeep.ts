import { perHost, type Host } from '../../../core/host/host.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { ctaSettings } from '../base/settings.ts';
import { statesAtOnce, deleteUnused, statesAfter } from './state-upkeep-store.ts';
import { tenantToCount, writeCountedUsage } from './state-usage-store.ts';
import { stateUsage } from './state-usage.ts';

/** How often the upkeep runs. */
export const upkeepEveryMs = 10_000;
/** How often all states of a tenant are looked through. */
const roundMs = 24 * 60 * 60 * 1000;
/** Chunks of one run: a server that stops waits for a run. */
const maxChunksOfRun = 250;

/** A round through the states of one tenant, and how far it has come. */
interface UpkeepRound {
  readonly tenantId: string;
  after: string;
  states: number;
  bytes: number;
}

/** The present round. In memory: a restarted server starts it again. */
const presentRound = perHost((): { round: UpkeepRound | null } => ({ round: null }));

/**
 * One run of the job that bounds stored states: adds up what was written, and looks through the states of a tenant once a day.
 * States unused for `--cta-state-keep` are deleted; the rest is counted. No index by time helps to find them: it would have to be
 * written with each state. The run yields to other requests between chunks, and holds the writer only for what is deleted.
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

/** The round of the tenant that waits longest for one, if one is due. */
async function nextRound({ db, clock }: Host): Promise<UpkeepRound | null> {
  const tenantId = await tenantToCount(db.q, clock.now() - roundMs);
  return tenantId === undefined ? null : { tenantId, after: '', states: 0, bytes: 0 };
}

/** The count of a round is what is stored; concurrent writes may make it differ by what they wrote. */
async function finishRound(host: Host, round: UpkeepRound): Promise<void> {
  await host.db.write((q) => writeCountedUsage(q, round.tenantId, round, host.clock.now()));
  await stateUsage(host).flush();
}
