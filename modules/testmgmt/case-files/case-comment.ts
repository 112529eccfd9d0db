import { byName, wordOfClassification, type Classification } from '../rules/classification.ts';

/*
 * The comment before a test, with what has no place in its text:
 *
 * <!-- test
 * id: @T12
 * priority: High
 * labels: smoke, "a, b"
 * -->
 */

/** The words of a comment, as in queries. */
export const commentWords: Readonly<Record<Classification, string>> = byName(wordOfClassification);

/** What a comment says; what it does not say is not set. */
export interface CaseComment {
  readonly testId: number | null;
  /** By word, as written: `priority`, `squad`, `estimate`. */
  readonly values: ReadonlyMap<string, string>;
  readonly labels: readonly string[];
  /** What a conflict of a name or a section left behind; both stand elsewhere, so a push asks for it to be settled. */
  readonly left: { readonly name?: string; readonly section?: string };
}

const knownWords: readonly string[] = ['id', ...Object.values(commentWords), 'squad', 'labels', 'estimate'];

const linePattern = /^[ \t]*([a-z][a-z-]{0,30}):(.*)$/is;

export const commentBegin = '<!-- test';
export const commentEnd = '-->';

/** The lines around a conflict, which somebody must resolve before a push. */
export const conflictLines = {
  file: '<<<<<<< file',
  middle: '=======',
  server: '>>>>>>> server',
} as const;

const looksLikeMark = new RegExp(`^\\\\*\\s*(?:${conflictLines.file}|${conflictLines.server})\\s*$`);

/** A line of a text of a test that looks like a mark, as it is written: with a backslash. */
export const withoutMark = (line: string): string => (looksLikeMark.test(line) ? `\\${line}` : line);

/** The line that was written as this. */
export const withMark = (line: string): string =>
  line.startsWith('\\') && looksLikeMark.test(line) ? line.slice(1) : line;

/** Both values of a field that a line holds. */
export const conflictOf = (file: readonly string[], server: readonly string[]): readonly string[] => [
  conflictLines.file,
  ...file,
  conflictLines.middle,
  ...server,
  conflictLines.server,
];

/** The lines as the file has them: of a conflict, those of its first side. */
function linesOfFile(lines: readonly string[]): readonly string[] {
  let [isConflict, isServer] = [false, false];
  return lines.filter((line) => {
    const text = line.trim();
    if (text === conflictLines.file) isConflict = true;
    if (isConflict && text === conflictLines.middle) isServer = true;
    const isKept = !isServer && text !== conflictLines.file;
    if (text === conflictLines.server) [isConflict, isServer] = [false, false];
    return isKept;
  });
}

/** The lines between the begin and the end of a comment. */
const innerLines = (raw: string): readonly string[] =>
  raw
    .slice(raw.indexOf(commentBegin) + commentBegin.length, raw.lastIndexOf(commentEnd))
    .split('\n')
    .map((line) => line.replace(/\r$/, ''));

/** @throws CommentFault. */
export function readComment(raw: string): CaseComment {
  const values = new Map<string, string>();
  const left: { name?: string; section?: string } = {};
  for (const line of linesOfFile(innerLines(raw))) {
    const [, word = '', rest = ''] = linePattern.exec(line) ?? [];
    const key = word.toLowerCase();
    if (key === 'name' || key === 'section') left[key] = rest.trim();
    if (!knownWords.includes(key)) continue;
    if (values.has(key)) throw new CommentFault(`"${key}" is there twice`);
    values.set(key, rest.trim());
  }
  const id = values.get('id') ?? '';
  if (id !== '' && !/^@T\d{1,15}$/.test(id)) throw new CommentFault(`"id: ${id}" is no id like @T12`);
  const labels = readNames(values.get('labels') ?? '');
  for (const word of ['id', 'labels']) values.delete(word);
  const single = [...values].flatMap(([word, text]) => {
    const [name, ...more] = readNames(text);
    if (more.length > 0) throw new CommentFault(`"${word}" has several values`);
    return name === undefined ? [] : [[word, name] as const];
  });
  return { testId: id === '' ? null : Number(id.slice(2)), values: new Map(single), labels, left };
}

/** What is wrong with a comment, as a part of a sentence. */
export class CommentFault extends Error {}

/** Names separated by commas; a name with a comma or a quote is a JSON string. @throws CommentFault. */
function readNames(text: string): readonly string[] {
  const names: string[] = [];
  for (let rest = text.trim(); rest !== '';) {
    const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(rest) ?? [];
    const raw = quoted ?? /^[^,]*/.exec(rest)?.[0] ?? '';
    const name = quoted === undefined ? raw.trim() : textOf(quoted);
    if (quoted === undefined && name.includes('"')) throw new CommentFault(`"${text}" is no list of names`);
    if (name !== '') names.push(name);
    const after = rest.slice(raw.length).trimStart();
    if (after !== '' && !after.startsWith(',')) throw new CommentFault(`"${text}" is no list of names`);
    rest = after.slice(1).trimStart();
  }
  return names;
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new CommentFault(`${quoted} is no JSON string`);
  }
}

/** A name as it is written: quoted if it would be read as another one, or would end the comment. */
export const writtenName = (name: string): string =>
  /[",]|--|[\n\r]|^\s|\s$/.test(name) ? JSON.stringify(name).replaceAll('--', '\\u002d\\u002d') : name;

export const writtenNames = (names: readonly string[]): string => names.map(writtenName).join(', ');

/** A new comment. @param lines by word; what is null is left out. */
export const newComment = (lines: ReadonlyMap<string, string | null>, eol: string): string =>
  [
    commentBegin,
    ...knownWords.flatMap((word) => {
      const value = lines.get(word) ?? null;
      return value === null ? [] : [`${word}: ${value}`];
    }),
    commentEnd,
    '',
  ].join(eol);

/**
 * The comment with some lines changed. All other lines stay as they are, also words that nobody knows.
 * @param changes by word; null removes a line.
 */
export function changedComment(
  raw: string,
  changes: ReadonlyMap<string, string | null>,
  eol: string,
): string {
  const begin = raw.indexOf(commentBegin) + commentBegin.length;
  const end = raw.lastIndexOf(commentEnd);
  const lines = innerLines(raw);
  const left = new Map(changes);
  const kept = lines.flatMap((line) => {
    const key = linePattern.exec(line)?.[1]?.toLowerCase() ?? '';
    const value = left.get(key);
    if (value === undefined) return [line];
    left.delete(key);
    return value === null ? [] : [`${key}: ${value}`];
  });
  const added = [...left].flatMap(([word, value]) => (value === null ? [] : [`${word}: ${value}`]));
  // A comment on one line becomes one on several.
  while (kept.length > 0 && kept.at(-1)?.trim() === '') kept.pop();
  const [first = '', ...rest] = kept;
  const body = [...(first.trim() === '' ? [] : [first.trim()]), ...rest, ...added];
  return raw.slice(0, begin) + eol + body.map((line) => line + eol).join('') + raw.slice(end);
}
