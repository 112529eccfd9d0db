import { Type } from '@sinclair/typebox';
import { fail } from './errors.ts';

/** The parameter `seenAt` of a record, which may not have a stored time yet. */
export const seenText = Type.String({
  maxLength: 40,
  description: 'The updatedAt that you saw: refused if it is another by now.',
});

/** Represents a record without a stored time. */
const none = -1;

/**
 * The time that a caller saw, to be compared with {@link storedTime}.
 * @param path where it is given, e.g. `testResults[0].seenAt`.
 * @returns null when the caller does not give a time.
 * @throws Fault INVALID_REQUEST.
 */
export function seenTime(given: string | null | undefined, path: string): number | null {
  if (given === undefined) return null;
  if (given === null) return none;
  const time = Date.parse(given);
  if (!Number.isNaN(time)) return time;
  throw fail.INVALID_REQUEST(`${path} is no time.`, {
    cause: /^[^.[]+/.exec(path)?.[0] ?? path,
    tip: 'Give updatedAt of the record as it was read, e.g. 2026-11-01T09:00:00.000Z.',
  });
}

const storedTime = (updatedAt: number | null): number => updatedAt ?? none;

/** @throws Fault TEST_CHANGED when the (locked) test has changed since the caller saw it. */
export function requireSeenTest(
  { id, updatedAt }: { readonly id: number; readonly updatedAt: number },
  seenAt: string | undefined,
): void {
  const seen = seenTime(seenAt, 'seenAt');
  if (seen === null || seen === storedTime(updatedAt)) return;
  throw fail.TEST_CHANGED(`Test ${id} was changed after you read it. Nothing was written.`, {
    cause: 'seenAt',
  });
}
