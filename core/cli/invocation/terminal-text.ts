/**
 * Characters that control a terminal: C0 and C1 controls (colours, cursor, window title, typed-back responses), and bidi controls, which
 * change the direction of text so that a name reads as another one. Names of records come from users and may contain any of them.
 */
const obeyed = /(?![\n\t]|\r\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text with these characters escaped as in JSON (RFC 8259 §7). Tabs and line ends stay. */
export const escapeControls = (text: string): string => text.replaceAll(obeyed, escaped);

/** JSON text that is safe to show and means the same: JSON.stringify escapes only C0, and only inside strings. */
export const escapeJson = (value: unknown, indent?: number): string =>
  escapeControls(JSON.stringify(value, null, indent));
