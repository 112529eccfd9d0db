import type { Listed } from './replica-listing.ts';

/** Where a replica is kept. Keys are paths with `/`. Every call ends within the limit of the target, or throws. */
export interface ReplicaTarget {
  /** Its address without secrets, for people. */
  readonly name: string;
  /** All objects whose key begins with `prefix`, in the order of their keys. @param after only those whose keys come after this one. */
  list(prefix: string, after?: string): Promise<readonly Listed[]>;
  /** The bytes of an object; undefined if there is none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores an object. Once it returns the object is there as a whole; a failure leaves nothing under its key. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
}
