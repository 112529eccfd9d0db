import { nearest } from '../../../core/text/nearest-word.ts';

/** Existing names compared in one step: about 2 ms. */
const comparedAtOnce = 100;
/** Only the first existing names are compared: the result is a hint, not a search. */
const maxCompared = 2_000;

/** The existing name most likely meant by a mistyped one. Yields where it may be interrupted. */
export function* nearestName(name: string, existing: readonly string[]): Generator<void, string | undefined> {
  const close: string[] = [];
  for (let at = 0; at < Math.min(existing.length, maxCompared); at += comparedAtOnce) {
    const found = nearest(name, existing.slice(at, at + comparedAtOnce));
    if (found !== undefined) close.push(found);
    yield;
  }
  return nearest(name, close);
}
