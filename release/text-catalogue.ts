import { join } from 'node:path';

/** A text as the sources have it: its key and the English, by plural category where it has an amount. */
export type EnglishTexts = Record<string, string | { readonly one: string; readonly other: string }>;

const literal = /^(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")$/;

/** The value of a string in the sources; undefined for any other expression. */
function valueOf(expression: string | undefined): string | undefined {
  const found = literal.exec(expression?.trim() ?? '');
  if (!found) return undefined;
  return (found[1] ?? found[2] ?? '').replaceAll(/\\(n|u[0-9a-f]{4}|.)/g, (_, escaped: string) =>
    escaped === 'n'
      ? '\n'
      : escaped.length > 1
        ? String.fromCodePoint(Number.parseInt(escaped.slice(1), 16))
        : escaped,
  );
}

/** The arguments of a call as the sources have them. @param from after the opening parenthesis. */
function argumentsAt(source: string, from: number): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < source.length; at++) {
    const one = source.charAt(at);
    if (one === "'" || one === '"' || one === '`') {
      // A template in an argument has braces of its own; what stands between two quotes is passed over.
      for (at++; at < source.length && source.charAt(at) !== one; at++) if (source.charAt(at) === '\\') at++;
    } else if ('([{'.includes(one)) depth++;
    else if (depth === 0 && (one === ',' || one === ')')) {
      found.push(source.slice(start, at));
      start = at + 1;
      if (one === ')') return found;
    } else if (')]}'.includes(one)) depth--;
  }
  return found;
}

const plural = (one: string, other: string) => ({ one: `# ${one}`, other: `# ${other}` });

/** The names of a text that an object with its values lacks. @param values as the sources have them; one that is no literal is not read. */
const notGiven = (text: string, values: string): readonly string[] =>
  values.startsWith('{')
    ? [...text.matchAll(/\{(\w+)\}/g)].flatMap(([whole, name = '']) =>
        new RegExp(`\\b${name}\\b\\s*[:,}]`).test(values) ? [] : [whole],
      )
    : [];

/** The texts of one file. @throws Error for a text that is no literal: nobody could list it. */
export function textsIn(file: string, source: string): EnglishTexts {
  const texts: EnglishTexts = {};
  for (const { 1: name = '', index, 0: call } of source.matchAll(
    /(?<![\w.$])(t|nodes|countText|doneText|noun)\(/g,
  )) {
    if (/(?:function|const) $/.test(source.slice(Math.max(0, index - 9), index))) continue;
    const given = argumentsAt(source, index + call.length);
    const [first, second, third] = given.map(valueOf);
    if (name === 't' || name === 'nodes') {
      if (first === undefined) throw new Error(`${file}: ${call}${given[0] ?? ''}) is no literal text`);
      const lost = notGiven(first, given[1]?.trim() ?? '');
      if (lost.length > 0) throw new Error(`${file}: nobody gives ${lost.join(', ')} of "${first}"`);
      texts[first] = first.split('##', 1)[0] ?? first;
    } else if (name === 'noun' && first !== undefined)
      texts[`# ${first}`] = plural(first, second ?? `${first}s`);
    else if (name === 'countText' && second !== undefined)
      texts[`# ${second}`] = plural(second, third ?? `${second}s`);
    else if (name === 'doneText' && second !== undefined && third !== undefined)
      texts[`# ${second} was ${third}`] = plural(`${second} was ${third}`, `${second}s were ${third}`);
  }
  return texts;
}

/** Every text of the console, sorted. @param folder the sources of the app. */
export async function catalogueOf(folder: string): Promise<EnglishTexts> {
  const all: EnglishTexts = {};
  for (const file of [...new Bun.Glob('**/*.{ts,tsx}').scanSync(folder)].toSorted())
    if (
      !/\.test\.tsx?$/.test(file) &&
      !/^(?:texts|pages\/design)\//.test(file) &&
      file !== 'design/amount.ts'
    )
      Object.assign(all, textsIn(file, await Bun.file(join(folder, file)).text()));
  return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
