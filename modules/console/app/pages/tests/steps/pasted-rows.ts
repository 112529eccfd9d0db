import type { Step } from './step-list.ts';

/* What a person pastes from a spreadsheet or a document, as rows. */

/** At most this many rows are taken from one paste; more belong into an import. */
export const mostPasted = 200;

/** A number or a bullet at the beginning of a line: `1.`, `2)`, `-`, `*`, `•`. */
const mark = /^(?:\d{1,4}[.)]|[-*•])[ \t]+/;

/**
 * The cells of a text from a spreadsheet: tabs between cells, line breaks between rows, and quotes around a cell with line breaks.
 * One pass over the text, because it comes from outside; it ends after `mostPasted` rows.
 */
function pastedCells(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  const hasTabs = text.includes('\t');
  const endCell = () => {
    row.push(cell.trim());
    cell = '';
  };
  const endRow = () => {
    endCell();
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length && rows.length < mostPasted; at++) {
    const letter = text[at];
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else isQuoted = false;
    } else if (letter === '"' && cell === '' && hasTabs) isQuoted = true;
    else if (letter === '\t') endCell();
    else if (letter === '\n') endRow();
    else if (letter !== '\r') cell += letter;
  }
  if (rows.length < mostPasted) endRow();
  return rows;
}

/** The titles of columns, as spreadsheets for tests have them. */
const title =
  /^(?:#|no\.?|nr\.?|steps?|step (?:no\.?|number|#)|actions?|data|test data|input|expected|expected (?:results?|outcome)|results?|schritt|aktion|daten|erwartet|erwartetes ergebnis)$/i;

/** Whether the first of several rows only names the columns. */
const isHead = ([first = [], ...others]: readonly (readonly string[])[]): boolean =>
  others.length > 0 && first.length > 1 && first.every((cell) => cell === '' || title.test(cell));

/** A number or a bullet in a cell of its own, as in a list that is copied from Word. */
const markCell = /^(?:\d{1,4}[.)]|[-*•·o])$/;

/** The steps of such a list: a row without a mark goes on with the step before it. @returns null for other rows. */
function listedSteps(rows: readonly (readonly string[])[]): readonly Step[] | null {
  const [first = ''] = rows[0] ?? [];
  if (!markCell.test(first) || rows.some((row) => row.length > 2)) return null;
  const actions: string[] = [];
  for (const [mark = '', text = ''] of rows)
    if (markCell.test(mark)) actions.push(text);
    else actions.push([actions.pop() ?? '', mark, text].filter((part) => part !== '').join('\n'));
  return actions.map((action) => ({ action }));
}

/**
 * The steps of a pasted text: of rows with cells (action, expected; or action, data, expected), or of lines that are numbered or have
 * bullets.
 * @returns null for another text, which is pasted as it is.
 */
export function pastedSteps(text: string): readonly Step[] | null {
  const rows = pastedCells(text);
  const hasCells = rows.some((row) => row.length > 1);
  if (!hasCells && !(rows.length > 1 && rows.every(([line = '']) => mark.test(line)))) return null;
  const listed = listedSteps(rows);
  if (listed) return listed;
  return (isHead(rows) ? rows.slice(1) : rows).map((row): Step => {
    // A first column with the number of the step is none of its texts.
    const [first = '', ...others] =
      row.length > 2 && /^\d{1,4}[.)]?$/.test(row[0] ?? '') ? row.slice(1) : row;
    const action = first.replace(mark, '');
    const [data, expected] = others.length > 1 ? others : [undefined, others[0]];
    return {
      action,
      ...(data === undefined || data === '' ? {} : { data }),
      ...(expected === undefined || expected === '' ? {} : { expected }),
    };
  });
}

/** The names of a pasted list of tests: the first cell of each row, without its number or bullet. @returns null for a single line. */
export function pastedNames(text: string): readonly string[] | null {
  const names = pastedCells(text)
    .map(([first = '']) => first.replace(mark, '').replaceAll(/\s+/g, ' ').slice(0, 255))
    .filter((name) => name !== '');
  return names.length > 1 ? names : null;
}
