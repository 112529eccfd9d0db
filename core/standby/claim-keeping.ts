import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { fail, UsageError, type Fault } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { replaceFile } from '../base/stored-file.ts';
import type { WriteGate } from '../db/query/db.ts';
import { holdDirectoryAlone, type DirectoryLock } from '../db/sqlite/directory-lock.ts';
import { fencedFault, fencedFile, fencedReason } from '../db/sqlite/directory-role.ts';
import {
  fencedBy,
  generationLost,
  newestGeneration,
  readClaims,
  storeClaim,
  type Claim,
} from '../replicate/generation-claim.ts';
import type { ReplicaTarget } from '../replicate/replica-target.ts';
import { readChain, readReplicationStatus } from '../replicate/replication-files.ts';
import { isLapsed, takeoverWait, claimVerdictOf, type Moment, type ClaimVerdict } from './standby-rules.ts';

interface KeeperOptions {
  readonly data: string;
  readonly target: ReplicaTarget;
  readonly holder: string;
  /** 0: the server writes on when it cannot reach its target. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Without a lease: how often it is looked for a newer generation, and how often the claim is stored. */
const lookEveryMs = 5_000;
const storeEveryMs = 15_000;
/** How often a restored directory looks whether it may write. */
const restoredLookMs = 500;
/** Renewals within a lease. */
const perLease = 3;
/** How long a server waits, at its start, for the first look. */
const firstMs = 3_000;
/** How long a stop waits for a renewal that is on its way: it must not arrive after the release. */
const settleMs = 5_000;
/** Servers without a lease look this often, so this long after ours was begun the other one has seen it. */
const noLeaseWaitMs = lookEveryMs + 1_000;

/**
 * Keeps the claim of a server at the target of its replica, and says whether it may write. It runs in the process that writes: nothing
 * comes between what it knows and the COMMIT.
 */
export class ClaimKeeper implements WriteGate {
  readonly #options: KeeperOptions;
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #first = Promise.withResolvers<void>();
  #loop: Promise<void> = Promise.resolve();
  #verdict: ClaimVerdict | undefined;
  #fenced: string | undefined;
  #wasRestored = false;
  /** The steady time before which nothing is written: a server that was replaced may still write. */
  #opensAt = 0;
  #heldFrom: Moment | undefined;
  #storedAt = -Infinity;
  #count = 0;
  #failures = 0;
  #isServing = false;
  #drain: () => Promise<void> = () => Promise.resolve();

  constructor(options: KeeperOptions) {
    this.#options = options;
    mkdirSync(options.data, { recursive: true, mode: 0o700 });
    this.#fenced = fencedReason(options.data);
    const kept = readChain(options.data);
    // The server whose replica was restored may still write: until that is known, this one does not.
    if (kept?.target === options.target.name && !kept.own) {
      this.#verdict = 'restored';
      this.#wasRestored = true;
    }
  }

  /** Begins, and waits for the first look, but not long. */
  async start(): Promise<void> {
    this.#loop = this.#renewals();
    await this.#within(firstMs, this.#first.promise);
  }

  /** @param drain stores what was committed and not stored yet, when another server has taken over. */
  whenFenced(drain: () => Promise<void>): void {
    this.#drain = drain;
  }

  /** From now on clients write. What a first start stores before, an owner and keys, is acknowledged to nobody. */
  serves(): void {
    this.#isServing = true;
  }

  refusal(): Fault | undefined {
    const { data, target, leaseMs } = this.#options;
    if (this.#fenced !== undefined) return fencedFault(data, this.#fenced);
    // Another server on this directory may have seen it first.
    if (existsSync(join(data, fencedFile))) return fencedFault(data, fencedReason(data) ?? '');
    if (this.#verdict === 'restored' || performance.now() < this.#opensAt)
      return fail.CLAIM_LOST(
        'The server whose replica was restored here may still write to the target of --replicate.',
        {
          tip: `Stop it: this one then goes on at once. If it is lost, this one goes on when it was silent at ${target.name} for a while.`,
          retryAfter: 2,
        },
      );
    if (this.#isServing && isLapsed(this.#heldFrom, this.#now, leaseMs))
      return fail.CLAIM_LOST(
        `This server could not renew its claim on the target of --replicate for ${leaseMs / 1000} s, so another one may have taken over.`,
        { tip: `Try again: it goes on by itself once it can reach ${target.name}.`, retryAfter: 2 },
      );
    return undefined;
  }

  /** Ends, and tells others that nobody writes here any more, if no other process does. */
  async stop(): Promise<void> {
    await this.#end();
    if (this.#fenced === undefined) await this.#release();
  }

  /** Waits for something, but not long. A timer that is left would keep the process from ending. */
  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const done = new AbortController();
    try {
      await Promise.race([work, this.#options.clock.wait(ms, done.signal)]);
    } finally {
      done.abort();
    }
  }

  get #now(): Moment {
    return { steady: performance.now(), wall: this.#options.clock.now() };
  }

  async #renewals(): Promise<void> {
    const { leaseMs, clock } = this.#options;
    while (!this.#ending.signal.aborted) {
      const usualMs = leaseMs === 0 ? lookEveryMs : leaseMs / perLease;
      const everyMs = this.#verdict === 'restored' ? restoredLookMs : usualMs;
      const renewal = this.#attempt();
      this.#running.add(renewal);
      void renewal.finally(() => this.#running.delete(renewal));
      // A request that hangs must not keep the next one from being tried.
      const over = new AbortController();
      const end = () => over.abort();
      this.#ending.signal.addEventListener('abort', end);
      void renewal.finally(end);
      await clock.wait(everyMs * 2, over.signal);
      this.#ending.signal.removeEventListener('abort', end);
      await clock.wait(everyMs, this.#ending.signal);
    }
  }

  async #attempt(): Promise<void> {
    const { log, target } = this.#options;
    try {
      await this.#renew();
      if (this.#failures > 0) log.info('claim_renewed_again', { target: target.name });
      this.#failures = 0;
    } catch (error) {
      if (this.#failures++ === 0)
        log.error('claim_not_renewed', {
          target: target.name,
          reason: error instanceof Error ? error.message : String(error),
        });
    } finally {
      this.#first.resolve();
    }
  }

  /** Stores the claim, then looks: whoever takes over does it the other way round, so one of both sees the other. */
  async #renew(): Promise<void> {
    const { data, target, holder, leaseMs } = this.#options;
    const from = this.#now;
    if (leaseMs > 0 || from.steady - this.#storedAt >= storeEveryMs) {
      await storeClaim(target, this.#claim('held'));
      this.#storedAt = from.steady;
    }
    // Before the listing: the replicator may begin a generation meanwhile, which would look like one that the target has lost.
    const chain = readChain(data);
    const newest = await newestGeneration(target);
    if (this.#fenced !== undefined && this.#verdict === 'fenced') return;
    const kept = chain?.target === target.name ? chain : undefined;
    const verdict = claimVerdictOf(newest, holder, kept);
    if (verdict === 'missing' && leaseMs > 0) throw new Error(generationLost(target));
    if (verdict === 'fenced') return this.#becomeFenced(fencedBy(target, newest?.id ?? ''));
    if (verdict === 'restored') this.#wasRestored = true;
    else if (this.#wasRestored) await this.#succeed();
    if (this.#fenced !== undefined) rmSync(join(data, fencedFile), { force: true });
    this.#fenced = undefined;
    this.#verdict = verdict;
    if (!this.#heldFrom || from.steady > this.#heldFrom.steady) this.#heldFrom = from;
  }

  /** This directory was restored and has begun its generation: what the one before may still write is waited for. */
  async #succeed(): Promise<void> {
    const { claims, unreadable } = await readClaims(this.#options.target);
    const { waitMs, unsure } = takeoverWait(claims, this.#options.holder);
    const isSure = unsure.length === 0 && unreadable.length === 0;
    this.#opensAt = performance.now() + Math.max(waitMs, isSure ? 0 : noLeaseWaitMs);
    this.#wasRestored = false;
  }

  #becomeFenced(reason: string): void {
    const { data, log } = this.#options;
    const isNew = this.#verdict !== 'fenced';
    this.#verdict = 'fenced';
    this.#fenced = reason;
    if (!isNew) return;
    try {
      replaceFile(join(data, fencedFile), `${reason}\n`);
    } catch {
      // The disk is full: this process knows it, and the next start finds out again.
    }
    log.error('fenced', { reason });
    void this.#leave();
  }

  /** Stores what is left beside the new generation, so that whoever takes over has everything that was acknowledged. */
  async #leave(): Promise<void> {
    this.#ending.abort();
    await this.#drain();
    await this.#end();
    await this.#stored('released').catch(() => {});
  }

  async #end(): Promise<void> {
    this.#ending.abort();
    await this.#loop;
    await this.#within(settleMs, Promise.allSettled(this.#running));
  }

  async #release(): Promise<void> {
    const { data, log } = this.#options;
    if (this.#running.size > 0 || !this.#heldFrom) return;
    let lock: DirectoryLock | undefined;
    try {
      lock = holdDirectoryAlone(data);
      await this.#within(settleMs, this.#stored('released'));
    } catch (error) {
      // Another process uses the directory: it releases the claim.
      if (!(error instanceof UsageError))
        log.warn('claim_not_released', { reason: error instanceof Error ? error.message : String(error) });
    } finally {
      lock?.release();
    }
  }

  #stored(state: Claim['state']): Promise<void> {
    return storeClaim(this.#options.target, this.#claim(state));
  }

  #claim(state: Claim['state']): Claim {
    const { holder, leaseMs, data, target, clock } = this.#options;
    const status = readReplicationStatus(data);
    const coveredAt = status?.target === target.name ? status.coveredAt : 0;
    return { format: 1, holder, state, leaseMs, count: this.#count++, at: clock.now(), coveredAt };
  }
}
