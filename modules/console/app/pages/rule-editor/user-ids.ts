/** The form of a user id: a signed whole number, as in auth-userid. */
const form = /^-?\d{1,19}$/;

/** Ids of one call. The tool takes 100,000; smaller parts show how far it is, and lose less when one fails. */
const idsOfPart = 20_000;

export interface ReadIds {
  readonly ids: readonly string[];
  /** Lines that hold no user id, the first ones, with their numbers. */
  readonly wrong: ReadonlyArray<{ readonly line: number; readonly text: string }>;
  readonly wrongCount: number;
  /** Lines that name a user again. */
  readonly repeated: number;
  /** Lines of which only the first value was read, although nothing says what the others are. */
  readonly cut: number;
}

const mostShown = 20;
const names = /^(?:user[ _-]?id|auth-userid|id|user)$/i;

/**
 * The user ids of a text: one in a line, or a CSV, of which the column that is called `userId`, `user_id`, `User ID`, `auth-userid`, `id` or `user`
 * is read, else the first one. One line of ids alone is a list of them.
 */
export function readIds(text: string): ReadIds {
  let column: number | undefined;
  let hasHead = false;
  const ids = new Set<string>();
  const wrong: { line: number; text: string }[] = [];
  let [wrongCount, repeated, cut] = [0, 0, 0];
  for (const { line, cells } of rowsOfList(text) ?? rowsOf(text.replace(/^\uFEFF/, ''))) {
    if (column === undefined) {
      const named = cells.findIndex((cell) => names.test(cell));
      column = Math.max(0, named);
      // The heads of the columns.
      hasHead = named >= 0;
      if (hasHead) continue;
    }
    if (cells.every((cell) => cell === '')) continue;
    if (!hasHead && cells.slice(1).some((cell) => form.test(cell))) cut++;
    const cell = cells[column] ?? '';
    if (!form.test(cell)) {
      wrongCount++;
      if (wrong.length < mostShown) wrong.push({ line, text: cell.slice(0, 60) });
    } else if (ids.has(cell)) repeated++;
    else ids.add(cell);
  }
  return { ids: [...ids], wrong, wrongCount, repeated, cut };
}

interface Row {
  /** Its number, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The ids of the one line `7, 8, 9`, a row for each; undefined for anything else. */
function rowsOfList(text: string): readonly Row[] | undefined {
  const line = text.trim();
  if (lineEnd.test(line)) return undefined;
  const ids = line.split(/[,;\s]+/).filter((id) => id !== '');
  return ids.every((id) => form.test(id)) ? ids.map((id) => ({ line: 1, cells: [id] })) : undefined;
}

/** The rows of a CSV (RFC 4180): a cell in quotes may hold separators and lines. The first separator of the first line is that of all. */
function* rowsOf(text: string): Generator<Row> {
  const [separator = ','] = /[,;\t]/.exec((/^.*/.exec(text)?.[0] ?? '').replace(/"[^"]*"/g, '')) ?? [];
  // Without quotes it is enough to split, which reads a million ids faster.
  if (!text.includes('"')) {
    for (const [index, line] of text.split(lineEnd).entries())
      yield { line: index + 1, cells: line.split(separator).map((cell) => cell.trim()) };
    return;
  }
  const cell = new RegExp(` *(?:"((?:[^"]|"")*)" *|([^${separator}\r\n]*))(${separator}|\r\n|\n|\r|$)`, 'y');
  let cells: string[] = [];
  let [line, first] = [1, 1];
  while (cell.lastIndex <= text.length) {
    const [all = '', quoted, plain = '', end = ''] = cell.exec(text) ?? [];
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    line += all.split(lineEnd).length - 1;
    if (end === separator) continue;
    yield { line: first, cells };
    if (end === '') return;
    [cells, first] = [[], line];
  }
}

const lineEnd = /\r\n|\n|\r/;

/** The ids in parts of one call each. */
export const partsOf = (ids: readonly string[]): ReadonlyArray<readonly string[]> =>
  Array.from({ length: Math.ceil(ids.length / idsOfPart) }, (_, part) =>
    ids.slice(part * idsOfPart, (part + 1) * idsOfPart),
  );
