import { belongsTo, type Cohort, type UserFacts } from '../rules/cohort.ts';

/** The data of a user that must be read to decide whether the user is in some cohorts. */
export interface AudienceNeeds {
  /** Ids of lists, ascending. */
  readonly lists: readonly number[];
  readonly attributes: boolean;
}

/** The data needed to decide about some cohorts, by name. Unknown cohorts need nothing. */
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

/** Whether the user is in a cohort, given its name; an unknown cohort has no users. */
export const membershipOf =
  (cohorts: ReadonlyMap<string, Cohort>, known: UserFacts, now: number) =>
  (name: string): boolean => {
    const cohort = cohorts.get(name);
    return cohort !== undefined && belongsTo(cohort, known, now);
  };
