import { ofTests } from '../field-kinds/field-value.ts';
import { eachWord, wordsField } from '../field-kinds/words-field.ts';

export const filled = wordsField({
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
