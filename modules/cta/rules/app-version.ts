/** A range of app versions, including both ends. */
export interface VersionRange {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** Whether an app is within a range of versions. An app that does not send its version is in no range. */
export function isInVersionRange(version: string | null, { min, max }: VersionRange): boolean {
  if (min === undefined && max === undefined) return true;
  if (version === null) return false;
  return (
    (min === undefined || compareVersions(version, min) >= 0) &&
    (max === undefined || compareVersions(version, max) <= 0)
  );
}

/**
 * Orders app versions by their dot-separated parts: numbers by value, a missing part as 0 (`1.2` is `1.2.0`), text by
 * code unit and before any number, so that `2.0.rc1` precedes `2.0.0`. A `-suffix` (pre-release) precedes the version
 * without it; suffixes are ordered as in Semantic Versioning 2.0.0 §11. `+build` is ignored.
 */
export function compareVersions(left: string, right: string): number {
  const [leftParts, leftSuffix] = versionParts(left);
  const [rightParts, rightSuffix] = versionParts(right);
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const order = comparePart(leftParts[index] ?? '0', rightParts[index] ?? '0', 'text first');
    if (order !== 0) return order;
  }
  if (leftSuffix === null || rightSuffix === null) {
    return Number(leftSuffix === null) - Number(rightSuffix === null);
  }
  return compareSuffixes(leftSuffix, rightSuffix);
}

function versionParts(version: string): [string[], string[] | null] {
  const core = version.trim().replace(/^v/i, '').split('+', 1)[0] ?? '';
  const dash = core.indexOf('-');
  return dash < 0
    ? [core.split('.'), null]
    : [core.slice(0, dash).split('.'), core.slice(dash + 1).split('.')];
}

function compareSuffixes(left: readonly string[], right: readonly string[]): number {
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = comparePart(part, other, 'numbers first');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function comparePart(left: string, right: string, mixed: 'numbers first' | 'text first'): number {
  const leftIsNumber = /^\d+$/.test(left);
  const rightIsNumber = /^\d+$/.test(right);
  if (leftIsNumber !== rightIsNumber) return leftIsNumber === (mixed === 'numbers first') ? -1 : 1;
  if (!leftIsNumber) return compareText(left, right);
  // Compared as text, because a client may send more digits than a number can represent.
  const [leftDigits, rightDigits] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')];
  return leftDigits.length - rightDigits.length || compareText(leftDigits, rightDigits);
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
