import { ofTests } from '../field-kinds/field-value.ts';
import type { QueryField } from '../field-kinds/query-field.ts';
import type { QueryValue } from '../field-kinds/query-term.ts';
import { eachWord, wordsField } from '../field-kinds/words-field.ts';
import { hasOwnField, isOwnField } from './own-field.ts';

const filledWords = wordsField({
  name: 'has',
  ofVersions: ['steps', 'description', 'section', 'label', 'squad'],
  scopes: ofTests,
  words: ['steps', 'description', 'section', 'label', 'squad', 'req', 'defect', 'attachment'],
  about: 'What is filled in.',
  example: '-has:steps',
  fits: eachWord({
    // Written as in the index testmgmt_tests_filter: SQLite reads the value from the index only if it is compared with true.
    steps: ({ sql, tests }) => sql`(${tests.steps} <> '[]') = true`,
    description: ({ sql, tests }) => sql`(${tests.description} <> '') = true`,
    section: ({ sql, tests }) => sql`${tests.sectionId} is not null`,
    label: ({ hasLabel }) => hasLabel(),
    squad: ({ sql, tests }) => sql`${tests.squadId} is not null`,
    req: ({ hasLink }) => hasLink('requirement'),
    defect: ({ hasLink }) => hasLink('defect'),
    attachment: ({ hasAttachment }) => hasAttachment(),
  }),
});

/** Also own fields: `has:cf.browser`. */
export const filled: QueryField = {
  ...filledWords,
  values: `${filledWords.values}, \`cf.KEY\``,
  read: (asked) => {
    const isOwn = ({ text }: QueryValue) => isOwnField(text.toLowerCase());
    const own = asked.values.filter(isOwn).map(({ text, at }) => hasOwnField(text.toLowerCase(), at));
    if (own.length === 0) return filledWords.read(asked);
    const values = asked.values.filter((value) => !isOwn(value));
    const rest = values.length === 0 ? undefined : filledWords.read({ ...asked, values });
    return {
      fits: (sql, negated) => sql.anyOf([rest?.fits(sql, negated), ...own.map(({ fits }) => fits(sql))]),
      names: own.flatMap(({ names }) => names),
    };
  },
};

export const flagged = wordsField({
  name: 'is',
  ofVersions: ['deleted'],
  scopes: ofTests,
  words: ['deleted', 'quarantined'],
  seesDeleted: 'deleted',
  about: 'Deleted tests, which are left out otherwise; tests in quarantine now.',
  example: 'is:quarantined',
  fits: eachWord({
    deleted: ({ sql, tests }) => sql`${tests.deletedAt} is not null`,
    quarantined: ({ isQuarantined }) => isQuarantined(),
  }),
});
