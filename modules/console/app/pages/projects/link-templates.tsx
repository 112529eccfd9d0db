import { call } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { messageOf, useWrite } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert, Left } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import './link-templates.css';
import { emptyRow, mergedRows, templateRowsOf, templateOf, type LinkRow } from './link-rows.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Project = Output<'get-project-detail'>;
/** Where the keys of tickets lead, e.g. SHOP-12. */
export function LinkTemplates({ project }: { readonly project: Project }) {
  const { projectId, orgId, isActive, linkTemplates } = project;
  const mayEdit = useMay('admin', orgId) && isActive;
  const form = useTyped(`link-templates:${projectId}`, () => ({ rows: templateRowsOf(linkTemplates) }));
  const { rows } = form.typed;
  const store = useWrite(async () => {
    const { linkTemplates: now } = await call('get-project-detail', { projectId });
    const merged = mergedRows(form.base.rows, rows, templateRowsOf(now));
    await call('edit-project', { projectId, linkTemplates: merged.map(templateOf) });
    return merged;
  });
  const change = (at: number, part: Partial<LinkRow>) =>
    form.type({ rows: rows.map((row, n) => (n === at ? { ...row, ...part } : row)) });
  const save = () =>
    store.mutate(undefined, {
      onSuccess: (stored) => {
        form.goOn(form.typed, { rows: stored });
        say(t('The addresses were saved.'));
      },
    });
  return (
    <section className="card stack" aria-label={t('Links to other systems')}>
      <h2>{t('Links to other systems')}</h2>
      <p className="note">
        {nodes(
          'A key that begins with the prefix leads to the address: {key} stands for the key. In the address of a new issue, {title} and {body} stand for the failed test and its message.',
          { key: '{key}', title: '{title}', body: '{body}' },
        )}
      </p>
      {form.wasLeft && form.isDirty && <Left />}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (mayEdit && form.isDirty) save();
        }}
      >
        {rows.map((row, at) => (
          <TemplateRow
            key={at}
            row={row}
            mayEdit={mayEdit}
            onChange={(part) => change(at, part)}
            onRemove={() => form.type({ rows: rows.filter((_, n) => n !== at) })}
          />
        ))}
        {store.error && <Alert kind="error">{messageOf(store.error)}</Alert>}
        {mayEdit && (
          <div className="row">
            <Button type="submit" kind="primary" isDisabled={!form.isDirty || store.isPending}>
              {t('Save addresses')}
            </Button>
            <Button onPress={() => form.type({ rows: [...rows, emptyRow] })}>{t('Add an address')}</Button>
          </div>
        )}
      </form>
    </section>
  );
}

interface TemplateRowProps {
  readonly row: LinkRow;
  readonly mayEdit: boolean;
  readonly onChange: (part: Partial<LinkRow>) => void;
  readonly onRemove: () => void;
}

const TemplateRow = ({ row, mayEdit, onChange, onRemove }: TemplateRowProps) => (
  <div className="link-template">
    <Field
      label={t('Prefix')}
      value={row.prefix}
      onChange={(prefix) => onChange({ prefix })}
      placeholder="SHOP-"
      maxLength={50}
      isReadOnly={!mayEdit}
    />
    <Field
      label={t('Address')}
      value={row.url}
      onChange={(url) => onChange({ url })}
      placeholder="https://jira.example/browse/{key}"
      maxLength={2_000}
      isReadOnly={!mayEdit}
    />
    <Field
      label={t('Address of a new issue')}
      value={row.newIssueUrl}
      onChange={(newIssueUrl) => onChange({ newIssueUrl })}
      maxLength={2_000}
      isReadOnly={!mayEdit}
    />
    {mayEdit && (
      <IconButton
        icon="close"
        label={t('Remove the prefix {prefix}', { prefix: row.prefix })}
        onPress={onRemove}
      />
    )}
  </div>
);
