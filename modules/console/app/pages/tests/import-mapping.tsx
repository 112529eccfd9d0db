import { tableFields } from '../../../../testmgmt/import-files/tables/table-fields.ts';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Choice } from '../../design/fields.tsx';
import { Table } from '../../design/table.tsx';

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
    { id: 'ignore', name: 'Leave out' },
    ...tableFields.map((name) => ({ id: name, name })),
    ...(own.data?.fields ?? [])
      .filter((field) => field.of === 'test')
      .map(({ key, name }) => ({ id: `cf.${key}`, name: `${name} (cf.${key})` })),
  ];
  return (
    <Table
      label="Where the columns go. Change what was guessed wrong."
      rows={columns.map((one, index) => ({ ...one, index }))}
      keyOf={({ index }) => index}
      columns={[
        { title: 'Column', cell: ({ column }) => column },
        {
          title: 'Goes to',
          cell: ({ column, to }) => (
            <Choice
              label={`Where ${column} goes`}
              hideLabel
              options={targets}
              value={targets.some(({ id }) => id === to) ? to : null}
              placeholder={to === null ? 'Not understood' : to}
              isDisabled={isDisabled}
              onChange={(id) => onChange(column, id)}
            />
          ),
        },
      ]}
    />
  );
}
