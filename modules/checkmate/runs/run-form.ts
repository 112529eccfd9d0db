import { shownStatus, type StatusWord } from '../words/status-word.ts';
import { labelText, type Joined, type ListedTest } from '../tests/test-form.ts';

/** A run as lists return it. */
export interface ListedRun {
  readonly runId?: number;
  readonly runName?: string;
  readonly status?: 'active' | 'locked';
  readonly createdBy?: number;
  readonly createdAt?: string;
  readonly lockedBy?: number | null;
  readonly lockedAt?: string | null;
}

const shownState = (status: ListedRun['status']) => (status === 'locked' ? 'Locked' : 'Active');

/** A row of `runs`. "refrence" is Checkmate's spelling. */
export const runRow = (
  run: ListedRun,
  { projectId, nameOf }: Pick<Joined, 'projectId' | 'nameOf'>,
  description: string | null,
) => ({
  runId: run.runId ?? null,
  runName: run.runName ?? null,
  status: shownState(run.status),
  createdByUserName: nameOf(run.createdBy),
  createdOn: run.createdAt ?? null,
  lockedBy: nameOf(run.lockedBy),
  lockedOn: run.lockedAt ?? null,
  runDescription: description,
  refrence: null,
  projectId,
});

/** The answer of `run/detail`. */
export const runDetails = (
  run: ListedRun & {
    readonly runDescription: string;
    readonly updatedAt: string;
    readonly updatedBy: number | null;
  },
  projectId: number,
) => ({
  runId: run.runId ?? null,
  projectId,
  status: shownState(run.status),
  runDescription: run.runDescription || null,
  refrence: null,
  createdBy: run.createdBy ?? null,
  createdOn: run.createdAt ?? null,
  updatedOn: run.updatedAt,
  updatedBy: run.updatedBy,
  runName: run.runName ?? null,
  lockedBy: run.lockedBy ?? null,
  lockedOn: run.lockedAt ?? null,
});

/** A test of a run as lists return it. */
export interface ListedRunTest {
  readonly testId?: number;
  readonly testName?: string;
  readonly sectionPath?: readonly string[];
  readonly priority?: string | null;
  readonly squad?: string | null;
  readonly status?: StatusWord;
  readonly comment?: string | null;
  readonly updatedBy?: number | null;
  readonly updatedAt?: string | null;
}

/** A row of `run/tests`. @param test the test; undefined if it was deleted since. */
export const runTestRow = (
  row: ListedRunTest,
  test: ListedTest | undefined,
  { projectId, nameOf, parents, runStatus }: Joined & { readonly runStatus: ListedRun['status'] },
) => ({
  testStatus: shownStatus(row.status ?? 'untested'),
  testId: row.testId ?? null,
  priority: row.priority ?? null,
  title: row.testName ?? null,
  platform: test?.platform ?? null,
  squadName: row.squad ?? null,
  sectionId: test?.sectionId ?? null,
  sectionName: row.sectionPath?.at(-1) ?? null,
  sectionParentId: parents.get(test?.sectionId ?? 0) ?? null,
  runStatus: shownState(runStatus),
  testCoveredBy: test?.testCoveredBy ?? null,
  testedBy: nameOf(row.updatedBy),
  automationStatus: test?.automationStatus ?? null,
  createdByName: nameOf(test?.createdBy),
  labelNames: labelText(test?.labels),
  projectId,
});
