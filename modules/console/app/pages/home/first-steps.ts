import { t } from '../../texts/text.ts';

/** What the first day of a team consists of, in order. */
export interface FirstStep {
  readonly id: 'project' | 'tests' | 'run' | 'result';
  readonly name: string;
  readonly isDone: boolean;
  /** Where it is done; null while an earlier step is missing. */
  readonly to: string | null;
}

interface SeenProject {
  readonly projectId: number;
  readonly testsCount: number;
  readonly runsCount: number;
}

/**
 * The steps with their state, for the project that is farthest.
 * @param hasResult whether any run has a result
 */
export function firstSteps(projects: readonly SeenProject[], hasResult: boolean): readonly FirstStep[] {
  const farthest = projects.toSorted(
    (a, b) => Math.sign(b.runsCount) - Math.sign(a.runsCount) || b.testsCount - a.testsCount,
  )[0];
  const page = (name: string) => (farthest === undefined ? null : `/projects/${farthest.projectId}/${name}`);
  const hasTests = farthest !== undefined && farthest.testsCount > 0;
  const hasRun = farthest !== undefined && farthest.runsCount > 0;
  return [
    { id: 'project', name: t('Create a project'), isDone: farthest !== undefined, to: '/?new=1' },
    { id: 'tests', name: t('Write your first test, or import tests'), isDone: hasTests, to: page('tests') },
    {
      id: 'run',
      name: t('Create a run of these tests'),
      isDone: hasRun,
      to: hasTests ? page('runs?new=1') : null,
    },
    { id: 'result', name: t('Record the first result'), isDone: hasResult, to: hasRun ? page('runs') : null },
  ];
}
