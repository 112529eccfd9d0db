import { join } from 'node:path';
import type { Clock, RandomBytes } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { refuseUnreadableData } from '../db/sqlite/data-directory.ts';
import { leaveFileIdGap } from '../db/sqlite/file-id-gap.ts';
import { holdAlone, type DirectoryLock } from '../db/sqlite/directory-lock.ts';
import { noDigest } from '../replicate/replica-object.ts';
import { begunKey, claimKey, generationId } from '../replicate/replica-names.ts';
import type { ReplicaTarget } from '../replicate/replica-target.ts';
import {
  begunGeneration,
  begunIds,
  readClaims,
  storeClaim,
  type Claim,
} from '../replicate/generation-claim.ts';
import { holderOf, keepChain } from '../replicate/replication-files.ts';
import { Follower, NothingToFollow } from './following.ts';
import {
  askFollowerToLeave,
  endStandby,
  isClean,
  readStandby,
  standbyLockFile,
  type StandbyState,
} from './standby-files.ts';
import { patientTarget } from './patient-target.ts';
import { takeoverWait } from './standby-rules.ts';

interface TakeoverOptions {
  readonly data: string;
  readonly openTarget: (url: string) => Promise<ReplicaTarget>;
  readonly identity: string | undefined;
  readonly files: readonly string[];
  /** Tables whose ids are known outside of the database. */
  readonly keptIds: readonly string[];
  /** Throws when no server could open the copy. Nothing has the database open meanwhile. */
  readonly refuseUnservable: () => Promise<void>;
  /** The operator knows that the other server has stopped. */
  readonly stopped: boolean;
  /** The lease of this server from now on. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Tells a person what is waited for. */
  readonly tell: (text: string) => void;
}

/** What a takeover has. */
interface TakenOver {
  readonly target: string;
  readonly generation: string;
  /** Everything that was committed until then is in it (epoch ms). */
  readonly coveredAt: number;
  /** How long the other server was waited for. */
  readonly waitedMs: number;
}

/** How long the follower of a server may take to leave the copy. */
const leaveMs = 30_000;
const lookMs = 250;

/**
 * Makes a standby the server that is written to:
 *
 * 1. The follower of its server leaves the copy to this process.
 * 2. What is at the target is applied.
 * 3. The mark of a new generation is stored: whoever looks from now on does not write any more.
 * 4. The others are waited for: until each says that it has stopped, or until its lease is over.
 * 5. What they stored meanwhile is applied. The directory is no copy any more, and leaves out the ids that they may have given away.
 *
 * An interruption leaves a standby; the same command goes on.
 * @throws UsageError when this user cannot read the directory, or it is no standby, has no copy, or cannot know whether the other server writes.
 */
export async function takeOver(options: TakeoverOptions): Promise<TakenOver> {
  const { data } = options;
  refuseUnreadableData(data);
  if (!readStandby(data))
    throw new UsageError(`${data} is no standby: start one with trivet serve --follow URL --data ${data}.`);
  const withdraw = askFollowerToLeave(data);
  let lock: DirectoryLock | undefined;
  try {
    lock = await lockOf(data);
    const state = readStandby(data);
    if (!state) throw new UsageError(`${data} has taken over already: nothing is left to do.`);
    return await takenOver(options, state);
  } finally {
    lock?.release();
    withdraw();
  }
}

async function lockOf(data: string): Promise<DirectoryLock> {
  for (const over = performance.now() + leaveMs; performance.now() < over; await Bun.sleep(50)) {
    const lock = holdAlone(join(data, standbyLockFile));
    if (lock) return lock;
  }
  throw new UsageError(`The server on ${data} does not leave its copy. Stop it, then try again.`);
}

async function takenOver(options: TakeoverOptions, state: StandbyState): Promise<TakenOver> {
  const { data, identity, files, clock, random, tell } = options;
  if (!state.whole)
    throw new UsageError(
      `${data} has no complete copy of ${state.target} yet. Start its server and wait for it.`,
    );
  const target = patientTarget(await options.openTarget(state.target), clock);
  const holder = holderOf(data, random);
  const say = () => {};
  const follower = new Follower({ data, target, identity, files, clock, say }, state);
  try {
    await caughtUp(follower);
    await refuseUnsure(options, target, follower);
    // Before the mark, which stops a server that works.
    follower.flush();
    follower.close();
    await options.refuseUnservable();
    const marked = await markedGeneration(options, target, follower, holder);
    const { generation } = marked;
    const { waitedMs, over } = await othersEnded(options, target, follower, { holder, generation });
    await caughtUp(follower);
    await requireOurs(target, marked, clock);
    // They are over, or were said to have stopped: the next takeover need not wait for them again.
    await target.remove(over.map((claim) => claimKey(claim.holder)));
    if (!isClean(follower.state)) throw new Error('the copy is not complete');
    if (follower.state.generation !== marked.before && (await begunIds(target)).includes(marked.before ?? ''))
      tell(
        `The other server had begun anew (${marked.before}) without a complete snapshot: what it wrote after ` +
          `${new Date(follower.state.coveredAt).toISOString()} is not here.`,
      );
    const { coveredAt } = follower.state;
    follower.flush();
    follower.close();
    keepChain(data, {
      target: target.name,
      generation,
      own: true,
      sequence: 0,
      digest: noDigest,
      at: 0,
      snapshotAt: 0,
    });
    // What the other server gave away and did not replicate is not here. Last, because what is followed must not be changed.
    leaveFileIdGap(data, options.keptIds);
    endStandby(data);
    return { target: target.name, generation, coveredAt, waitedMs };
  } catch (error) {
    follower.close();
    if (follower.state.taking !== undefined && error instanceof LostRace) {
      await target.remove([begunKey(follower.state.taking), claimKey(holder)]);
      follower.take(undefined);
    }
    if (error instanceof UsageError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof LostRace) throw new UsageError(reason);
    throw new UsageError(
      `The takeover was not completed: ${reason}. This is still a standby, and the other server may have stopped writing: run the same ` +
        'command again.',
    );
  }
}

/** Another standby took over at the same time. */
class LostRace extends Error {}

/** Applies everything that is there. */
async function caughtUp(follower: Follower): Promise<void> {
  try {
    while (await follower.round());
  } catch (error) {
    // The other server has begun anew and was lost before its snapshot was complete: this copy is the best that there is.
    if (!(error instanceof NothingToFollow) || !isClean(follower.state)) throw error;
  }
}

/** @throws UsageError when a server may be writing that does not say when it stops. */
async function refuseUnsure(
  { stopped, data }: TakeoverOptions,
  target: ReplicaTarget,
  { state }: Follower,
): Promise<void> {
  if (stopped) return;
  // Only the server of the newest generation: those before it have been replaced, and were waited for then.
  const { holder } = await begunGeneration(target, state.generation);
  const claim = (await claimsOf(target, stopped)).find((one) => one.holder === holder);
  if (claim && (claim.state === 'released' || claim.leaseMs > 0)) return;
  throw new UsageError(
    `The server that replicates to ${target.name} ${claim ? 'has no lease' : 'says nothing of itself there'}, so nothing here can know whether it still writes. Stop it (it then says ` +
      `so, and this goes on), or make sure that it has ended and run: trivet promote --stopped --data ${data}. With ` +
      '--replicate-lease 5 on that server this is not needed.',
  );
}

/**
 * What the servers of a target say.
 * @throws Error when one of them cannot be read, unless all are said to have stopped: it may be that of a server that writes.
 */
async function claimsOf(target: ReplicaTarget, stopped: boolean): Promise<readonly Claim[]> {
  const { claims, unreadable } = await readClaims(target);
  if (stopped || unreadable.length === 0) return claims;
  throw new Error(
    `${unreadable.join(', ')} at ${target.name} cannot be read, so nothing here can know whether that server writes. One that runs ` +
      'stores it again within 15 seconds. If its server has ended, delete it',
  );
}

interface Marked {
  readonly generation: string;
  /** The newest generation before it. */
  readonly before: string | undefined;
}

/** Stores the mark of our generation, or finds that an interrupted takeover has done so. */
async function markedGeneration(
  { leaseMs, clock, random }: TakeoverOptions,
  target: ReplicaTarget,
  follower: Follower,
  holder: string,
): Promise<Marked> {
  const begun = await begunIds(target);
  const kept = follower.state.taking;
  const isNewest = kept !== undefined && kept > (begun.findLast((id) => id !== kept) ?? '');
  const taking = isNewest ? kept : generationId(clock.now(), random(4), begun.at(-1));
  if (!isNewest) follower.take(taking);
  // First the claim: whoever sees the mark also sees who has made it.
  const claim: Claim = {
    format: 1,
    holder,
    state: 'held',
    leaseMs,
    count: 0,
    at: clock.now(),
    coveredAt: follower.state.coveredAt,
  };
  await storeClaim(target, claim);
  const mark = JSON.stringify({ at: clock.now(), reason: 'promoted', holder });
  await target.put(begunKey(taking), new TextEncoder().encode(`${mark}\n`));
  return { generation: taking, before: begun.findLast((id) => id !== taking) };
}

/** What a takeover has waited for. */
interface OthersEnded {
  readonly waitedMs: number;
  /** The claims of servers that have not said that they stopped. */
  readonly over: readonly Claim[];
}

/** Waits until nobody else writes, and applies meanwhile what they store. @throws LostRace when another standby has begun after us. */
async function othersEnded(
  { stopped, tell }: TakeoverOptions,
  target: ReplicaTarget,
  follower: Follower,
  { holder, generation }: { readonly holder: string; readonly generation: string },
): Promise<OthersEnded> {
  const began = performance.now();
  const before = await claimsOf(target, stopped);
  // What was renewed after our mark counts, too, so the first answer decides how long.
  const { waitMs } = takeoverWait(before, holder);
  if (waitMs > 0 && !stopped)
    tell(`Waiting for the other server to stop writing, for at most ${Math.ceil(waitMs / 1000)} s.`);
  for (let first = true; ; first = false) {
    const claims = first ? before : await claimsOf(target, stopped);
    const left = takeoverWait(claims, holder);
    const waitedMs = performance.now() - began;
    if (stopped && isRenewed(before, claims, holder))
      throw new UsageError(
        'The other server still renews its claim: it has not stopped. Run this again without --stopped.',
      );
    await requireNewestOurs(target, generation);
    // Once more after the mark, so that a server which was said to have stopped is caught if it goes on.
    if (left.waitMs === 0 && left.unsure.length === 0) return { waitedMs, over: [] };
    if (waitedMs >= (stopped ? 2 * lookMs : Math.max(waitMs, left.waitMs)))
      return { waitedMs, over: claims.filter((claim) => claim.holder !== holder && claim.state === 'held') };
    await caughtUp(follower);
    await Bun.sleep(Math.min(lookMs, Math.max(0, Math.max(waitMs, left.waitMs) - waitedMs) + 1));
  }
}

const isRenewed = (before: readonly Claim[], now: readonly Claim[], holder: string): boolean =>
  now.some(
    (claim) =>
      claim.holder !== holder &&
      claim.state === 'held' &&
      before.some((one) => one.holder === claim.holder && one.count !== claim.count),
  );

/** @returns the ids of all that were begun. @throws LostRace unless ours is still the newest. */
async function requireNewestOurs(target: ReplicaTarget, generation: string): Promise<readonly string[]> {
  const begun = await begunIds(target);
  if (begun.at(-1) === generation) return begun;
  throw new LostRace(
    `Another server of ${target.name} has begun a generation after this takeover. If it does not take over, run this again.`,
  );
}

/** How long a standby that began before us may take to find that it is too late. It looks every {@link lookMs}. */
const giveUpMs = 5_000;

/**
 * Two standbys that take over at the same time both store a mark: the newest wins, and the other one removes its own. Only then it is sure that
 * nobody has written between the two.
 * @throws LostRace unless ours is the newest generation, and nothing was begun in between.
 */
async function requireOurs(
  target: ReplicaTarget,
  { generation, before }: Marked,
  clock: Clock,
): Promise<void> {
  for (const over = performance.now() + giveUpMs; ; await clock.wait(lookMs)) {
    const begun = await requireNewestOurs(target, generation);
    // The one before may have been that of a standby that has given up.
    if ((begun.findLast((id) => id !== generation) ?? '') <= (before ?? '')) return;
    if (performance.now() > over)
      throw new LostRace(
        `Another server of ${target.name} has begun a generation at the same time. If it does not take over, run this again.`,
      );
  }
}
