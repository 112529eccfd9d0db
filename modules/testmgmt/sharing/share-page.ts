import { counted } from '../../../core/base/counted-noun.ts';
import type { milestoneRecordOf } from '../milestones/milestone-record.ts';
import { timeText, trendBars, trendOfRuns } from '../reports/run-report.ts';
import { testStatuses, type StatusCounts } from '../rules/test-status.ts';

function progressOf({
  description,
  dueOn,
  status,
  progress,
}: NonNullable<SharedProject['milestone']>): string {
  const due = dueOn === null ? '' : `, due ${dueOn}`;
  const share = progress.percentDone === null ? 'no tests yet' : `${progress.percentDone.toFixed(1)} % done`;
  const { total, passed, failed, blocked } = progress;
  return `<p><strong>${status === 'open' ? 'Open' : 'Closed'}${due}: ${share}</strong></p>
<p>${counted(total, 'test')} in ${counted(progress.runs, 'run')}: ${passed} passed, ${failed} failed, ${blocked} blocked</p>
<p>${Bun.escapeHTML(description)}</p>`;
}

interface SharedProject {
  readonly projectName: string;
  /** ISO 8601. */
  readonly madeAt: string;
  /** Only its runs. */
  readonly milestone?: Pick<
    ReturnType<typeof milestoneRecordOf>,
    'name' | 'description' | 'dueOn' | 'status' | 'progress'
  >;
  /** The newest first. */
  readonly runs: ReadonlyArray<{
    readonly runName: string;
    readonly createdAt: string;
    readonly counts: StatusCounts;
    readonly verdict: string;
  }>;
}

const style = `
  body { font: 15px/1.5 system-ui, sans-serif; color: #212121; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { margin: 0; } .about { color: #616161; } .wide { overflow-x: auto; } svg { max-width: 100%; height: auto; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid #e0e0e0; }
  th:first-child, td:first-child { min-width: 9rem; text-align: left; overflow-wrap: anywhere; }
`;

/** The last runs of a project as one page that loads nothing and runs nothing. */
export function projectPage({ projectName, madeAt, runs, milestone }: SharedProject): string {
  const name = Bun.escapeHTML(milestone?.name ?? projectName);
  const trend = trendOfRuns(runs).toReversed();
  const rows = runs.map(
    ({ runName, createdAt, counts, verdict }) =>
      `<tr><td><strong>${Bun.escapeHTML(runName)}</strong><br>${timeText(createdAt)}<br>${Bun.escapeHTML(verdict)}</td>${testStatuses
        .map((status) => `<td>${counts[status]}</td>`)
        .join('')}</tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${name}</h1>
<p class="about">${milestone ? `Milestone of ${Bun.escapeHTML(projectName)}` : 'The last runs'} · ${timeText(madeAt)}</p>
${milestone ? progressOf(milestone) : ''}
${
  runs.length === 0
    ? '<p>There is no run yet.</p>'
    : `${trend.length === 0 ? '' : `<p>${trendBars(trend)}</p>`}
<div class="wide"><table>
<tr><th>Run</th>${testStatuses.map((status) => `<th>${status}</th>`).join('')}</tr>
${rows.join('\n')}
</table></div>`
}
</main>
</body>
</html>
`;
}
