import { belongsTo, type Cohort, type UserFacts } from '../rules/cohort.ts';

/** What has to be read of a user to know which of some cohorts they are in. */
export interface AudienceNeeds {
  /** Ids of lists, ascending. */
  readonly lists: readonly number[];
  readonly attributes: boolean;
}

/** What some cohorts, by name, need; names of cohorts that do not exist need nothing. Pure. */
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

/** Answers whether the user is in a cohort; nobody is in one that does not exist. */
export const membershipOf =
  (cohorts: ReadonlyMap<string, Cohort>, known: UserFacts, now: number) =>
  (name: string): boolean => {
    const cohort = cohorts.get(name);
    return cohort !== undefined && belongsTo(cohort, known, now);
  };
