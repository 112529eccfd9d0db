import { test } from 'bun:test';
import { merge, type MergeOptions } from '../state/merge.ts';
import type { SnapshotBody } from '../state/snapshot.ts';
import { emptyState, type UserState } from '../state/user-state.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
export const runs = { seed, numRuns: 10_000 };
export const law = (name: string, check: () => void) => test(`${name} (SEED=${seed})`, check, 60_000);

export const options: MergeOptions = {
  now: 10 ** 9,
  ctas: { get: (ctaId) => (ctaId === 'unknown' ? undefined : {}) },
  tags: { get: (name) => (name === 'unknown' ? undefined : {}) },
};

export const mergeAll = (all: readonly SnapshotBody[], from: UserState = emptyState): UserState =>
  all.reduce((state, pushed) => merge(state, pushed, options).state, from);

/** The same text for the same state, regardless of the order in which its maps were filled. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
