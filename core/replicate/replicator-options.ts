import type { Clock, RandomBytes } from '../base/clock.ts';
import type { ReplicaTarget } from './replica-target.ts';

export interface ReplicatorOptions {
  /** The data directory. */
  readonly data: string;
  readonly target: ReplicaTarget;
  readonly seal: (content: Uint8Array) => Promise<Uint8Array>;
  readonly encrypted: boolean;
  /** The word by which claims name this directory. */
  readonly holder: string;
  /** Names of files next to the database. They are replicated only if the replica is encrypted. */
  readonly files: readonly string[];
  readonly snapshotMs: number;
  readonly keepMs: number;
  /** Bytes of the log that are kept for a target that is away. */
  readonly backlogBytes: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Reports an event of the log of the server. */
  readonly say: (severity: 'info' | 'warn' | 'error', event: string, fields: LogFields) => void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;
