import { useEffect, useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert, Left } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** Name, description and status of a project. */
export function ProjectForm({ project }: { readonly project: Output<'get-project-detail'> }) {
  const { projectId, orgId, projectName, projectDescription, isActive } = project;
  const isAdmin = useMay('admin', orgId);
  const edit = useChange('edit-project');
  const setStatus = useChange('update-project-status');
  const form = useTyped(`project:${projectId}`, () => ({
    name: projectName,
    description: projectDescription,
  }));
  const { base, typed } = form;
  const { name, description } = typed;
  // What somebody else has stored is shown, unless this person has changed something.
  useEffect(() => {
    if (!form.isDirty) form.begin({ name: projectName, description: projectDescription });
  }, [projectName, projectDescription, form.isDirty]);
  const [isAsking, setAsking] = useState(false);
  const mayEdit = isAdmin && isActive;
  const isSame = name.trim() === base.name && description.trim() === base.description;
  const save = () =>
    edit.mutate(
      {
        projectId,
        ...(name !== base.name && { projectName: name }),
        ...(description !== base.description && { projectDescription: description }),
      },
      {
        onSuccess: () => {
          form.goOn(typed, typed);
          say(t('The project was saved.'));
        },
      },
    );
  return (
    <section className="card stack" aria-label={t('Project')}>
      <div className="row">
        <h2>{t('Project')}</h2>
        <span className="badge">{isActive ? t('active') : t('inactive')}</span>
      </div>
      {!isActive && (
        <Alert kind="info">
          {nodes('This project is inactive: everybody can read it, and nobody can change it. {remedy}', {
            remedy: isAdmin ? t('Activate it to change it.') : t('An administrator can activate it.'),
          })}
        </Alert>
      )}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '' && !isSame) save();
        }}
      >
        {form.wasLeft && form.isDirty && <Left />}
        <Field label={t('Name')} {...form.field('name')} maxLength={255} isReadOnly={!mayEdit} />
        <Field
          label={t('Description')}
          {...form.field('description')}
          lines={4}
          maxLength={20_000}
          isReadOnly={!mayEdit}
        />
        {edit.error && <Alert kind="error">{messageOf(edit.error)}</Alert>}
        {isAdmin ? (
          <div className="row">
            <Button
              type="submit"
              kind="primary"
              isDisabled={!mayEdit || isSame || name.trim() === '' || edit.isPending}
            >
              {t('Save project')}
            </Button>
            <Button onPress={() => setAsking(true)}>
              {isActive ? t('Deactivate project…') : t('Activate project…')}
            </Button>
          </div>
        ) : (
          <p className="note">{t('Administrators of the organization change these.')}</p>
        )}
      </form>
      <ActionDialog
        title={
          isActive
            ? t('Deactivate {projectName}?', { projectName })
            : t('Activate {projectName}?', { projectName })
        }
        action={isActive ? t('Deactivate project') : t('Activate project')}
        kind={isActive ? 'danger' : 'primary'}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await setStatus.mutateAsync({ projectId, isActive: !isActive });
          say(isActive ? t('The project is inactive.') : t('The project is active.'));
        }}
      >
        <p>
          {isActive
            ? t(
                'An inactive project is read-only: its tests and runs stay, and pipelines can upload no results. It can be activated again.',
              )
            : t('Its tests and runs can be changed again.')}
        </p>
      </ActionDialog>
    </section>
  );
}
