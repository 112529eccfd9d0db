import { useState } from 'react';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Answer, Empty } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { DeleteField, FieldDialog, type ProjectField } from './field-dialog.tsx';
import { kindNames } from './field-words.ts';

interface FieldPanelProps {
  readonly projectId: number;
  readonly mayWrite: boolean;
}

/** What tests and results of the project have besides the usual: its own fields. */
export function FieldPanel({ projectId, mayWrite }: FieldPanelProps) {
  const fields = useTool('list-fields', { projectId });
  const [open, setOpen] = useState<'new' | ProjectField | null>(null);
  const [deleting, setDeleting] = useState<ProjectField | null>(null);
  const add = <Button onPress={() => setOpen('new')}>Add a field</Button>;
  return (
    <section className="stack" aria-label="Own fields">
      <h2>Own fields</h2>
      <Answer of={fields}>
        {({ fields: rows }) =>
          rows.length === 0 ? (
            <Empty title="No own field yet">
              <p>
                A field is what your tests or results have besides the usual, such as a browser or a risk.
              </p>
              {mayWrite && add}
            </Empty>
          ) : (
            <>
              <Table
                label="Declared fields"
                rows={rows}
                keyOf={({ key }) => key}
                columns={[
                  {
                    title: 'Name',
                    cell: ({ name, required }) => (
                      <>
                        {name} {required && <span className="badge">required</span>}
                      </>
                    ),
                  },
                  { title: 'For', cell: ({ of }) => (of === 'test' ? 'Tests' : 'Results') },
                  { title: 'Kind', cell: ({ kind }) => kindNames[kind] },
                  {
                    title: 'Options',
                    cell: ({ options }) => options.join(', ') || '–',
                  },
                  { title: 'In searches', cell: ({ key }) => <code>cf.{key}</code> },
                  {
                    title: 'Actions',
                    hideTitle: true,
                    cell: (field) =>
                      mayWrite && (
                        <div className="row nowrap end">
                          <Button small aria-label={`Edit ${field.name}`} onPress={() => setOpen(field)}>
                            Edit
                          </Button>
                          <Button
                            small
                            aria-label={`Delete ${field.name}`}
                            onPress={() => setDeleting(field)}
                          >
                            Delete
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
