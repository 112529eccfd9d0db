import { textHead } from '../../../core/text/text-head.ts';

/*
 * Text from a build or a results file: names of branches and tests, messages, addresses. Anyone who can open a pull request controls it,
 * and it is shown in terminals, logs and pages, where some characters act as commands.
 */

/** Control characters, and characters that reverse the text direction. */
const obeyed = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Changes a line so that no provider's log reads it as a command: GitHub's runner looks for `::` at its start, after white space, and for
 * `##[` anywhere (ActionCommand.cs of actions/runner), Azure Pipelines for `##vso[`, TeamCity for `##teamcity[`.
 */
const inert = (line: string): string =>
  line.replaceAll(/##(?=\w*\[)/g, '# #').replace(/^(\s*):(?=:)/, '$1: ');

/** The text in one line: without colours and control characters, each run of white space as one space. */
export const lineOf = (text: string): string =>
  inert(Bun.stripANSI(text).replaceAll(/\s+/gu, ' ').replaceAll(obeyed, '').toWellFormed().trim());

/** The text in lines: like {@link lineOf}, but line ends and indentation are kept. Empty lines around the text are removed. */
export const linesOf = (text: string): readonly string[] =>
  Bun.stripANSI(text)
    .replaceAll('\t', '  ')
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => inert(line.replaceAll(obeyed, '').toWellFormed().trimEnd()))
    .join('\n')
    .replaceAll(/^\n+|(?<!\n)\n+$/g, '')
    .split('\n');

/** The text, cut with an ellipsis at the limit. */
export const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${textHead(text, limit - 1)}…`;

const hashLength = 16;

/** The text, or its beginning and a hash of the whole, so that two long texts that differ only at their end stay different. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, hashLength);
  return `${textHead(text, limit - hashLength - 1)}~${hash}`;
}

/** An address that a page may link to, without the user and password that some tools include; undefined for any other. */
export function webAddressOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
