/** The maximum length of a name: the id of a registered client contains it, and a person reads it. */
const maxLength = 80;

/**
 * The name that a client gives itself, on one line; empty if nothing of it can be shown. Bidi controls are removed, because they could make
 * it look like another name.
 */
export const plainClientName = (given: string): string =>
  [
    ...given
      .toWellFormed()
      .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ]
    .slice(0, maxLength)
    .join('')
    .trim();
