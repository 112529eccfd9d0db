import type { Actor } from '../base/actor.ts';
import type { Clock, RandomBytes } from '../base/clock.ts';
import type { Db, Query } from '../db/query/db.ts';
import type { Log } from '../base/log.ts';
import type { Recorder } from '../metrics/recorder.ts';
import type { Config } from '../settings/config.ts';
import type { SettingTable } from '../settings/settings.ts';
import type { Tracing } from '../traces/tracing.ts';
import type { GivenFile } from '../base/given-file.ts';
import type { WriteEntry, WriteSubject } from '../base/write-entry.ts';

/** What the running kernel gives its modules. One per kernel: a test may run several side by side. */
export interface Host {
  readonly db: Db;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Log;
  readonly config: Config;
  /** Where this server counts. */
  readonly metrics: Recorder;
  /** Where it makes spans, if traces were asked for. */
  readonly tracing?: Tracing;
  readonly version: string;
  /** The names of the loaded modules. */
  readonly modules: readonly string[];
  /** The settings of a server: those of the kernel and of the loaded modules. */
  readonly settings: SettingTable;
  /** The toolsets of the loaded modules. */
  readonly toolsets: readonly string[];
  /** The origin of this server once it listens, e.g. `http://127.0.0.1:8787`; before that, the configured one. */
  origin(): string;
  /** Writes the audit entry in the transaction of the write. */
  recordWrite(q: Query, entry: WriteEntry): Promise<void>;
  /** Who a bearer credential is; null when it is not valid (any more). */
  authenticate(bearer: string, audiences?: readonly string[]): Promise<Actor | null>;
  /** Whether a module is told of each write (`Module.onWrite`): a transaction waits for it before its COMMIT. */
  readonly tellsOfWrites: boolean;
  /**
   * Calls a tool that reads, with the rights of a reader of one organization: for jobs of plugins, which act for nobody.
   * @throws Fault as the tool does; UNKNOWN_TOOL.
   */
  readTool(orgId: number, tool: string, input: object, signal?: AbortSignal): Promise<unknown>;
}

/**
 * What one call of an operation gets. It is not a {@link Host}: a service that {@link perHost} created for a context would be a
 * second one (a second cache, a second counter), so that does not compile.
 */
export interface Context extends Pick<Host, 'clock' | 'random' | 'log' | 'config'> {
  readonly host: Host;
  /** The database of this call. Its first transaction also writes the audit entry; with an idempotency key, all are one. */
  readonly db: Db;
  readonly actor: Actor;
  /** The files that came with the call; none unless the operation takes some. */
  readonly files: readonly GivenFile[];
  /** Aborts when the client disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Runs `effect` after the operation's transactions have committed and before its response is sent; never if it failed. */
  afterCommit(effect: () => void | Promise<void>): void;
  /**
   * Says what the write is about, in its first transaction or before it; the last call counts. Each subject gets an audit entry: a
   * write in two projects leaves one in each, with the ids of its own records.
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
