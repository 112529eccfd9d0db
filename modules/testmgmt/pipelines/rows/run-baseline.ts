import type { runSources } from '../../base/pipeline-schema.ts';

/** The build from which an upload says it comes. */
export type BuildSource = Partial<
  Omit<typeof runSources.$inferInsert, 'runId' | 'projectId' | 'runKey' | 'createdAt'>
>;

/** Common names of default branches, used when the build does not give one. */
const usualNames = ['main', 'master', 'trunk', 'develop'];

/** The branches with which a branch without runs is compared, best first. */
export function defaultBranches({
  branch,
  baseBranch,
}: Pick<BuildSource, 'branch' | 'baseBranch'>): readonly string[] {
  const known = baseBranch == null || baseBranch === '' ? [] : [baseBranch];
  return [...new Set([...known, ...usualNames])].filter((name) => name !== branch);
}
