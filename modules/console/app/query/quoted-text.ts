/** A text as a value of a query, in quotes. */
export const quotedText = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
