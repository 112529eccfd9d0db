import type { Addressee, Host, LetterContent, LetterFacts } from '../../../core/host/host.ts';
import { namesOfTests } from '../pipelines/matching/automation-key-store.ts';
import { sourceOf } from '../pipelines/rows/run-results-store.ts';
import { projectOf } from '../projects/project-store.ts';
import { runOf } from '../runs/run-store.ts';
import { unmatchedCountsOf } from '../runs/unmatched-result-store.ts';
import { followerAddress, projectAddress, reasonOf } from './follower.ts';

export const newlyFailingKind = 'newly-failing';

/** Names of tests, and of cases of no test, in a letter. */
export const namedTests = 10;

const countText = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** The letter about a run in which tests newly fail. */
export async function writeNewlyFailing(
  host: Host,
  { projectId, runId, beforeId, count, testIds, cases }: LetterFacts,
  to: Addressee,
): Promise<LetterContent | null> {
  const { q } = host.db;
  const [project, run] = [await projectOf(q, Number(projectId)), await runOf(q, Number(runId))];
  const address = project && run ? await followerAddress(q, project.id, to) : null;
  if (!project || !run || address === null) return null;
  const ids = Array.isArray(testIds) ? (testIds as readonly number[]) : [];
  const names = await namesOfTests(q, ids);
  const before = await runOf(q, Number(beforeId));
  const source = await sourceOf(q, run.id);
  const build = [
    source?.branch == null ? '' : ` on branch ${source.branch}`,
    source?.commit == null ? '' : `, commit ${source.commit.slice(0, 12)}`,
  ].join('');
  const failing = Number(count);
  const unmatched = (await unmatchedCountsOf(q, run.id))?.failed ?? 0;
  // A letter that an earlier version stored has no cases.
  const keys = Array.isArray(cases) ? (cases as readonly string[]) : [];
  const items = [...ids.map((id) => names.get(id) ?? `test ${id}`), ...keys];
  return {
    to: address,
    subject: `${countText(failing, 'test newly fails', 'tests newly fail')}: ${run.name}`,
    text: [
      `In the run ${run.name} of ${project.name}${build}, ${countText(failing, 'test fails that', 'tests fail that')} did not fail in the run before${before ? `, ${before.name}` : ''}.`,
      `Passed: ${run.passed}. Failed: ${run.failed}.${unmatched > 0 ? ` Failed without a test: ${unmatched}.` : ''} Blocked: ${run.blocked}. Not run: ${run.untested + run.retest}.`,
    ],
    items: failing > items.length ? [...items, `… and ${failing - items.length} more`] : items,
    link: { name: 'Open the run', url: projectAddress(host, project.id, `runs/${run.id}`) },
    reason: reasonOf(project.name),
  };
}
