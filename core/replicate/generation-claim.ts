import { Type, type Static } from '@sinclair/typebox';
import { check, closedObject } from '../base/schema.ts';
import type { Tip } from './replica-chain.ts';
import { parseHead } from './replica-listing.ts';
import {
  begunFolder,
  begunKey,
  begunOf,
  claimKey,
  claimsFolder,
  headKey,
  isClaimKey,
} from './replica-names.ts';
import type { ReplicaTarget } from './replica-target.ts';

/** Another data directory has begun a newer generation. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** The server from which this directory was restored goes on, so this one may not begin yet. */
export class StillWritten extends Error {
  override readonly name = 'StillWritten';
}

/** The target has lost the generation of this directory, e.g. because its disk is not mounted. */
export class GenerationLost extends Error {
  override readonly name = 'GenerationLost';
}

const Claim = closedObject({
  format: Type.Literal(1),
  /** The word of a data directory. */
  holder: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  /** `released`: no process writes to that directory, and none will without a new claim. */
  state: Type.Union([Type.Literal('held'), Type.Literal('released')]),
  /** So many ms after it could last read the target, the server stops writing; 0: it goes on. */
  leaseMs: Type.Integer({ minimum: 0 }),
  /** Counts the renewals: whoever has no trust in clocks watches whether it changes. */
  count: Type.Integer({ minimum: 0 }),
  /** Epoch milliseconds, by the clock of its server. */
  at: Type.Integer(),
  /** Everything that was committed until then is at the target (epoch ms). */
  coveredAt: Type.Integer(),
});
/**
 * What a server says of itself at a target, so that another one can find out whether it writes. Each has an object of its own: an object
 * store without conditions cannot say who was first.
 */
export type Claim = Static<typeof Claim>;

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** @returns undefined for a claim that is missing or cannot be read. */
export async function readClaim(target: ReplicaTarget, holder: string): Promise<Claim | undefined> {
  const bytes = await target.get(claimKey(holder));
  return bytes && parseClaim(bytes);
}

function parseClaim(bytes: Uint8Array): Claim | undefined {
  try {
    const checked = check(Claim, JSON.parse(text(bytes)));
    return checked.ok ? checked.value : undefined;
  } catch {
    return undefined;
  }
}

/** What the servers of a target say. */
interface StoredClaims {
  /** Also those of servers that were killed. */
  readonly claims: readonly Claim[];
  /** The keys of those that cannot be read: their servers may be writing. */
  readonly unreadable: readonly string[];
}

export async function readClaims(target: ReplicaTarget): Promise<StoredClaims> {
  const listed = (await target.list(claimsFolder)).filter(({ key }) => isClaimKey(key));
  const claims: Claim[] = [];
  const unreadable: string[] = [];
  await Promise.all(
    listed.map(async ({ key }) => {
      const bytes = await target.get(key);
      const claim = bytes && parseClaim(bytes);
      if (claim) claims.push(claim);
      else if (bytes) unreadable.push(key);
    }),
  );
  return { claims, unreadable };
}

export const storeClaim = (target: ReplicaTarget, claim: Claim): Promise<void> =>
  target.put(claimKey(claim.holder), new TextEncoder().encode(`${JSON.stringify(claim)}\n`));

/** A generation that was begun. */
export interface BegunGeneration {
  readonly id: string;
  /** Who began it; undefined for one of an earlier version. */
  readonly holder: string | undefined;
}

/** The ids of the generations that were begun at a target, the oldest first. */
export const begunIds = async (target: ReplicaTarget): Promise<readonly string[]> =>
  (await target.list(begunFolder)).flatMap(({ key }) => begunOf(key) ?? []);

/** The newest generation; undefined where nothing was ever replicated. */
export async function newestGeneration(target: ReplicaTarget): Promise<BegunGeneration | undefined> {
  const id = (await begunIds(target)).at(-1);
  return id === undefined ? undefined : begunGeneration(target, id);
}

export async function begunGeneration(target: ReplicaTarget, id: string): Promise<BegunGeneration> {
  const bytes = await target.get(begunKey(id));
  try {
    const { holder } = JSON.parse(bytes ? text(bytes) : '{}') as { holder?: unknown };
    return { id, holder: typeof holder === 'string' ? holder : undefined };
  } catch {
    return { id, holder: undefined };
  }
}

/** A server that was not heard of for this time counts as ended. One of an earlier version makes no claim, and is heard of less often. */
const silentMs = { claim: 20_000, head: 60_000 };

/** The newest generation of a directory. */
export interface HeldGeneration {
  readonly generation: string;
  /** Whether it began it, or was restored from it. */
  readonly own: boolean;
}

/** Decides whether a directory may go on with its generation, or begin one after it. */
export class NewestCheck {
  readonly #steady: () => number;
  /** What the other server said last, and since when (by the steady clock) it says so. */
  #heard: { readonly words: string; readonly since: number } | undefined;

  constructor(steady = () => performance.now()) {
    this.#steady = steady;
  }

  /**
   * @param held undefined for a directory that has none at this target.
   * @param now epoch milliseconds.
   * @throws Fenced if another directory has begun a newer one; StillWritten while the server goes on from which this directory was restored;
   * GenerationLost when that of this directory is not there.
   */
  async require(target: ReplicaTarget, held: HeldGeneration | undefined, now: number): Promise<void> {
    const newest = await newestGeneration(target);
    if (newest === undefined || (held !== undefined && newest.id < held.generation)) {
      // A generation that is begun in an empty directory under a mount point splits the history, and two servers would write.
      if (held?.own) throw new GenerationLost(generationLost(target));
      return;
    }
    if (newest.id !== held?.generation) throw new Fenced(fencedBy(target, newest.id));
    if (!held.own) await this.#requireEnded(target, newest, now);
  }

  async #requireEnded(target: ReplicaTarget, { id, holder }: BegunGeneration, now: number): Promise<void> {
    const claim = holder === undefined ? undefined : await readClaim(target, holder);
    if (claim?.state === 'released') return;
    const bytes = await target.get(headKey(id));
    const head = bytes && parseHead(text(bytes));
    const heardAt = Math.max(claim?.at ?? 0, head?.at ?? 0);
    const limit = claim ? silentMs.claim : silentMs.head;
    if (heardAt === 0) return;
    // The clock of the other server may be ahead of this one: what counts then is that it says nothing new.
    const silence = Math.max(now - heardAt, this.#unchangedMs(JSON.stringify([claim, head])));
    if (silence > limit) return;
    throw new StillWritten(
      `the server whose replica was restored here was heard of ${Math.round(silence / 1000)} s ago: stop it, ` +
        `or name another address than ${target.name} with --replicate. After ${limit / 1000} s of silence this one goes on by itself`,
    );
  }

  #unchangedMs(words: string): number {
    const now = this.#steady();
    if (this.#heard?.words !== words) this.#heard = { words, since: now };
    return now - this.#heard.since;
  }
}

/** What to do about a target without the generation of this directory. */
export const generationLost = (target: ReplicaTarget): string =>
  `${target.name} does not have the generation of this server any more. Make sure that it is mounted and is the right one: this goes on by ` +
  'itself then. If it was emptied on purpose, name another address with --replicate, or stop the server and remove replication.json from ' +
  'its data directory';

/** Why a directory may not go on. */
export const fencedBy = (target: ReplicaTarget, newest: string): string =>
  `${target.name} has the generation ${newest}, which another data directory has begun. If this directory is to replace it, restore ` +
  'from there; otherwise name another address with --replicate.';

/** Whether a target knows this end of a chain and nothing that goes on from a later one. */
export async function isTipOf(target: ReplicaTarget, generation: string, tip: Tip): Promise<boolean> {
  const listed = await target.list(`generations/${generation}/log/`);
  const sequences = listed.map(({ key }) => Number(key.split('/').at(-1)?.slice(0, 10)));
  const isThere = tip.sequence === 0 || listed.some(({ key }) => key.endsWith(tip.digest));
  // One more may have been stored just before a kill; its twin will follow the same object.
  return isThere && Math.max(0, ...sequences) <= tip.sequence + 1;
}
