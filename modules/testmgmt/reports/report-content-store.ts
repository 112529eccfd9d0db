import { isoTime } from '../../../core/base/clock.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Project } from '../projects/project-store.ts';
import { fileNamesOf } from '../attachments/attachment-store.ts';
import { linksByTest } from '../links/link-store.ts';
import type { AskedQuery } from '../query/query-store.ts';
import { runSentence } from '../rules/run-sentence.ts';
import { loadRunTestRecords, pageOfRunTestQuery, pageOfRunTests } from '../runs/run-case-store.ts';
import { runRecordOf } from '../runs/run-record.ts';
import type { Run } from '../runs/run-row.ts';
import type { testersOf } from '../runs/run-state.ts';
import { loadStateAndTesters, namedTesters } from '../runs/run-state-store.ts';
import { newestRuns } from '../runs/run-store.ts';
import { messageOf, pageOfUnmatched } from '../runs/unmatched-result-store.ts';
import { knownFirst, shownTests, trendOfRuns, type OpenTest, type RunReport } from './run-report.ts';

/** The most failing cases without a test in a report; {@link RunReport.unmatched} counts them all. */
const shownUnmatched = 100;

/** The first tests of a run, or of a query in it, that failed, are blocked or need a retest. */
async function openTests(
  q: Query,
  run: Run,
  asked: AskedQuery | undefined,
  signal: AbortSignal,
): Promise<readonly OpenTest[]> {
  const open: OpenTest[] = [];
  if (!asked) {
    const { rows } = await pageOfUnmatched(q, run.id, { limit: shownUnmatched, offset: 0 });
    for (const { key, attempts, status } of rows)
      if (status === 'failed')
        open.push({
          testId: null,
          testName: key,
          section: 'of no test',
          status,
          comment: messageOf({ attempts }) ?? null,
          issues: [],
          files: [],
        });
  }
  for (const status of ['failed', 'blocked', 'retest'] as const) {
    const limit = shownTests - open.length;
    const rows = asked
      ? (await pageOfRunTestQuery(q, run.id, asked, { status, limit, offset: 0, signal })).rows
      : await pageOfRunTests(q, run.id, status, { limit });
    const records = await loadRunTestRecords(q, run.projectId, rows);
    const testIds = rows.map(({ testId }) => testId);
    const links = await linksByTest(q, testIds, run.id);
    const files = await fileNamesOf(q, run.id, testIds);
    const ofStatus = records.map(({ testId, testName, sectionPath, comment }) => {
      const issues = (links.get(testId) ?? []).flatMap(({ kind, key }) => (kind === 'defect' ? [key] : []));
      const section = sectionPath.join(' > ');
      return { testId, testName, section, status, comment, issues, files: files.get(testId) ?? [] };
    });
    open.push(...knownFirst(ofStatus));
    if (open.length >= shownTests) break;
  }
  return open;
}

/** Who tested, as a report names them. */
export async function testersOfReport(q: Query, deciders: ReturnType<typeof testersOf>) {
  const testers = await namedTesters(q, deciders);
  return testers.map((one) => ({ ...one, name: one.name ?? `User ${one.userId}` }));
}

/** Runs of the trend. */
const shownRuns = 10;

/** Runs that are looked at: some of them have no result yet. */
const examinedRuns = 50;

/** The last runs of the project with a result up to this one, oldest first. */
async function trendOf(q: Query, run: Run): Promise<RunReport['trend']> {
  const rows = await newestRuns(q, run.projectId, { limit: examinedRuns, upTo: run.id });
  return trendOfRuns(rows.map((one) => ({ runName: one.name, counts: one })))
    .slice(0, shownRuns)
    .toReversed();
}

interface Reported {
  readonly project: Pick<Project, 'name'>;
  readonly run: Run;
  /** Only the tests that a query chooses. */
  readonly asked?: AskedQuery | undefined;
  readonly query?: string | undefined;
  readonly testIds?: readonly number[] | undefined;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The data of the HTML and PDF reports. */
export async function loadReport(q: Query, given: Reported): Promise<RunReport> {
  const { project, run, asked, query, testIds, now, signal } = given;
  const { state, testers } = await loadStateAndTesters(q, run, signal, testIds);
  const { counts, unmatched } = state;
  return {
    ...runRecordOf(run),
    projectName: project.name,
    madeAt: isoTime(now),
    query: query ?? null,
    verdict: runSentence(counts, unmatched?.failed),
    testers: await testersOfReport(q, testers),
    trend: await trendOf(q, run),
    counts,
    bySection: state.bySection.map(({ sectionPath, counts: ofSection }) => ({
      name: sectionPath.length > 0 ? sectionPath.join(' > ') : 'no section',
      counts: ofSection,
    })),
    bySquad: state.bySquad.map(({ squad, counts: ofSquad }) => ({
      name: squad ?? 'no squad',
      counts: ofSquad,
    })),
    open: await openTests(q, run, asked, signal),
    openTotal: counts.failed + counts.blocked + counts.retest + (unmatched?.failed ?? 0),
    unmatched,
  };
}
