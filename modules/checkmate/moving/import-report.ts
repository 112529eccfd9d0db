import { countedKinds, type ImportCounts } from './project-work.ts';

export interface ImportReport {
  readonly source: string;
  readonly dryRun: boolean;
  readonly counts: ImportCounts;
  /** What has no equivalent, was changed or was left out, with how often. */
  readonly notes: ReadonlyArray<{ readonly what: string; readonly count: number }>;
  readonly projects: ReadonlyArray<{
    readonly checkmateId: number;
    readonly name: string;
    readonly orgId: number;
    /** Null in a dry run, and for one that failed. */
    readonly projectId: number | null;
    readonly error?: string;
  }>;
}

const titles: Readonly<Record<(typeof countedKinds)[number], string>> = {
  users: 'users',
  projects: 'projects',
  values: 'values of priorities, types, …',
  sections: 'sections',
  squads: 'squads',
  labels: 'labels',
  tests: 'tests',
  runs: 'runs',
  runTests: 'tests in runs',
  results: 'results',
};

/** The report for a person. */
export function textOfReport({ dryRun, counts, notes, projects }: ImportReport): string {
  const word = dryRun ? 'would be imported' : 'imported';
  const lines = countedKinds.map((kind) => {
    const { imported, known, otherId } = counts[kind];
    const rest = [
      ...(known > 0 ? [`${known} were there`] : []),
      ...(otherId > 0 ? [`${otherId} with another id`] : []),
    ];
    return `${String(imported).padStart(9)} ${titles[kind]} ${word}${rest.length > 0 ? ` (${rest.join(', ')})` : ''}`;
  });
  const failed = projects.flatMap(({ checkmateId, name, error }) =>
    error === undefined ? [] : [`Project ${checkmateId} (${name}) was not imported: ${error}`],
  );
  const told = notes.map(({ what, count }) => `${String(count).padStart(9)} ${what}`);
  return [
    ...lines,
    ...(told.length > 0 ? ['Not as in Checkmate:', ...told] : []),
    ...failed,
    ...(dryRun ? ['Nothing was written.'] : []),
  ].join('\n');
}
