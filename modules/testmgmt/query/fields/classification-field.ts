import {
  classifications,
  everyClassification,
  idFieldOf,
  wordOfClassification,
} from '../../rules/classification.ts';
import type { RowSql } from '../field-kinds/field-sql.ts';
import { ofTests } from '../field-kinds/field-value.ts';
import type { QueryField } from '../field-kinds/query-field.ts';
import { hasRecord, recordField } from '../field-kinds/record-field.ts';

/** Priorities are ordered. */
const byPosition = {
  scopes: ofTests,
  value: ({ sql, tests }: RowSql) =>
    sql`(select position from testmgmt_options where id = ${tests.priorityId})`,
  optional: true,
} as const;

/** One field for each classification. */
export const classified: readonly QueryField[] = everyClassification.map((list) => {
  const name = wordOfClassification(list);
  const [first = 'none', second] = classifications[list].usual.filter((value) => !value.includes(' '));
  return recordField({
    name,
    ofVersions: true,
    scopes: ofTests,
    list,
    optional: true,
    about: `The ${classifications[list].singular}.`,
    example: `${name}:${[first, second].filter(Boolean).join()}`,
    fits: hasRecord(list, ({ tests }) => tests[idFieldOf[list]]),
    ...(list === 'priority' ? { sort: byPosition } : {}),
  });
});
