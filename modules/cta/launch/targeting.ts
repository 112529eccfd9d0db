import { belongsTo, type Cohort, type UserFacts } from '../rules/cohort.ts';

/** What must be read of a user to know which of some cohorts they are in. */
export interface AudienceNeeds {
  /** Ids of lists, ascending. */
  readonly lists: readonly number[];
  readonly attributes: boolean;
}

/** What must be read to decide about some cohorts, by name. Names of cohorts that do not exist need nothing. */
export function needsOf(names: Iterable<string>, cohorts: ReadonlyMap<string, Cohort>): AudienceNeeds {
  const lists = new Set<number>();
  let attributes = false;
  for (const name of names) {
    const cohort = cohorts.get(name);
    if (cohort?.definition.kind === 'list') lists.add(cohort.id);
    attributes ||= cohort?.definition.kind === 'attributes';
  }
  return { lists: [...lists].sort((left, right) => left - right), attributes };
}

/** Whether the user is in a cohort, by its name; a cohort that does not exist has no users. */
export const membershipOf =
  (cohorts: ReadonlyMap<string, Cohort>, known: UserFacts, now: number) =>
  (name: string): boolean => {
    const cohort = cohorts.get(name);
    return cohort !== undefined && belongsTo(cohort, known, now);
  };
