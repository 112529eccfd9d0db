import { isSame } from './cta-document.ts';
import { isJson, type Json } from './json-path.ts';

/**
 * What to store of a document that somebody else has changed meanwhile (three-way): what the person changed, in what is stored now. Members of
 * objects are merged one by one, lists are one value; what both changed is as the person has it.
 */
export function mergedDocument(base: Json, mine: Json, stored: Json): Json {
  const names = [...new Set([...Object.keys(stored), ...Object.keys(mine)])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = mergedValue(base[name], mine[name], stored[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @param base undefined as the others: it is not there. */
function mergedValue(base: unknown, mine: unknown, stored: unknown): unknown {
  if (isSame(mine, base)) return stored;
  // Without a common origin, two objects are two inventions: half of each is neither.
  return isJson(base) && isJson(mine) && isJson(stored) ? mergedDocument(base, mine, stored) : mine;
}
