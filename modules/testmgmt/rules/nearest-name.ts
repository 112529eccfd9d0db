import { nearest } from '../../../core/base/nearest-word.ts';

/** Existing names that are compared in one step: about 2 ms. */
const comparedAtOnce = 100;
/** Only the first existing names are compared: it is a hint and not a search. */
const maxCompared = 2_000;

/** The existing name that a mistyped one most likely meant. Yields where it may be interrupted. */
export function* nearestName(name: string, existing: readonly string[]): Generator<void, string | undefined> {
  const close: string[] = [];
  for (let at = 0; at < Math.min(existing.length, maxCompared); at += comparedAtOnce) {
    const found = nearest(name, existing.slice(at, at + comparedAtOnce));
    if (found !== undefined) close.push(found);
    yield;
  }
  return nearest(name, close);
}
