/** The size of a JSON value: the bytes of its text in UTF-8, and the number of values, including itself. */
export interface Weight {
  readonly bytes: number;
  readonly values: number;
}

/**
 * Measures a value. Stops at `limit`, so that a value far beyond the limit costs no more than the limit.
 * @returns null for a value above `limit`, or with more than 64 levels, which no request can have.
 */
export function weightOf(value: unknown, limit: Weight): Weight | null {
  const left = { bytes: limit.bytes, values: limit.values };
  return spendWeight(value, left, 64)
    ? { bytes: limit.bytes - left.bytes, values: limit.values - left.values }
    : null;
}

function spendWeight(value: unknown, left: { bytes: number; values: number }, levels: number): boolean {
  left.values--;
  if (left.values < 0 || levels < 0) return false;
  if (typeof value === 'string') return spendText(value, left);
  if (typeof value !== 'object' || value === null) {
    left.bytes -= String(value).length;
    return left.bytes >= 0;
  }
  left.bytes -= 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      left.bytes--;
      if (!spendWeight(item, left, levels - 1)) return false;
    }
  } else {
    for (const name in value) {
      left.bytes -= 2;
      if (
        !spendText(name, left) ||
        !spendWeight((value as Record<string, unknown>)[name], left, levels - 1)
      ) {
        return false;
      }
    }
  }
  return left.bytes >= 0;
}

/** Text has at least as many bytes as characters, so a text that is far too long need not be converted. */
function spendText(text: string, left: { bytes: number }): boolean {
  if (text.length + 2 > left.bytes) {
    left.bytes = -1;
    return false;
  }
  left.bytes -= plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
  return left.bytes >= 0;
}

/** Printable ASCII that JSON writes without escapes. */
const plain = /^[ !#-[\]-~]*$/;
