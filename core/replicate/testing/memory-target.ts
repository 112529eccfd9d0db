import type { ReplicaTarget } from '../replica-target.ts';

/** A target in memory, so that a test can restore from many states of it. */
export function memoryTarget(objects = new Map<string, Uint8Array>()): ReplicaTarget & {
  readonly objects: Map<string, Uint8Array>;
} {
  return {
    name: 'memory',
    objects,
    list: async (prefix, after = '') =>
      [...objects]
        .filter(([key]) => key.startsWith(prefix) && key > after)
        .map(([key, { length }]) => ({ key, bytes: length }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    get: async (key) => objects.get(key),
    put: async (key, bytes) => void objects.set(key, bytes),
    remove: async (keys) => {
      for (const key of keys) objects.delete(key);
    },
  };
}
