import { fail } from '../errors.ts';

/**
 * How much a project may have of what is read as a whole: to draw the tree of its sections, to export it, to compare names. Without
 * these limits one import of 16 MiB made a million of each.
 */
const mostPerProject = { sections: 10_000, labels: 10_000, squads: 5_000, options: 1_000 } as const;

/** @throws Fault PROJECT_FULL. */
export function requireRoom(what: keyof typeof mostPerProject, count: number): void {
  const most = mostPerProject[what];
  if (count > most) {
    throw fail.PROJECT_FULL(`A project has at most ${most} ${what}. Nothing was written.`, { cause: what });
  }
}
