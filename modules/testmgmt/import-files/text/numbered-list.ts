const item = /^[ \t]{0,8}(\d{1,4})[.)](?:\s|$)/;

/** A longer text is more than the steps of a test may have together. */
const longest = 600_000;
/** One more than a test may have, so that the check refuses it. */
const mostItems = 501;

/**
 * The items of a list that a cell holds as lines `1. …`, `2. …`. Other lines go on with their item.
 * @param isQuoted an item may be in quotes, with `\n` for a line end, as Qase writes it. Elsewhere quotes are a part of the text.
 * @returns undefined if the text is no such list.
 */
export function numberedItems(text: string, isQuoted = false): string[] | undefined {
  if (text.length > longest) return undefined;
  const items: string[][] = [];
  for (const line of text.replaceAll(/\r\n?/g, '\n').split('\n')) {
    if (items.length === mostItems) break;
    const found = item.exec(line);
    const isNext = found !== null && Number(found[1]) === items.length + 1;
    if (isNext) items.push([line.slice(found[0].length)]);
    else if (items.length > 0) items.at(-1)?.push(line);
    else if (line.trim() !== '') return undefined;
  }
  if (items.length === 0) return undefined;
  const texts = items.map((lines) => lines.join('\n').trim());
  return isQuoted ? texts.map(unquoted) : texts;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '', t: '\t' };

/** `"Save" or "Cancel"` is no quoted text. */
const quotedText = /^"[^"\\]*(?:\\[\s\S][^"\\]*)*"$/;

const unquoted = (text: string): string =>
  quotedText.test(text)
    ? text.slice(1, -1).replaceAll(/\\([\s\S])/g, (_whole, mark: string) => escapes[mark] ?? mark)
    : text;

/** A step as a file may hold it. An empty action of a step that has more is a dash. Undefined for nothing. */
export function stepOfTexts(
  action: string,
  data: string,
  expected: string,
): { action: string; data?: string; expected?: string } | undefined {
  const isEmpty = (text: string) => text.trim() === '';
  if (isEmpty(action) && isEmpty(data) && isEmpty(expected)) return undefined;
  return {
    action: isEmpty(action) ? '–' : action,
    ...(isEmpty(data) ? {} : { data }),
    ...(isEmpty(expected) ? {} : { expected }),
  };
}

/**
 * The steps of three cells with numbered lists; what is no list is one step.
 * @param isQuoted as in {@link numberedItems}.
 */
export function stepsOfLists(actions: string, data: string, expected: string, isQuoted = false): object[] {
  const lists = [actions, data, expected].map((text) => numberedItems(text, isQuoted));
  const [first] = lists;
  const isList = (text: string, list: string[] | undefined) => list !== undefined || text.trim() === '';
  if (!first || ![data, expected].every((text, at) => isList(text, lists[at + 1])))
    return [stepOfTexts(actions, data, expected)].flatMap((step) => step ?? []);
  const most = Math.max(...lists.map((list) => list?.length ?? 0));
  return Array.from({ length: most }, (_, at) =>
    stepOfTexts(lists[0]?.[at] ?? '', lists[1]?.[at] ?? '', lists[2]?.[at] ?? ''),
  ).flatMap((step) => step ?? []);
}
