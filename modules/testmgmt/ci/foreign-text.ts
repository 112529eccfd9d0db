/*
 * Text that a build or a file with results brings: names of branches and tests, messages, addresses. Whoever may open a pull request
 * chooses it, and it is shown in terminals, logs and pages, which obey more characters than they show.
 */

/** Controls, and characters that turn text around. */
const obeyed = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A line that the log of no provider takes as a command: GitHub's runner looks for `::` at its start, after white space, and for `##[`
 * anywhere (ActionCommand.cs of actions/runner), Azure Pipelines for `##vso[`, TeamCity for `##teamcity[`.
 */
const inert = (line: string): string =>
  line.replaceAll(/##(?=\w*\[)/g, '# #').replace(/^(\s*):(?=:)/, '$1: ');

/** The text in one line: without colours and controls, each run of white space as one space. */
export const lineOf = (text: string): string =>
  inert(Bun.stripANSI(text).replaceAll(/\s+/gu, ' ').replaceAll(obeyed, '').toWellFormed().trim());

/** The text in lines: as {@link lineOf}, but line ends and indentation stay. Empty lines around the text go. */
export const linesOf = (text: string): readonly string[] =>
  Bun.stripANSI(text)
    .replaceAll('\t', '  ')
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => inert(line.replaceAll(obeyed, '').toWellFormed().trimEnd()))
    .join('\n')
    .replaceAll(/^\n+|(?<!\n)\n+$/g, '')
    .split('\n');

/** The first characters; a pair of surrogates is not split. */
const head = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** The text, with an ellipsis for what is beyond the limit. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${head(text, limit - 1)}…`;

const hashLength = 16;

/** The text, or its beginning and a hash of the whole: two long texts that differ at their end stay different. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, hashLength);
  return `${head(text, limit - hashLength - 1)}~${hash}`;
}

/** An address that a page may link to, without the user and password that some tools put there; undefined for any other. */
export function webAddressOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
