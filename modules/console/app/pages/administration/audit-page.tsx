import { useState } from 'react';
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

const anything = 'all';

/** Who did what, the newest first; of one project with what changed. */
export default function AuditPage() {
  const [state] = useAddress();
  const projectId = idOf(state.get('project') ?? undefined);
  return projectId === null ? (
    <Page title="Audit">
      <p className="note">
        Sign-ins, tokens, roles, keys and all changes. You see your own entries; administrators also those of
        the members of their organizations.
      </p>
      <Filters key={state.toString()} />
      <AuditList />
    </Page>
  ) : (
    <ProjectActivity projectId={projectId} />
  );
}

function ProjectActivity({ projectId }: { readonly projectId: number }) {
  const [state] = useAddress();
  const project = useTool('get-project-detail', { projectId });
  const name = project.data?.projectName ?? `project ${projectId}`;
  return (
    <Page title={`Activity in ${name}`} actions={<LinkButton to="/audit">Whole audit log</LinkButton>}>
      <Filters key={state.toString()} isProject />
      <ActivityList projectId={projectId} />
    </Page>
  );
}

/** The filter, which is kept in the address; each choice returns to the first page. */
function Filters({ isProject = false }: { readonly isProject?: boolean }) {
  const [state, change] = useAddress();
  const { users, nameOf } = usePeople();
  const of = (name: string) => state.get(name) ?? '';
  const [since, setSince] = useState(of('since'));
  const [until, setUntil] = useState(of('until'));
  const user = idOf(of('user'));
  const people = [
    ...users.map(({ userId }) => userId),
    ...(user !== null && !users.some(({ userId }) => userId === user) ? [user] : []),
  ];
  const set = (values: Readonly<Record<string, string | null>>) =>
    change({ ...values, offset: null }, { push: true });
  return (
    <form
      className="audit-filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        set(isProject ? { since } : { since, until });
      }}
    >
      <Choice
        label="Person"
        options={[
          { id: anything, name: 'Anybody' },
          ...people.map((id) => ({ id: String(id), name: nameOf(id) })),
        ]}
        value={user === null ? anything : String(user)}
        onChange={(id) => set({ user: id === anything ? null : id })}
      />
      {!isProject && (
        <>
          <Choice
            label="Event"
            options={[
              { id: anything, name: 'Any event' },
              ...Object.entries(eventWords).map(([id, name]) => ({ id, name })),
            ]}
            value={state.get('event') ?? anything}
            onChange={(id) => set({ event: id === anything ? null : id })}
          />
          <Choice
            label="What was done"
            options={[
              { id: anything, name: 'Anything' },
              ...Object.keys(operationWords)
                .map((id) => ({ id, name: operationText(id) }))
                .toSorted((a, b) => a.name.localeCompare(b.name)),
            ]}
            value={of('operation') === '' ? anything : of('operation')}
            onChange={(id) => set({ operation: id === anything ? null : id })}
          />
        </>
      )}
      <Field label="Since (UTC)" type="date" value={since} onChange={setSince} />
      {!isProject && <Field label="Until (UTC)" type="date" value={until} onChange={setUntil} />}
      <div className="row">
        <Button type="submit">Filter</Button>
        <Button
          kind="quiet"
          onPress={() => set({ user: null, event: null, operation: null, since: null, until: null })}
        >
          Clear
        </Button>
      </div>
    </form>
  );
}
