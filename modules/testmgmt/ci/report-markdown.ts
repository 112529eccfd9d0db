import { counted } from '../../../core/base/counted-noun.ts';
import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { cut, lineOf, linesOf, webAddressOf } from './foreign-text.ts';
import { sectionsOf, type ReportSection } from './report-section.ts';
import { verdictOf } from './report-verdict.ts';

/*
 * The report as Markdown: a comment of a pull request, a note of a merge request, the summary of a GitHub step. Foreign text occurs only in
 * code spans and code blocks whose fence is longer than any in the text: there Markdown, HTML, mentions and links are plain characters
 * (CommonMark 0.31 §6.1). The table contains only numbers, because a cell ends at a `|` even inside a code span.
 */

/** Most characters in total. GitHub refuses a comment of more than 65,536. */
const markdownLimit = 60_000;
/** Characters reserved for the text after the lists. */
const reserved = 1_000;
/** A list with at most this many entries is shown expanded. */
const openEntries = 5;
const messageLines = 8;
const messageWidth = 300;

const fenceFor = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...(text.match(/`+/g) ?? []).map(({ length }) => length + 1)));

function code(text: string): string {
  const fence = fenceFor(text, 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${text}${pad}${fence}`;
}

/** An address between angle brackets. Brackets in it are escaped already (WHATWG URL), but a backslash and an entity are not. */
const linkTo = (title: string, address: string): string =>
  `[${title}](<${address.replaceAll('\\', '%5C').replaceAll('&', '&amp;').replaceAll(/[<>]/g, encodeURIComponent)}>)`;

function messageBlock(message: string): string {
  const all = linesOf(message);
  const lines = all.slice(0, messageLines).map((line) => cut(line, messageWidth));
  const text = [...lines, ...(all.length > lines.length ? ['…'] : [])].join('\n');
  if (text.trim() === '') return '';
  const fence = fenceFor(text, 3);
  return `\n${[fence, ...text.split('\n'), fence].map((line) => `  ${line}`).join('\n')}\n\n`;
}

const entryText = ({ names, place, message, about }: ReportSection['entries'][number]): string =>
  `- ${[names.map(code).join(' → '), about, place && code(place)].filter(Boolean).join(', ')}\n${message === undefined ? '' : messageBlock(message)}`;

/** A list with as many entries as fit; undefined if none fits. */
function sectionText({ title, tone, total, entries }: ReportSection, room: number): string | undefined {
  const open = tone === 'bad' && entries.length <= openEntries ? ' open' : '';
  let text = `<details${open}><summary>${title} (${total})</summary>\n\n`;
  const end = (shown: number) => `${total > shown ? `\n… and ${total - shown} more.\n` : ''}\n</details>\n\n`;
  if (text.length + end(0).length > room) return undefined;
  let shown = 0;
  for (const entry of entries) {
    const next = entryText(entry);
    if (text.length + next.length + end(0).length > room) break;
    text += next;
    shown++;
  }
  return text + end(shown);
}

export function reportMarkdown(report: UploadReport): string {
  const { totals, runId, runKey, comparedWith, files } = report;
  const url = report.url === undefined ? undefined : webAddressOf(report.url);
  const run = runId === null ? 'No run yet' : `Run ${runId}`;
  const rows = [
    ['Tests', totals.cases],
    ['Passed', totals.passed],
    ['Failed', totals.failed],
    ...(totals.quarantined === undefined ? [] : [['In quarantine', totals.quarantined] as const]),
    ['Skipped', totals.skipped],
    ['Flaky', totals.flaky],
    ['Fixed', report.fixedCount],
    ['New', report.created],
  ] as const;
  const compared =
    comparedWith === null
      ? 'Compared with no run: there is none before it.'
      : `Compared with run ${comparedWith.runId}, ${code(cut(lineOf(comparedWith.runName), messageWidth))}.`;
  let text = [
    `### ${verdictOf(report)}\n\n`,
    `| ${rows.map(([title]) => title).join(' | ')} |\n|${' --: |'.repeat(rows.length)}\n| ${rows.map(([, count]) => count).join(' | ')} |\n\n`,
    `${url === undefined ? run : linkTo(run, url)}, key ${code(cut(lineOf(runKey), messageWidth))}, ${counted(files.length, 'file')}. ${compared}\n\n`,
  ].join('');
  const left: string[] = [];
  for (const section of sectionsOf(report)) {
    const next = sectionText(section, markdownLimit - reserved - text.length);
    if (next === undefined) left.push(`${section.title} (${section.total})`);
    else text += next;
  }
  return left.length === 0 ? text : `${text}Left out here for their length: ${left.join(', ')}.\n`;
}
