import { tableFields } from '../../../../../testmgmt/import-files/tables/table-fields.ts';
import { ownName } from '../../../../../testmgmt/rules/field-value.ts';
import type { Output } from '../../../api/calls.ts';
import { useTool } from '../../../api/queries.ts';
import { Choice } from '../../../design/fields.tsx';
import { Table } from '../../../design/table.tsx';
import { targetTitles } from './import-target.ts';
import { t } from '../../../texts/text.ts';

interface ImportMappingProps {
  readonly projectId: number;
  readonly columns: NonNullable<Output<'import-tests'>['mapping']>;
  readonly isDisabled: boolean;
  readonly onChange: (column: string, to: string) => void;
}

/** Where each column of a table goes, to be changed. */
export function ImportMapping({ projectId, columns, isDisabled, onChange }: ImportMappingProps) {
  const own = useTool('list-fields', { projectId, limit: 100 });
  const targets = [
    { id: 'ignore', name: t('Leave out') },
    ...tableFields.map((id) => ({ id, name: targetTitles[id] })),
    ...(own.data?.fields ?? [])
      .filter((field) => field.of === 'test')
      .map(({ key, name }) => ({ id: ownName(key), name: t('{name} (cf.{key})', { name, key }) })),
  ];
  return (
    <Table
      label={t('Where the columns go. Change what was guessed wrong.')}
      rows={columns.map((one, index) => ({ ...one, index }))}
      keyOf={({ index }) => index}
      columns={[
        { title: t('Column'), cell: ({ column }) => column },
        {
          title: t('Goes to'),
          cell: ({ column, to }) => (
            <Choice
              label={t('Where {column} goes', { column })}
              hideLabel
              options={targets}
              value={targets.some(({ id }) => id === to) ? to : null}
              placeholder={to === null ? t('Not understood') : to}
              isDisabled={isDisabled}
              onChange={(id) => onChange(column, id)}
            />
          ),
        },
      ]}
    />
  );
}
