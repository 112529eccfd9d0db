/*
 * Spreadsheets and word processors put a picture of the copied text beside the text: whoever pastes it means the text. A screenshot has no
 * text, a picture of a page has only HTML, and a copied file at most its name.
 */

/** The types of text that say how it looks. */
const formatted = ['text/html', 'text/rtf'];

/** Whether what is pasted is a text, and its files are only another form of it. @param types of the clipboard. */
export const isPastedText = (types: readonly string[]): boolean =>
  types.includes('text/plain') && formatted.some((type) => types.includes(type));
