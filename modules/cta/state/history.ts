import type { CtaReset } from './snapshot.ts';
import type { History } from './user-state.ts';

/** Timestamps kept per history, unless a lifespan limit needs more. */
export const maxHistory = 1000;

/**
 * The union of two histories: ascending, without duplicates, only timestamps later than either `clearedAt`, at most the `keep` newest.
 * Returns `left` itself when `right` adds nothing.
 *
 * `resetTie`: `right` came with a reset whose own time decides nothing (the tie rule in merge.ts). If it clears, everything in `left` is
 * removed, and `clearedAt` moves past it so that a late copy of the cleared timestamps is not added again.
 */
export function joinHistories<Mark extends CtaReset>(
  left: History<Mark>,
  right: History<Mark>,
  { keep, resetTie = false }: { readonly keep: number; readonly resetTie?: boolean },
): History<Mark> {
  const clearsAll = resetTie && right.clearedAt !== undefined;
  // Not `at(-1)`: the SDK runs this, too, and Hermes 0.12 lacks it.
  const newest = left.marks[left.marks.length - 1];
  const clearedAt = Math.max(
    left.clearedAt ?? -Infinity,
    right.clearedAt ?? -Infinity,
    clearsAll && newest !== undefined ? markTime(newest) : -Infinity,
  );
  if (right.marks.length === 0 && clearedAt === (left.clearedAt ?? -Infinity)) return left;
  const marks = [...left.marks, ...right.marks]
    .filter((mark) => markTime(mark) > clearedAt)
    .sort(compareMarks)
    .filter((mark, index, sorted) => index === 0 || compareMarks(mark, sorted[index - 1] ?? mark) !== 0)
    .slice(-keep);
  const same =
    clearedAt === (left.clearedAt ?? -Infinity) &&
    marks.length === left.marks.length &&
    marks.every((mark, index) => compareMarks(mark, left.marks[index] ?? mark) === 0);
  if (same) return left;
  return Object.assign({ marks }, clearedAt !== -Infinity && { clearedAt });
}

const markTime = (mark: CtaReset): number => (typeof mark === 'number' ? mark : mark.resetAt);
const markCta = (mark: CtaReset): string => (typeof mark === 'number' ? '' : mark.ctaId);

function compareMarks(left: CtaReset, right: CtaReset): number {
  const byTime = markTime(left) - markTime(right);
  if (byTime !== 0) return byTime;
  return markCta(left) < markCta(right) ? -1 : markCta(left) > markCta(right) ? 1 : 0;
}
