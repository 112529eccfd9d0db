import { fail } from '../base/errors.ts';

/**
 * Limits for the parts of a project that are read as a whole: to draw its section tree, to export it, to compare names. Without them, one
 * import of 16 MiB created a million of each.
 */
const maxPerProject = {
  sections: 10_000,
  labels: 10_000,
  squads: 5_000,
  options: 1_000,
  milestones: 1_000,
  plans: 10_000,
  'configuration groups': 50,
  fields: 50,
} as const;

/** @throws Fault PROJECT_FULL. */
export function requireRoom(what: keyof typeof maxPerProject, count: number): void {
  const max = maxPerProject[what];
  if (count > max)
    throw fail.PROJECT_FULL(`A project has at most ${max} ${what}. Nothing was written.`, { cause: what });
}
