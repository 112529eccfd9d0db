import { ownName } from '../../../../testmgmt/rules/field-value.ts';
import type { QueryChip } from '../../query/query-chips.tsx';
import type { ProjectField } from './field-dialog.tsx';

/** More would push the list down: the others are written into the query. */
const most = 4;

const valuesOf = ({ kind, options }: Pick<ProjectField, 'kind' | 'options'>): readonly string[] =>
  kind === 'boolean' ? ['yes', 'no'] : options;

/** The values of each own field, by its name in a query: none where they are not a list. */
export const ownFieldValues = (
  fields: ReadonlyArray<Pick<ProjectField, 'key' | 'kind' | 'options'>>,
): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(fields.map((field) => [ownName(field.key), valuesOf(field)]));

/** Filters for the first own fields whose values are a list. */
export const fieldChips = (
  fields: ReadonlyArray<Pick<ProjectField, 'key' | 'name' | 'kind' | 'options'>>,
): readonly QueryChip[] =>
  fields
    .map((field) => ({ name: field.name, field: ownName(field.key), values: valuesOf(field) }))
    .filter(({ values }) => values.length > 0)
    .slice(0, most);
