import type { Output } from '../../api/calls.ts';
import { filterText } from './rule-edits.ts';

type Cohort = Output<'get-cohort'>;

export const kindWords: Readonly<Record<Cohort['kind'], string>> = {
  list: 'List',
  percentage: 'Percentage',
  attributes: 'By attributes',
};

const number = new Intl.NumberFormat('en-GB');
export const countText = (count: number): string => number.format(count);

/** Who is in a cohort, in a few words. */
export function membersText({ kind, size, percentage, seed, cohortName, filters }: Cohort): string {
  switch (kind) {
    case 'list':
      return `${countText(size)} ${size === 1 ? 'user' : 'users'}`;
    case 'percentage':
      return `${percentage ?? 0} % of all users${seed === cohortName ? '' : `, seed ${seed ?? ''}`}`;
    case 'attributes':
      return filterText(filters);
  }
}

/** What `count-cohort-users` found, as a sentence. */
export function countSentence({ kind, known, matching, sampled }: Output<'count-cohort-users'>): string {
  const count = `${countText(matching)} ${matching === 1 ? 'user' : 'users'}`;
  if (kind === 'list') return `${count} in the list; the tenant knows ${countText(known)} users.`;
  return sampled
    ? `About ${count} of the ${countText(known)} that the tenant knows, by a sample.`
    : `${count} of the ${countText(known)} that the tenant knows.`;
}
