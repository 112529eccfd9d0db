/*
 * A cell that begins like a formula would be run by the spreadsheet that opens the file (CWE-1236), the full-width signs
 * included: Excel reads them as their usual forms. What stands behind a semicolon is a cell of its own where the semicolon is
 * the separator, as in the countries that write a decimal comma. An apostrophe makes such text; one before a cell that has such an
 * apostrophe itself makes both tell apart. Lines inside a cell stay as they are: `- item` begins every list.
 */
const toGuard = /(?:^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=;)(?='*[=+\-@＝＋－＠]))/g;
const guards = /(?:^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=;)'(?='*[=+\-@＝＋－＠]))/g;

export const guarded = (cell: string): string => cell.replace(toGuard, "'");

export const unguarded = (cell: string): string => (cell.includes("'") ? cell.replace(guards, '') : cell);
