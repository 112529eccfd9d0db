import type { UploadReport } from '../pipelines/rows/upload-report.ts';
import { sectionsOf, type ReportSection } from './report-section.ts';
import { entryLines, summaryLines } from './report-table.ts';

/*
 * The report for a job of GitLab CI. GitLab shows the log of a job with colours and sections that fold (docs.gitlab.com/ci/jobs/job_logs).
 * It has no command for a place in the code: the widget of a merge request reads the JUnit file itself (`artifacts:reports:junit`), Code
 * Quality is about code and not about tests, and a note needs a token of its API. So the report is this log, and a note can be made from
 * `--output markdown`.
 */

const logWidth = 120;
const colours: Readonly<Record<ReportSection['tone'], number>> = {
  bad: 31,
  good: 32,
  doubtful: 33,
  plain: 0,
};

const clear = '\u001b[0K';
const marker = (end: 'start' | 'end', seconds: number, name: string, option = ''): string =>
  `${clear}section_${end}:${seconds}:${name}${option}\r${clear}`;

/** @param now epoch milliseconds: GitLab computes the duration of a section from its marks. */
export function reportGitlab(report: UploadReport, { now }: { readonly now: number }): string {
  const seconds = Math.floor(now / 1000);
  const lists = sectionsOf(report).map((section) => {
    const { key, title, total, tone } = section;
    const name = `trivet_${key}`;
    const heading = `\u001b[${colours[tone]};1m${title} (${total})\u001b[0m`;
    const start = marker('start', seconds, name, tone === 'bad' ? '' : '[collapsed=true]');
    return [`${start}${heading}`, ...entryLines(section, logWidth), marker('end', seconds, name)].join('\n');
  });
  return `${[...summaryLines(report, logWidth), ...lists].join('\n')}\n`;
}
