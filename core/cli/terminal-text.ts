/**
 * What a terminal obeys instead of showing: C0 and C1 controls (colours, cursor, window title, answers typed back), and the marks
 * that turn the direction of text around (bidi), by which a name reads as another one. Records hold what people typed, so any of
 * it may stand in a name.
 */
const obeyed = /(?![\n\t]|\r\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text with such characters written out, as JSON would (RFC 8259 §7). Tabs and line ends stay. */
export const shown = (text: string): string => text.replaceAll(obeyed, escaped);

/** JSON text that is safe to look at and means the same: JSON itself escapes C0 alone, and only inside strings. */
export const jsonShown = (value: unknown, indent?: number): string =>
  shown(JSON.stringify(value, null, indent));
