import { escapeControls } from './terminal-text.ts';

/* Results as tables, for people. Programs read JSON, which also contains what does not fit here. */

type Row = Readonly<Record<string, unknown>>;

/** The maximum length of a cell: longer texts end in an ellipsis. */
const widestCell = 60;
const gap = '  ';

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The records if the result is a list: it has a total and exactly one member that is a list of records.
 * @param list the name of the list that the total counts, where it is known: the result may have others beside it.
 */
export function recordsOf(result: unknown, list?: string): readonly Row[] | undefined {
  if (!isRow(result) || typeof result['total'] !== 'number') return undefined;
  const lists = Object.values(list === undefined ? result : { list: result[list] }).filter(
    (member): member is unknown[] => Array.isArray(member),
  );
  const [only] = lists;
  return only && lists.length === 1 && only.every(isRow) ? only : undefined;
}

/**
 * A result as text: a list becomes a table with the number of further records, one record becomes lines. Control characters are escaped.
 * @param width the maximum line length; columns that do not fit are left out unless `columns` names them.
 */
export function tableOf(
  result: unknown,
  { width, columns }: { readonly width: number; readonly columns?: readonly string[] },
): string {
  const rows = recordsOf(result);
  if (!rows) return isRow(result) ? linesOf(result) : `${cellOf(result)}\n`;
  const rest = Object.entries(result as Row).filter(([, value]) => value !== rows);
  const table = rows.length === 0 ? 'Nothing.\n' : gridOf(rows, columns ?? columnsFor(rows, width));
  return `${table}${footerOf(Object.fromEntries(rest), rows.length)}`;
}

/** As many columns as fit, in the order of the records, without empty ones and without ids whose name has its own column. */
function columnsFor(rows: readonly Row[], width: number): readonly string[] {
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const [first = ''] = all;
  const telling = all.filter(
    (name) =>
      rows.some((row) => cellOf(row[name]) !== '') &&
      (name === first || !name.endsWith('Id') || !hasName(all, name.slice(0, -2))),
  );
  let used = 0;
  return telling.filter((name, at) => {
    const column = widthOf(rows, name) + (at === 0 ? 0 : gap.length);
    if (at > 0 && used + column > width) return false;
    used += column;
    return true;
  });
}

/** `priorityId` accompanies `priority`, and `projectId` is the same in all rows of a list. */
const hasName = (all: readonly string[], kind: string) =>
  kind === 'project' || ['', 'Name', 'Path'].some((end) => all.includes(kind + end));

const widthOf = (rows: readonly Row[], name: string) =>
  Math.max(Bun.stringWidth(name), ...rows.map((row) => Bun.stringWidth(cellOf(row[name]))));

function gridOf(rows: readonly Row[], columns: readonly string[]): string {
  const widths = columns.map((name) => widthOf(rows, name));
  const numeric = columns.map((name) => rows.every((row) => typeof (row[name] ?? 0) === 'number'));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => {
        const room = ' '.repeat(Math.max(0, (widths[at] ?? 0) - Bun.stringWidth(cell)));
        return numeric[at] ? room + cell : cell + room;
      })
      .join(gap)
      .trimEnd();
  const body = rows.map((row) => line(columns.map((name) => cellOf(row[name]))));
  return `${[line(columns), line(widths.map((width) => '─'.repeat(width))), ...body].join('\n')}\n`;
}

const paging: ReadonlySet<string> = new Set(['total', 'limit', 'offset', 'nextOffset']);

/** The number of further records, and other members of the result. */
function footerOf(rest: Row, listed: number): string {
  const { total, offset, nextOffset } = rest;
  const others = Object.entries(rest).filter(([name]) => !paging.has(name));
  const page =
    typeof total !== 'number'
      ? ''
      : nextOffset === undefined && listed === total
        ? `${total} in all\n`
        : `${listed} of ${total}, from ${Number(offset ?? 0) + 1}${nextOffset === undefined ? '' : `; go on with offset ${String(nextOffset)}`}\n`;
  return others.length === 0 ? `\n${page}` : `\n${linesOf(Object.fromEntries(others))}${page}`;
}

/** One record: a line for each member. */
function linesOf(record: Row): string {
  const width = Math.max(0, ...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => {
      const rows =
        Array.isArray(value) && value.length > 0 && value.every(isRow) ? (value as Row[]) : undefined;
      if (rows && !rows.every((row) => 'labelName' in row))
        return `${name}:\n${indented(gridOf(rows, columnsFor(rows, 200)))}`;
      return `${`${name.padEnd(width)}${gap}${textOf(value)}`.trimEnd()}\n`;
    })
    .join('');
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, gap);

/** A value on one line, truncated. */
function cellOf(value: unknown): string {
  const text = textOf(value).replaceAll(/\s+/g, ' ').trim();
  return Bun.stringWidth(text) <= widestCell ? text : `${[...text].slice(0, widestCell - 1).join('')}…`;
}

/** A value in words: paths as `A > B`, names of records, counts as `passed 3, failed 1`. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string')
    return escapeControls(isTime(value) ? value.slice(0, 16).replace('T', ' ') : value);
  if (Array.isArray(value)) {
    const names = value.map((one) => (isRow(one) ? nameIn(one) : textOf(one)));
    return names.join(value.every((one) => typeof one === 'string') ? ' > ' : ', ');
  }
  if (isRow(value)) {
    return Object.entries(value)
      .filter(([, one]) => one !== 0 && one !== null)
      .map(([name, one]) => `${escapeControls(name)} ${textOf(one)}`)
      .join(', ');
  }
  return String(value);
}

/** The name of a record in a list inside a record, e.g. of a label. */
function nameIn(record: Row): string {
  const named = Object.entries(record).find(([key]) => key.endsWith('Name'));
  return named ? textOf(named[1]) : textOf(record);
}

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
