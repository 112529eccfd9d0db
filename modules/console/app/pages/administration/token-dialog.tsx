import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Refusal, send, signInAddress } from '../../api/call.ts';
import type { Output } from '../../api/calls.ts';
import { useChange, useMe } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { useProjects } from '../../frame/organizations.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { Answer } from '../../design/states.tsx';
import {
  allowsSomething,
  forProject,
  knowsProjects,
  noScopes,
  scopeSentence,
  scopesOf,
  tasksFor,
  toolsetName,
  type ScopeChoice,
} from './token-scopes.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** The toolsets of this server: a plugin may bring its own. */
const useToolsets = () =>
  useQuery({
    queryKey: ['toolsets'],
    queryFn: async ({ signal }) => {
      const { tools } = (await (await send('/api/tools', { signal })).json()) as {
        readonly tools: ReadonlyArray<{ readonly toolset: string }>;
      };
      return [...new Set(tools.map(({ toolset }) => toolset))];
    },
    staleTime: 300_000,
  });

const lifetimes = [7, 30, 90, 180, 366].map((days) => ({
  id: String(days),
  name: t('{days} days', { days }),
}));
const everywhere = 'all';
const ownTask = 'own';

interface TokenDialogProps {
  readonly onClose: () => void;
  readonly onMade: (made: Output<'create-access-token'>) => void;
}

/** Creates a personal access token of limited scope. */
export function TokenDialog({ onClose, onMade }: TokenDialogProps) {
  const organizations = useMe().data?.organizations ?? [];
  const { projects } = useProjects();
  const offered = useToolsets();
  const known = offered.data ?? [];
  const create = useChange('create-access-token');
  const form = useTyped('new-token', () => ({ name: '' }));
  const { name } = form.typed;
  const [days, setDays] = useState('90');
  const [task, setTask] = useState(ownTask);
  const [scopes, setScopes] = useState(noScopes);
  const isOld = create.error instanceof Refusal && create.error.causeWord === 'recent_sign_in';
  const inProject = known.filter(knowsProjects);
  const toolsets = scopes.projectId === null ? known : inProject;
  const tasks = tasksFor(toolsets);
  return (
    <ActionDialog
      title={t('Create token')}
      action={t('Create token')}
      onClose={onClose}
      form={form}
      isDisabled={name.trim() === '' || !allowsSomething(scopes)}
      onConfirm={async () =>
        onMade(
          await create.mutateAsync({
            name,
            scopes: scopesOf(scopes),
            expiresInDays: Number(days),
          }),
        )
      }
    >
      <Field
        label={t('Name')}
        note={t('What it is for.')}
        {...form.field('name')}
        autoFocus
        maxLength={255}
      />
      <Choice label={t('Expires after')} options={lifetimes} value={days} onChange={setDays} />
      {projects.length > 0 && (
        <Choice
          label={t('Project')}
          options={[
            { id: everywhere, name: t('All of yours') },
            ...projects.map(({ projectId, projectName }) => ({ id: String(projectId), name: projectName })),
          ]}
          value={scopes.projectId === null ? everywhere : String(scopes.projectId)}
          onChange={(id) => {
            if (id === everywhere) return setScopes({ ...scopes, projectId: null });
            setScopes(forProject(scopes, Number(id)));
            if (!tasksFor(inProject).some((one) => one.id === task)) setTask(ownTask);
          }}
        />
      )}
      {organizations.length > 1 && scopes.projectId === null && (
        <Choice
          label={t('Organization')}
          options={[
            { id: everywhere, name: t('All of yours') },
            ...organizations.map(({ orgId, orgName }) => ({ id: String(orgId), name: orgName })),
          ]}
          value={scopes.orgId === null ? everywhere : String(scopes.orgId)}
          onChange={(id) => setScopes({ ...scopes, orgId: id === everywhere ? null : Number(id) })}
        />
      )}
      <Choice
        label={t('Task')}
        options={[...tasks, { id: ownTask, name: t('Something else: choose what it may use') }]}
        value={task}
        onChange={(id) => {
          setTask(id);
          const { toolsets: ofTask, grants } = tasks.find((one) => one.id === id) ?? noScopes;
          setScopes({ ...scopes, toolsets: ofTask, grants });
        }}
      />
      <details open={task === ownTask}>
        <summary>{t('What it may use')}</summary>
        {/* Whoever chose everything before it is known what there is would choose nothing. */}
        <Answer of={offered}>
          {() => (
            <TokenScopes
              toolsets={toolsets}
              hasGrants={scopes.projectId === null}
              scopes={scopes}
              onChange={setScopes}
            />
          )}
        </Answer>
      </details>
      <p className="note" role="status">
        {scopeSentence(scopes)}
      </p>
      {isOld && (
        <p>
          {nodes('Your sign-in is older than 10 minutes. {signIn}, then create the token.', {
            signIn: (
              <a href={signInAddress()} onClick={form.forget}>
                {t('Sign in again')}
              </a>
            ),
          })}
        </p>
      )}
    </ActionDialog>
  );
}

/** The areas of a token one by one, and its rights. */
function TokenScopes({
  toolsets,
  hasGrants,
  scopes,
  onChange,
}: {
  readonly toolsets: readonly string[];
  readonly hasGrants: boolean;
  readonly scopes: ScopeChoice;
  readonly onChange: (scopes: ScopeChoice) => void;
}) {
  const toggled = (list: readonly string[], scope: string, isSelected: boolean) =>
    isSelected ? [...list, scope] : list.filter((one) => one !== scope);
  const toolset = (scope: string, text: string) => (
    <Check
      isSelected={scopes.toolsets.includes(scope)}
      onChange={(selected) => onChange({ ...scopes, toolsets: toggled(scopes.toolsets, scope, selected) })}
    >
      {text}
    </Check>
  );
  const grant = (scope: string, text: string) => (
    <Check
      isSelected={scopes.grants.includes(scope)}
      onChange={(selected) => onChange({ ...scopes, grants: toggled(scopes.grants, scope, selected) })}
    >
      {text}
    </Check>
  );
  return (
    <>
      <fieldset className="fieldset stack tight">
        <legend className="label">{t('What it may use: at least one')}</legend>
        <Check
          isSelected={toolsets.length > 0 && toolsets.every((one) => scopes.toolsets.includes(one))}
          onChange={(isAll) => onChange({ ...scopes, toolsets: isAll ? toolsets : [] })}
        >
          {t('Everything that you may use')}
        </Check>
        <div className="scope-rows">
          {toolsets.map((one) => (
            <Fragment key={one}>
              {toolset(one, toolsetName(one))}
              {toolset(`${one}:read`, t('only reading'))}
            </Fragment>
          ))}
        </div>
      </fieldset>
      <fieldset className="fieldset stack tight">
        <legend className="label">{t('Rights')}</legend>
        <Check isSelected={scopes.isReadOnly} onChange={(isReadOnly) => onChange({ ...scopes, isReadOnly })}>
          {t('read-only: it changes nothing')}
        </Check>
        {hasGrants && toolsets.includes('cta') && grant('cta:publish', t('cta:publish: it sets CTAs live'))}
        {hasGrants && grant('admin', t('admin: it invites people and grants roles'))}
      </fieldset>
    </>
  );
}
