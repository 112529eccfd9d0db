/** Characters of a name: the id of a registered client contains it, and a person reads it. */
const maxLength = 80;

/**
 * The name that a client gives itself, on one line; empty when nothing of it can be shown. Characters that turn the direction of text would
 * let it look like another.
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
