import { asc, eq, getTableName } from 'drizzle-orm';
import type { Actor, Role } from '../../../core/base/actor.ts';
import { startTestKernel, stillClock, type TestKernelOptions } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import { attachments, blobs, links, quarantines, resultSteps } from '../base/evidence-schema.ts';
import { follows, runNotices } from '../base/following-schema.ts';
import { savedViews } from '../saved-views/saved-view-schema.ts';
import { shareLinks } from '../sharing/share-schema.ts';
import { automationKeys, reportedResults, runSources, unmatchedResults } from '../base/pipeline-schema.ts';
import {
  configurationGroups,
  configurationValues,
  milestoneChanges,
  milestones,
  plans,
  runConfigurations,
} from '../base/planning-schema.ts';
import {
  classificationValues,
  labels,
  outcomes,
  projects,
  results,
  runs,
  runTests,
  sections,
  squads,
  testLabels,
  tests,
} from '../base/schema.ts';
import { customFields, resultFieldValues } from '../base/field-schema.ts';
import { externalIds } from '../base/import-schema.ts';
import { reviews, reviewVerdicts } from '../base/review-schema.ts';
import { sectionVersions, testVersions } from '../base/version-schema.ts';

const tables = [
  projects,
  classificationValues,
  sections,
  labels,
  squads,
  tests,
  testLabels,
  testVersions,
  sectionVersions,
  runs,
  runTests,
  results,
  outcomes,
  automationKeys,
  runSources,
  reportedResults,
  unmatchedResults,
  attachments,
  blobs,
  resultSteps,
  shareLinks,
  savedViews,
  links,
  quarantines,
  milestones,
  milestoneChanges,
  configurationGroups,
  configurationValues,
  plans,
  runConfigurations,
  customFields,
  resultFieldValues,
  externalIds,
  reviews,
  reviewVerdicts,
  follows,
  runNotices,
];

/** A kernel for the tests of Area C: tools as the owner or as another user, and access to all stored data. */
export async function startTestmgmtKernel({ settings }: Pick<TestKernelOptions, 'settings'> = {}) {
  const clock = stillClock();
  const trivet = await startTestKernel({ clock, ...(settings && { settings }) });
  const { kernel } = trivet;
  const { q } = kernel.host.db;
  const tools = await toolsOf(trivet);
  const { owner, call } = tools;

  const idOf = async (key: string, tool: string, input: object) => Number((await call(tool, input))[key]);

  return {
    ...trivet,
    clock,
    ...tools,
    /** The owner, with another role in one organization. */
    withRole: (role: Role, orgId = 1): Actor => ({ ...owner, roles: new Map([[orgId, role]]) }),
    makeProject: () =>
      idOf('projectId', 'create-project', { orgId: 1, projectName: `p ${crypto.randomUUID()}` }),
    /** Creates tests with these fields, named t0, t1, … @returns their ids in order. */
    makeTests: async (projectId: number, count: number, fields: object = {}): Promise<number[]> => {
      const items = Array.from({ length: count }, (_, n) => ({ testName: `t${n}`, ...fields }));
      const made = await call('bulk-add-tests', { projectId, tests: items });
      return (made['tests'] as Array<{ testId: number }>).map(({ testId }) => testId);
    },
    makeRun: (projectId: number, testIds: readonly number[]) =>
      idOf('runId', 'create-run', { projectId, runName: 'run', testIds }),
    makeSection: (projectId: number, sectionName: string, parentSectionId?: number) =>
      idOf('sectionId', 'add-section', {
        projectId,
        sectionName,
        ...(parentSectionId === undefined ? {} : { parentSectionId }),
      }),
    /** The ids of one classification list, in order. */
    optionIds: async (projectId: number, kind: string): Promise<number[]> => {
      const rows = await q
        .select()
        .from(classificationValues)
        .where(eq(classificationValues.projectId, projectId))
        .orderBy(asc(classificationValues.position));
      return rows.filter((row) => row.kind === kind).map(({ id }) => id);
    },
    /** The number of rows in each table, and a fingerprint of them all, which a refused call must not change. */
    everything: async (): Promise<string> => {
      const all: string[] = [];
      for (const table of tables) {
        const rows: object[] = await q.select().from(table);
        const text = rows
          .map((row) => JSON.stringify(row))
          .toSorted()
          .join('\n');
        all.push(`${getTableName(table)} ${rows.length} ${Bun.hash(text).toString(16)}`);
      }
      return all.join('\n');
    },
    /** The stored counts of projects and runs that differ from their rows; must be empty after any sequence of calls. */
    wrongCounts: async (): Promise<string[]> => {
      const wrong: string[] = [];
      const liveByProject = (rows: ReadonlyArray<{ projectId: number; deletedAt: number | null }>) =>
        Map.groupBy(
          rows.filter(({ deletedAt }) => deletedAt === null),
          ({ projectId }) => projectId,
        );
      const allRuns = await q.select().from(runs);
      const [liveTests, liveRuns] = [liveByProject(await q.select().from(tests)), liveByProject(allRuns)];
      const byRunAndStatus = Map.groupBy(
        await q.select({ runId: runTests.runId, status: runTests.status }).from(runTests),
        ({ runId, status }) => `${runId} ${status}`,
      );
      for (const { id, testsCount, runsCount } of await q.select().from(projects)) {
        if ((liveTests.get(id)?.length ?? 0) !== testsCount) wrong.push(`tests of project ${id}`);
        if ((liveRuns.get(id)?.length ?? 0) !== runsCount) wrong.push(`runs of project ${id}`);
      }
      for (const run of allRuns) {
        for (const status of ['passed', 'failed', 'blocked', 'retest', 'untested'] as const) {
          const count = byRunAndStatus.get(`${run.id} ${status}`)?.length ?? 0;
          if (count !== run[status]) wrong.push(`${status} of run ${run.id}`);
        }
      }
      return wrong;
    },
  };
}

export type TestmgmtKernel = Awaited<ReturnType<typeof startTestmgmtKernel>>;
