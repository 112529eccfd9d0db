import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useChange, useMe } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { numberText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { useMay, type Projects } from '../../frame/organizations.ts';
import { useNewDialog } from '../../frame/router.tsx';
import { t } from '../../texts/text.ts';

/**
 * The projects of all organizations of the person, and the way to a new one.
 * @param of of the page: if the list asked by itself, it would ask again each time it appears, and a page that hides it while it asks would never end.
 */
export function ProjectList({ of: { projects, isLoading, error, refetch } }: { readonly of: Projects }) {
  const [isCreating, setCreating] = useNewDialog();
  const mayCreate = useMay('admin');
  const create = (
    <Button kind={projects.length === 0 ? 'primary' : 'quiet'} onPress={() => setCreating(true)}>
      {t('Create project')}
    </Button>
  );
  return (
    <div className="stack">
      <div className="between">
        <h2>{t('Projects')}</h2>
        {mayCreate && create}
      </div>
      {error && projects.length === 0 ? (
        <Failure error={error} onRetry={refetch} />
      ) : isLoading ? (
        <Loading />
      ) : projects.length === 0 ? (
        <p className="note">
          {t('No project yet. A project holds the tests of one product, and the runs with their results.')}
        </p>
      ) : (
        <Table
          label={t('Projects')}
          rows={projects}
          keyOf={({ projectId }) => projectId}
          columns={[
            {
              title: t('Project'),
              cell: ({ projectId, projectName, isActive }) => (
                <>
                  <Link href={`/projects/${projectId}/tests`}>{projectName}</Link>{' '}
                  {!isActive && <span className="badge">{t('inactive')}</span>}
                </>
              ),
            },
            { title: t('Tests'), isNumber: true, cell: ({ testsCount }) => numberText(testsCount) },
            {
              title: t('Runs'),
              isNumber: true,
              cell: ({ projectId, runsCount }) => (
                <Link href={`/projects/${projectId}/runs`}>{numberText(runsCount)}</Link>
              ),
            },
            { title: t('Changed'), cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          ]}
        />
      )}
      {isCreating && <CreateProject onClose={() => setCreating(false)} />}
    </div>
  );
}

function CreateProject({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const organizations = (useMe().data?.organizations ?? []).filter(({ role }) => role === 'admin');
  const create = useChange('create-project');
  const form = useTyped('new-project', () => ({ name: '', description: '' }));
  const { name, description } = form.typed;
  const [chosen, setChosen] = useState<string | null>(null);
  const orgId = Number(chosen ?? organizations[0]?.orgId ?? 0);
  return (
    <ActionDialog
      title={t('Create project')}
      action={t('Create project')}
      form={form}
      onClose={onClose}
      isDisabled={name.trim() === ''}
      onConfirm={async () => {
        const made = await create.mutateAsync({
          orgId,
          projectName: name,
          ...(description.trim() === '' ? {} : { projectDescription: description }),
        });
        navigate(`/projects/${made.projectId}/tests`);
      }}
    >
      <Field label={t('Name')} {...form.field('name')} autoFocus maxLength={255} />
      <Field label={t('Description')} {...form.field('description')} lines={3} maxLength={20_000} />
      {organizations.length > 1 && (
        <Choice
          label={t('Organization')}
          options={organizations.map(({ orgId: id, orgName }) => ({ id: String(id), name: orgName }))}
          value={String(orgId)}
          onChange={setChosen}
        />
      )}
    </ActionDialog>
  );
}
