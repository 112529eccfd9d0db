import type { runSources } from '../../base/pipeline-schema.ts';

/** The build that an upload says it comes from. */
export type BuildSource = Partial<
  Omit<typeof runSources.$inferInsert, 'runId' | 'projectId' | 'runKey' | 'createdAt'>
>;

/** What repositories call their default branch, where nobody says it. */
const usualNames = ['main', 'master', 'trunk', 'develop'];

/** The branches with which a branch that has no run yet is compared, the best first. */
export function defaultBranches({
  branch,
  baseBranch,
}: Pick<BuildSource, 'branch' | 'baseBranch'>): readonly string[] {
  const known = baseBranch == null || baseBranch === '' ? [] : [baseBranch];
  return [...new Set([...known, ...usualNames])].filter((name) => name !== branch);
}
