/*
 * A spreadsheet that opens the file would run a cell that begins like a formula (CWE-1236), even with full-width signs, which Excel reads
 * like the usual ones. In countries with a decimal comma the semicolon is the separator, so text after a semicolon is a cell too. An
 * apostrophe turns a formula into text. A cell that already begins with an apostrophe gets a second one, so that both can be told apart.
 * Lines inside a cell stay unchanged: `- item` begins every list.
 */
const toGuard = /(?:^(?='*[=+\-@＝＋－＠\t\r\n])|(?<=;)(?='*[=+\-@＝＋－＠]))/g;
const guards = /(?:^'(?='*[=+\-@＝＋－＠\t\r\n])|(?<=;)'(?='*[=+\-@＝＋－＠]))/g;

export const guarded = (cell: string): string => cell.replace(toGuard, "'");

export const unguarded = (cell: string): string => (cell.includes("'") ? cell.replace(guards, '') : cell);
