import { counted } from '../../../core/base/counted-noun.ts';
import { percentages, testStatuses } from '../rules/test-status.ts';
import {
  donut,
  filesText,
  shownGroups,
  statusColours,
  timeText,
  trendBars,
  type Group,
  type OpenTest,
  type RunReport,
} from './run-report.ts';

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);

// The page loads nothing and runs nothing, so it opens offline and from an e-mail.
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const style = `
  body { font: 15px/1.5 system-ui, sans-serif; color: #212121; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: break-word; font-variant-ligatures: none; }
  h1 { margin: 0; } .about { color: #616161; } .sum { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: center; margin: 1.5rem 0; }
  .sum table { flex: 1 1 14rem; width: auto; margin: 0; } .sum td { white-space: nowrap; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid #e0e0e0; }
  .scroll { overflow-x: auto; } .scroll, .open { margin: .5rem 0 2rem; } .scroll td:first-child { min-width: 9rem; overflow-wrap: anywhere; }
  th:first-child, td:first-child, .left { text-align: left; } td { vertical-align: top; }
  i { display: inline-block; width: .8em; height: .8em; border-radius: 50%; margin-right: .4em; print-color-adjust: exact; }
  .open { table-layout: fixed; } .open td:first-child { white-space: nowrap; }
  .open .id { width: 3rem; } .open .test { width: 20%; } .open .section { width: 9.5rem; } .open .status { width: 5rem; } .open .issues { width: 11%; }
  .said { white-space: pre-wrap; } .paper { display: none; }
  .verdict { font-size: 1.25rem; margin: .25rem 0; } svg { max-width: 100%; }
  @media screen and (max-width: 44rem) {
    .open, .open tbody, .open tr, .open td { display: block; } .open tr:first-child, .open td:empty { display: none; }
    .open tr { padding: .5rem 0; border-bottom: 1px solid #e0e0e0; } .open td { padding: 0; border: 0; } .open td:nth-child(2) { font-weight: 600; }
  }
  @page { size: A4; margin: 14mm; }
  @media print {
    body { margin: 0; max-width: none; padding: 0; font-size: 12px; } tr { break-inside: avoid; } h2 { margin: .5rem 0 0; break-after: avoid; }
    .scroll, .open { margin: .25rem 0 1rem; overflow: visible; } .sum { margin: .5rem 0; } .sum svg { width: 110px; height: 110px; } th, td { padding: .15rem .4rem; }
    .said { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 5; overflow: hidden; } .paper { display: block; margin: .25rem 0; }
  }
`;

/**
 * The report as one self-contained page: numbers, a ring, tables by section and squad, and the open tests. In pieces, because the comments
 * of 500 tests have 5 MB.
 */
export function* reportHtml(report: RunReport): Generator<string, void> {
  const { counts, runName, projectName, runDescription, query } = report;
  const shares = percentages(counts);
  const about = [
    `Project ${projectName}`,
    `run ${report.runId}`,
    `created ${timeText(report.createdAt)}`,
    report.lockedAt === null ? 'open' : `locked ${timeText(report.lockedAt)}`,
    `report of ${timeText(report.madeAt)}`,
  ].join(' · ');
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(runName)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(runName)}</h1>
<p class="verdict"><strong>${escaped(report.verdict)}</strong></p>
<p class="about">${escaped(about)}</p>
${runDescription === '' ? '' : `<p>${escaped(runDescription)}</p>`}
${query === null ? '' : `<p>Only the tests that fit the query <code>${escaped(query)}</code></p>`}
<div class="sum">
<div role="img" aria-label="${testStatuses.map((status) => `${status} ${counts[status]}`).join(', ')}">${donut(counts)}</div>
<table>
<tr><th>Status</th><th>Tests</th><th>%</th></tr>
${testStatuses.map((status) => `<tr><td><i style="background:${statusColours[status]}"></i>${status}</td><td>${counts[status]}</td><td>${shares[status].toFixed(1)}</td></tr>`).join('\n')}
<tr><th>total</th><th>${counts.total}</th><th></th></tr>
</table>
</div>
`;
  if (report.trend.length > 1) yield trendPart(report.trend);
  // Before the list of failures, which may be long: the first page on paper holds the answer.
  if (report.testers.length > 0) yield testersPart(report.testers);
  yield* openTable(report.open, report.openTotal);
  yield* groupTable('Section', report.bySection);
  yield* groupTable('Squad', report.bySquad);
  yield `</main>
</body>
</html>
`;
}

function trendPart(trend: RunReport['trend']): string {
  const rates = trend.map(({ passRate }) => `${passRate.toFixed(1)} %`).join(', ');
  return `<h2>Passed in the last ${counted(trend.length, 'run')}</h2>
<p role="img" aria-label="${escaped(rates)}">${trendBars(trend)}</p>
<p class="about">Of the tests with a result: ${escaped(rates)}</p>
`;
}

const testersPart = (testers: RunReport['testers']): string =>
  `<h2>Who tested</h2>\n<p>${escaped(testers.map(({ name, tests }) => `${name} (${tests})`).join(', '))}</p>\n`;

function* groupTable(title: string, groups: readonly Group[]): Generator<string, void> {
  if (groups.length === 0) return;
  const head = ['total', ...testStatuses, 'passed %'].map((name) => `<th>${name}</th>`).join('');
  yield `<h2>By ${title.toLowerCase()}</h2>
<div class="scroll" role="group" aria-label="By ${title.toLowerCase()}" tabindex="0"><table>
<tr><th>${title}</th>${head}</tr>
`;
  for (const { name, counts } of groups.slice(0, shownGroups)) {
    const share = percentages(counts).passed.toFixed(1);
    const cells = [counts.total, ...testStatuses.map((status) => counts[status]), share];
    yield `<tr><td>${escaped(name)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>\n`;
  }
  yield `</table></div>\n${more(groups.length, shownGroups)}\n`;
}

function* openTable(open: readonly OpenTest[], total: number): Generator<string, void> {
  if (open.length === 0) return;
  const isCut = open.some(({ comment }) => isLong(comment ?? ''));
  yield `<h2>Failed, blocked, to be run again</h2>
${isCut ? '<p class="paper">On paper a comment ends after 5 lines. The page on a screen has all of it.</p>\n' : ''}<table class="open">
<tr><th class="id">Id</th><th class="left test">Test</th><th class="left section">Section</th><th class="left status">Status</th><th class="left issues">Issues</th><th class="left">Comment</th></tr>
`;
  for (const { testId, testName, section, status, comment, issues, files } of open) {
    const attached = files.length === 0 ? '' : `<div class="files">${escaped(filesText({ files }))}</div>`;
    yield `<tr><td>${testId ?? ''}</td><td class="left">${escaped(testName)}</td><td class="left">${escaped(section)}</td><td class="left">${status}</td><td class="left">${escaped(issues.join(', '))}</td><td class="left"><div class="said">${escaped(comment ?? '')}</div>${attached}</td></tr>\n`;
  }
  yield `</table>\n${more(total, open.length)}\n`;
}

/** Whether a comment may have more than the lines that are printed: about 30 letters stand in one. */
const isLong = (comment: string): boolean => comment.length > 150 || comment.split('\n', 6).length > 5;

const more = (all: number, shown: number) => (all > shown ? `<p>… and ${all - shown} more.</p>` : '');
