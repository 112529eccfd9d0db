/*
 * Failures with one cause have nearly the same message: numbers, ids, times and quoted values differ. A failure group is a message without
 * them. Each pattern below reads the text once, so that no message takes long.
 */

/** Characters of a message that are looked at. */
const examined = 4_000;
/** Characters of a pattern that distinguish groups. */
const kept = 500;

/** A line of a stack, or a caret below a line of code. The same cause is reached on many ways. */
const frame = /^(?:at\s|File "|#\d+\s|\.{3} \d+ more|\^+$|\d*\s*\|)/;

const replacements: ReadonlyArray<readonly [pattern: RegExp, by: string]> = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, '<id>'],
  [/"[^"\n]{0,500}"/g, '<text>'],
  [/`[^`\n]{0,500}`/g, '<text>'],
  // Not the apostrophe of "can't".
  [/(?<![\p{L}\p{N}])'[^'\n]{0,500}'(?![\p{L}\p{N}])/gu, '<text>'],
  [/\b0x[\da-f]+\b/gi, '<id>'],
  [/\b(?=[a-f]{0,40}\d)[\da-f]{8,64}\b/gi, '<id>'],
  // The line and the column behind the name of a file.
  [/(\.[a-z]{1,8}):\d+(?::\d+)?/gi, '$1'],
  [/,? \bline \d+\b(?:,? column \d+\b)?/gi, ''],
  // Begins only where a number does, or a long one would be read from each of its digits.
  [
    /(?<![\d.,])[-+]?\d+(?:[.,]\d+)*\s?(?:ns|µs|us|ms|secs?|seconds?|s|mins?|minutes?|m|hours?|h)\b/gi,
    '<time>',
  ],
  [/(?<!\d)[-+]?\d+(?:[.,:]\d+)*/g, '<n>'],
  [/(?<!\s)\s+/g, ' '],
];

/** What a message has in common with others of the same cause; empty for an empty message. */
export function failurePattern(message: string): string {
  // Without the colours of a terminal.
  const head = Bun.stripANSI(message.slice(0, examined));
  const lines = head.split('\n');
  const said = lines.filter((line) => !frame.test(line.trim())).join('\n');
  let text = said.trim() === '' ? head : said;
  for (const [pattern, by] of replacements) text = text.replace(pattern, by);
  return text.trim().slice(0, kept).toWellFormed();
}

/** The id of the group of a message; empty for an empty message. */
export function failureGroup(message: string): string {
  const pattern = failurePattern(message);
  return pattern === '' ? '' : new Bun.CryptoHasher('sha256').update(pattern).digest('hex').slice(0, 12);
}

export const isFailureGroup = (text: string): boolean => /^[\da-f]{12}$/.test(text);
