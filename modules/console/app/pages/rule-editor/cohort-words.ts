import type { Output } from '../../api/calls.ts';
import { countText, numberText } from '../../design/amount.ts';
import { filterText } from './rule-edits.ts';

type Cohort = Output<'get-cohort'>;

export const kindWords: Readonly<Record<Cohort['kind'], string>> = {
  list: 'List',
  percentage: 'Percentage',
  attributes: 'By attributes',
};

/** Who is in a cohort, in a few words. */
export function membersText({ kind, size, percentage, seed, cohortName, filters }: Cohort): string {
  switch (kind) {
    case 'list':
      return countText(size, 'user');
    case 'percentage':
      return `${percentage ?? 0} % of all users${seed === cohortName ? '' : `, seed ${seed ?? ''}`}`;
    case 'attributes':
      return filterText(filters);
  }
}

/** What `count-cohort-users` found, as a sentence. */
export function countSentence({ kind, known, matching, sampled }: Output<'count-cohort-users'>): string {
  const count = countText(matching, 'user');
  if (kind === 'list') return `${count} in the list; the tenant knows ${countText(known, 'user')}.`;
  return sampled
    ? `About ${count} of the ${numberText(known)} that the tenant knows, by a sample.`
    : `${count} of the ${numberText(known)} that the tenant knows.`;
}
