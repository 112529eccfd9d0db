import { ownName } from '../../../../../testmgmt/rules/field-value.ts';
import { tableTargetTitle } from './import-target.ts';
import type { LabelOf } from '../../../api/parameter-words.ts';

interface MappedColumn {
  readonly column: string;
  readonly to: string | null;
}

/** What the file calls a parameter: the column that goes there, else what the console calls it. */
export const columnFor =
  (mapping: readonly MappedColumn[]): LabelOf =>
  (parameter) => {
    const own = /^fields\.(.+)$/.exec(parameter)?.[1];
    const target = own === undefined ? parameter : ownName(own);
    return mapping.find(({ to }) => to === target)?.column ?? own ?? tableTargetTitle(target);
  };
