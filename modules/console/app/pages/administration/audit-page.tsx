import { useEffect, useState } from 'react';
import { operationText, operationWords } from '../../api/operation-words.ts';
import { usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { Page } from '../../design/states.tsx';
import { idOf, useAddress } from '../../frame/router.tsx';
import { ActivityList } from './activity-list.tsx';
import { eventWords } from './audit-filter.ts';
import { AuditList } from './audit-list.tsx';
import './administration.css';
import { t } from '../../texts/text.ts';

const anything = 'all';

/** Who did what, the newest first; of one project with what changed. */
export default function AuditPage() {
  const [state] = useAddress();
  const projectId = idOf(state.get('project') ?? undefined);
  return projectId === null ? (
    <Page title={t('Audit')}>
      <p className="note">
        {t(
          'Sign-ins, tokens, roles, keys and all changes. You see your own entries; administrators also those of the members of their organizations.',
        )}
      </p>
      <Filters />
      <AuditList />
    </Page>
  ) : (
    <ProjectActivity projectId={projectId} />
  );
}

function ProjectActivity({ projectId }: { readonly projectId: number }) {
  const project = useTool('get-project-detail', { projectId });
  const name = project.data?.projectName ?? t('project {projectId}', { projectId });
  return (
    <Page
      title={t('Activity in {name}', { name })}
      actions={<LinkButton to="/audit">{t('Whole audit log')}</LinkButton>}
    >
      <Filters isProject />
      <ActivityList projectId={projectId} />
    </Page>
  );
}

/** The filter, which is kept in the address; each choice returns to the first page. */
function Filters({ isProject = false }: { readonly isProject?: boolean }) {
  const [state, change] = useAddress();
  const { users, former, nameOf } = usePeople();
  const of = (name: string) => state.get(name) ?? '';
  const [since, setSince] = useState(of('since'));
  const [until, setUntil] = useState(of('until'));
  const [shownSince, shownUntil] = [of('since'), of('until')];
  useEffect(() => {
    setSince(shownSince);
    setUntil(shownUntil);
  }, [shownSince, shownUntil]);
  const user = idOf(of('user'));
  const known = [...users, ...former].map(({ userId }) => userId);
  const people = user === null || known.includes(user) ? known : [...known, user];
  // A choice also applies the days that are typed.
  const days = isProject ? { since } : { since, until };
  const set = (values: Readonly<Record<string, string | null>>) =>
    change({ ...days, ...values, offset: null }, { push: true });
  return (
    <form
      className="audit-filters"
      aria-label={t('Filters')}
      onSubmit={(event) => {
        event.preventDefault();
        set({});
      }}
    >
      <Choice
        label={t('Person')}
        options={[
          { id: anything, name: t('Anybody') },
          ...people.map((id) => ({ id: String(id), name: nameOf(id) })),
        ]}
        value={user === null ? anything : String(user)}
        onChange={(id) => set({ user: id === anything ? null : id })}
      />
      {!isProject && (
        <>
          <Choice
            label={t('Event')}
            options={[
              { id: anything, name: t('Any event') },
              ...Object.entries(eventWords).map(([id, name]) => ({ id, name })),
            ]}
            value={state.get('event') ?? anything}
            onChange={(id) => set({ event: id === anything ? null : id })}
          />
          <Choice
            label={t('What was done')}
            options={[
              { id: anything, name: t('Anything') },
              ...Object.keys(operationWords)
                .map((id) => ({ id, name: operationText(id) }))
                .toSorted((a, b) => a.name.localeCompare(b.name)),
            ]}
            value={of('operation') === '' ? anything : of('operation')}
            onChange={(id) => set({ operation: id === anything ? null : id })}
          />
        </>
      )}
      <Field label={t('Since (UTC)')} type="date" value={since} onChange={setSince} />
      {!isProject && <Field label={t('Until (UTC)')} type="date" value={until} onChange={setUntil} />}
      <div className="row">
        <Button type="submit">{t('Filter')}</Button>
        <Button
          kind="quiet"
          onPress={() => {
            setSince('');
            setUntil('');
            set({ user: null, event: null, operation: null, since: null, until: null });
          }}
        >
          {t('Clear')}
        </Button>
      </div>
    </form>
  );
}
