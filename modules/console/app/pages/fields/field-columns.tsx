import { fieldValueAt, ownName } from '../../../../testmgmt/rules/field-value.ts';
import type { Column } from '../../design/grid/grid.tsx';
import type { ProjectField } from './field-dialog.tsx';
import type { OwnValues } from './field-inputs.tsx';
import { shownValue } from './field-words.ts';

/** A row with values of own fields. */
interface Valued {
  readonly fields?: OwnValues | null;
}

/** A column for each own field. @param nameOf the name of a person. */
export const ownFieldColumns = (
  fields: readonly ProjectField[],
  nameOf: (userId: number) => string,
): ReadonlyArray<Column<Valued>> =>
  fields.map(({ key, name, kind }) => ({
    key: ownName(key),
    title: name,
    width: 'minmax(7rem, 1fr)',
    room: 112,
    isNumber: kind === 'number',
    // "sort:cf.size-desc" of a field "size-desc" would be that of "size", downwards.
    ...(!/-(?:asc|desc)$/.test(key) && { sort: ownName(key) }),
    cell: ({ fields: values = null }) => {
      const value = fieldValueAt(values, key) ?? null;
      const text = value === null ? '–' : shownValue(kind, value, nameOf);
      return <span title={text}>{text}</span>;
    },
  }));
