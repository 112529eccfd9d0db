/**
 * Maps whose keys a client chooses (group keys, tag names, CTA ids). They have no prototype, so `__proto__` and `constructor` are ordinary
 * keys: nothing inherited is read, nothing shared is written, and both round-trip through JSON.
 */
export type StringMap<T> = Readonly<Record<string, T>>;

/** A writable copy. */
export function stringMap<T>(from?: StringMap<T>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, from);
}

/** The value under a key. Also safe for an object from `JSON.parse`, which has a prototype. */
export function entryAt<T>(map: StringMap<T>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** `next`, or `previous` itself when both contain identical values, so that "nothing changed" stays one comparison. */
export function previousIfSame<T>(previous: StringMap<T>, next: StringMap<T>): StringMap<T> {
  const keys = Object.keys(next);
  const same =
    keys.length === Object.keys(previous).length &&
    keys.every((key) => Object.hasOwn(previous, key) && previous[key] === next[key]);
  return same ? previous : next;
}

/** Ids in natural order: numbers by value (9 before 10), anything else by code unit, numbers first. */
export function compareIds(left: string, right: string): number {
  const leftIsNumber = wholeNumber.test(left);
  const rightIsNumber = wholeNumber.test(right);
  if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
  // Canonical numerals of equal length compare as text, so no digit is lost above 2^53.
  if (leftIsNumber && left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

const wholeNumber = /^(0|[1-9]\d*)$/;
