import type { Output } from '../../api/calls.ts';
import { countText, numberText } from '../../design/amount.ts';
import { isOfWholeBuckets } from '../../../../cta/rules/cohort.ts';
import { filterText } from './rule-edits.ts';
import { t } from '../../texts/text.ts';

type Cohort = Output<'get-cohort'>;

export const kindWords: Readonly<Record<Cohort['kind'], string>> = {
  list: t('List'),
  percentage: t('Percentage'),
  attributes: t('By attributes'),
};

/** A percentage as a person types it, also with a decimal comma; NaN: it is none that a cohort can have. */
export function typedPercentage(text: string): number {
  const percentage = text.trim() === '' ? NaN : Number(text.trim().replace(',', '.'));
  return percentage >= 0 && percentage <= 100 && isOfWholeBuckets(percentage) ? percentage : NaN;
}

/** Who is in a cohort, in a few words. */
export function membersText({ kind, size, percentage, seed, cohortName, filters }: Cohort): string {
  switch (kind) {
    case 'list':
      return countText(size, 'user');
    case 'percentage':
      return t('{percentage} % of all users{seed}', {
        percentage: numberText(percentage ?? 0),
        seed: seed === cohortName ? '' : t(', seed {seed}', { seed: seed ?? '' }),
      });
    case 'attributes':
      return filterText(filters);
  }
}

/** What `count-cohort-users` found, as a sentence. */
export function countSentence({ kind, known, matching, sampled }: Output<'count-cohort-users'>): string {
  const count = countText(matching, 'user');
  if (kind === 'list')
    return t('{count} in the list; the tenant knows {users}.', { count, users: countText(known, 'user') });
  return sampled
    ? t('About {count} of the {known} that the tenant knows, by a sample.', {
        count,
        known: numberText(known),
      })
    : t('{count} of the {known} that the tenant knows.', { count, known: numberText(known) });
}
