import type { Actor } from '../base/actor.ts';
import type { Clock, RandomBytes } from '../base/clock.ts';
import type { Db, Query } from '../db/query/db.ts';
import type { Log } from '../base/log.ts';
import type { Recorder } from '../metrics/recorder.ts';
import type { Config } from '../settings/config.ts';
import type { SettingTable } from '../settings/settings.ts';
import type { Tracing } from '../traces/tracing.ts';
import type { GivenFile } from '../base/given-file.ts';
import type { MergedUsers, Surface, WriteEntry, WriteSubject } from '../base/write-entry.ts';

/** Whom a letter is for: a user, or an address without an account. */
export type Addressee = { readonly userId: number } | { readonly address: string };

/** Ids, and other facts of a letter that are stored until it is sent. */
export type LetterFacts = Readonly<Record<string, string | number | readonly number[] | readonly string[]>>;

/** What a letter says. Every text may contain words of strangers: it is escaped where it is shown. */
export interface LetterContent {
  readonly to: string;
  readonly subject: string;
  /** Paragraphs. */
  readonly text: readonly string[];
  /** Listed below the paragraphs. */
  readonly items?: readonly string[];
  /** What the button leads to. */
  readonly link: { readonly name: string; readonly url: string };
  /** Why the person gets it. */
  readonly reason: string;
}

/** A letter that cannot be written, now or later. */
export interface LostLetter {
  /** A stable word that says why. */
  readonly lost: string;
}

/** A letter that this process cannot write, but others may, e.g. because it has a former master key. */
export interface LeftLetter {
  /** A stable word that says why. */
  readonly left: string;
}

export interface LetterKind {
  /** One stable word, e.g. `invitation`. */
  readonly name: string;
  /** For people, e.g. "Runs that newly fail". */
  readonly title: string;
  /** Who gets it: users, who can switch it off; addresses without an account, which can end it; or those of --operators, a setting. */
  readonly for: 'users' | 'addresses' | 'operators';
  /**
   * Writes a letter when it is sent, so that it says what is true then. @returns null if nobody should get it any more, e.g. because
   * the person may not see the record now.
   */
  write(
    host: Host,
    facts: LetterFacts,
    to: Addressee,
  ): Promise<LetterContent | LostLetter | LeftLetter | null>;
}

/** The services of the running kernel for its modules. One per kernel: a test may run several at the same time. */
export interface Host {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly config: Config;
  /** The metrics of this server. */
  readonly metrics: Recorder;
  /** The tracer, if traces are enabled. */
  readonly tracing?: Tracing;
  readonly version: string;
  /** The names of the loaded modules. */
  readonly modules: readonly string[];
  /** The settings of a server: those of the kernel and of the loaded modules. */
  readonly settings: SettingTable;
  /** The toolsets of the loaded modules. */
  readonly toolsets: readonly string[];
  /** The kinds of letters of the kernel and of the loaded modules. */
  readonly letterKinds: readonly LetterKind[];
  /** The address of the page that ends letters of a kind for their recipient; null: nobody can make one. */
  letterEndLink(recipient: string, kind: string): string | null;
  /** The origin of this server once it listens, e.g. `http://127.0.0.1:8787`; before that, the configured one. */
  origin(): string;
  /** Writes the audit entry in the transaction of the write. */
  recordWrite(q: Query, entry: WriteEntry): Promise<void>;
  /** Lets every module join what it stores of two users, in the transaction that merges them. */
  tellMerged(q: Query, merged: MergedUsers): Promise<void>;
  /** The actor of a bearer credential; null if it is not (or no longer) valid. */
  authenticate(bearer: string, audiences?: readonly string[]): Promise<Actor | null>;
  /** Whether a module has `Module.onWrite`: a transaction waits for it before its COMMIT. */
  readonly tellsOfWrites: boolean;
  /**
   * Calls a read-only tool with the rights of a reader of one organization: for jobs of plugins, which have no user.
   * @throws Fault as the tool does; UNKNOWN_TOOL.
   */
  readTool(orgId: number, tool: string, input: object, signal?: AbortSignal): Promise<unknown>;
}

/**
 * The context of one call. It is not a {@link Host}: calling a {@link perHost} service with a context would create a second instance (a
 * second cache, a second counter), so that does not compile.
 */
export interface Context extends Pick<Host, 'clock' | 'random' | 'log' | 'config'> {
  readonly host: Host;
  /** The database of this call. Its first transaction also writes the audit entry; with an idempotency key, all are one. */
  readonly db: Db;
  readonly actor: Actor;
  /** Where the call came from. */
  readonly surface: Surface;
  /** The program of an agent, by its own word; null: none, or it did not say. It is the text of a stranger. */
  readonly client: string | null;
  /** The files that came with the call; empty unless the operation accepts files. */
  readonly files: readonly GivenFile[];
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Runs `effect` after the operation's transactions have committed and before its response is sent; never if it failed. */
  afterCommit(effect: () => void | Promise<void>): void;
  /**
   * Sets the subjects of the write, in its first transaction or before it; the last call counts. Each subject gets an audit entry: a write
   * in two projects leaves one in each, with the ids of its own records.
   */
  wrote(...subjects: readonly WriteSubject[]): void;
  /** Reports the progress of a long operation to a client that asked for it. */
  progress(done: number, total: number): void;
}

/**
 * A service of a module that lives as long as the kernel: one per host, created at first use, so that stdio and the command line
 * pay only for what they use and no module needs a global.
 * @example
 * const cache = perHost((host) => new Map<number, Note>());
 * cache(host).get(7);
 */
export function perHost<T>(create: (host: Host) => T): (host: Host) => T {
  const made = new WeakMap<Host, { value: T }>();
  return (host) => {
    const known = made.get(host);
    if (known) return known.value;
    const value = create(host);
    made.set(host, { value });
    return value;
  };
}
