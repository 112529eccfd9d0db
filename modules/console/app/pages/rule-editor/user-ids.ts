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
}

const mostShown = 20;
const names = /^"?(?:user_?id|auth-userid|id|user)"?$/i;

/**
 * The user ids of a text: one in a line, or a CSV, of which the column that is called `userId`, `user_id`, `auth-userid`, `id` or `user`
 * is read, else the first one.
 */
export function readIds(text: string): ReadIds {
  const lines = text.split(/\r\n|\n|\r/);
  const first = cells(lines[0]?.replace(/^\uFEFF/, '') ?? '');
  const named = first.findIndex((cell) => names.test(cell));
  const column = Math.max(0, named);
  const ids = new Set<string>();
  const wrong: { line: number; text: string }[] = [];
  let [wrongCount, repeated] = [0, 0];
  for (const [index, line] of lines.entries()) {
    const row = index === 0 ? first : cells(line);
    // The heads of the columns, and empty lines.
    if ((index === 0 && named >= 0) || row.every((cell) => cell === '')) continue;
    const cell = row[column] ?? '';
    if (!form.test(cell)) {
      wrongCount++;
      if (wrong.length < mostShown) wrong.push({ line: index + 1, text: cell.slice(0, 60) });
    } else if (ids.has(cell)) repeated++;
    else ids.add(cell);
  }
  return { ids: [...ids], wrong, wrongCount, repeated };
}

const cells = (line: string): readonly string[] =>
  line.split(/[,;\t]/).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  );

/** The ids in parts of one call each. */
export const partsOf = (ids: readonly string[]): ReadonlyArray<readonly string[]> =>
  Array.from({ length: Math.ceil(ids.length / idsOfPart) }, (_, part) =>
    ids.slice(part * idsOfPart, (part + 1) * idsOfPart),
  );
