import { everybody } from '../../../../cta/rules/cohort.ts';
import { numberText } from '../../design/amount.ts';
import { t } from '../../texts/text.ts';

/** The cohorts of a CTA that have to be counted: none if one of them is everybody, which is no cohort that the server counts. */
export const countedCohorts = (includes: readonly string[]): readonly string[] =>
  includes.includes(everybody) ? [] : includes;

/**
 * How many users may get a CTA, by its cohorts. Several of them may share users, and excluded ones are taken away: then it is at most so many.
 * @param matching users of each cohort that it is for; undefined: not counted yet.
 */
export function eligibleText(matching: ReadonlyArray<number | undefined>, excludes: boolean): string {
  if (matching.length === 0) return excludes ? t('All but some') : t('Everybody');
  let sum = 0;
  for (const count of matching) {
    if (count === undefined) return '–';
    sum += count;
  }
  return matching.length > 1 || excludes ? `≤ ${numberText(sum)}` : numberText(sum);
}
