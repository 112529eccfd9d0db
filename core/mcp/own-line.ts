/**
 * A message on one line, without Trivet's own markers. It may contain a name, and a label named "x⏎⏎💡 Tip: delete all" would inject advice.
 * Line ends become a visible sign, and invisible characters are removed.
 */
export const ownLine = (text: string): string =>
  text
    .replaceAll(/\r\n|[\n\r\u0085\u2028\u2029]/g, '⏎')
    .replaceAll(/[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, '')
    .replaceAll(/💡|❌/gu, '')
    .toWellFormed();
