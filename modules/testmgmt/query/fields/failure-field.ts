import { isFailureGroup } from '../../rules/failure-group.ts';
import { ofTests } from '../field-kinds/field-value.ts';
import { orNoneIn, requireEquality, type FieldWords, type QueryField } from '../field-kinds/query-field.ts';
import { QueryProblem } from '../field-kinds/query-term.ts';

const words: FieldWords = {
  name: 'group',
  alsoCalled: ['failure-group', 'cluster'],
  scopes: ofTests,
  optional: true,
  about: 'Fails with a message of this group: in the run, or in its last run; `none`: without a message.',
  example: 'group:1a2b3c4d5e6f',
};

export const failing: QueryField = {
  ...words,
  values: orNoneIn(words, 'id (get-failure-groups)'),
  offered: [],
  read: (asked) => {
    requireEquality(asked);
    const ids = asked.values.map(({ text, at }) => {
      const id = text.toLowerCase();
      if (isFailureGroup(id)) return id;
      throw new QueryProblem(
        `"group" takes the id of a failure group, not "${text}".`,
        at,
        'get-failure-groups lists those of a run.',
      );
    });
    const wanted = asked.none ? [...ids, ''] : ids;
    return { fits: ({ failsWith }) => failsWith(wanted), cost: 3 };
  },
};
