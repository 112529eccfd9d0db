/*
 * Names in one text: the path of a section `Checkout > Payment`, or labels `smoke, ui`.
 */

const shownSeparator = { '>': ' > ', ',': ', ' } as const;
type Separator = keyof typeof shownSeparator;

/** Names in one text. A backslash escapes a separator or backslash inside a name. */
export const joined = (names: readonly string[], separator: Separator): string =>
  names
    .map((name) =>
      name.replace(/[\\>,]/g, (mark) => (mark === '\\' || mark === separator ? `\\${mark}` : mark)),
    )
    .join(shownSeparator[separator]);

/** The names of a text, trimmed, without empty ones. */
export function split(text: string, separator: Separator): string[] {
  const names: string[] = [''];
  for (let at = 0; at < text.length; at++) {
    const mark = text[at] ?? '';
    const next = text[at + 1];
    const last = names.length - 1;
    if (mark === '\\' && (next === '\\' || next === separator)) {
      names[last] += next;
      at++;
    } else if (mark === separator) names.push('');
    else names[last] += mark;
  }
  return names.map((name) => name.trim()).filter((name) => name !== '');
}
