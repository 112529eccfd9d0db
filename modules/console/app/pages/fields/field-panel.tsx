import { useState } from 'react';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { DeleteField, FieldDialog, type ProjectField } from './field-dialog.tsx';
import { kindNames } from './field-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface FieldPanelProps {
  readonly projectId: number;
  readonly mayWrite: boolean;
}

/** What tests and results of the project have besides the usual: its own fields. */
export function FieldPanel({ projectId, mayWrite }: FieldPanelProps) {
  const fields = useTool('list-fields', { projectId });
  const [open, setOpen] = useState<'new' | ProjectField | null>(null);
  const [deleting, setDeleting] = useState<ProjectField | null>(null);
  const add = <Button onPress={() => setOpen('new')}>{t('Add a field')}</Button>;
  return (
    <section className="stack" aria-label={t('Own fields')}>
      <h2>{t('Own fields')}</h2>
      <Answer of={fields}>
        {({ fields: rows }) =>
          rows.length === 0 ? (
            <Empty title={t('No own field yet')}>
              <p>
                {t(
                  'A field is what your tests or results have besides the usual, such as a browser or a risk.',
                )}
              </p>
              {mayWrite && add}
            </Empty>
          ) : (
            <>
              <Table
                label={t('Declared fields')}
                rows={rows}
                keyOf={({ key }) => key}
                columns={[
                  {
                    title: t('Name'),
                    cell: ({ name, required }) => (
                      <>
                        {name} {required && <span className="badge">{t('required')}</span>}
                      </>
                    ),
                  },
                  { title: t('For'), cell: ({ of }) => (of === 'test' ? t('Tests') : t('Results')) },
                  { title: t('Kind'), cell: ({ kind }) => kindNames[kind] },
                  {
                    title: t('Options'),
                    cell: ({ options }) => options.join(', ') || '–',
                  },
                  { title: t('In searches'), cell: ({ key }) => <code>{nodes('cf.{key}', { key })}</code> },
                  {
                    title: t('Actions'),
                    hideTitle: true,
                    cell: (field) =>
                      mayWrite && (
                        <div className="row nowrap end">
                          <Button
                            small
                            aria-label={t('Edit {name}', { name: field.name })}
                            onPress={() => setOpen(field)}
                          >
                            {t('Edit')}
                          </Button>
                          <Button
                            small
                            aria-label={t('Delete {name}', { name: field.name })}
                            onPress={() => setDeleting(field)}
                          >
                            {t('Delete')}
                          </Button>
                        </div>
                      ),
                  },
                ]}
              />
              {mayWrite && <div>{add}</div>}
            </>
          )
        }
      </Answer>
      {open !== null && (
        <FieldDialog
          projectId={projectId}
          field={open === 'new' ? undefined : open}
          onClose={() => setOpen(null)}
        />
      )}
      {deleting && <DeleteField projectId={projectId} field={deleting} onClose={() => setDeleting(null)} />}
    </section>
  );
}
