import { useMe } from '../../api/queries.ts';
import { Choice } from '../../design/fields.tsx';
import { Alert, Empty, Page } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useAddress } from '../../frame/router.tsx';
import { AccountPanel } from './account-panel.tsx';
import { InvitationPanel } from './invitation-panel.tsx';
import { ColleaguePanel, MemberPanel } from './member-panel.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** The people of an organization, and who is invited to it. */
export default function PeoplePage() {
  const [state, change] = useAddress();
  const me = useMe().data;
  const organizations = me?.organizations ?? [];
  const administersServer = me?.administersServer === true;
  const wanted = state.get('org');
  const chosen = organizations.find(({ orgId }) => String(orgId) === wanted);
  // A link to an organization of others must not show the people of another one.
  const organization = wanted === null ? organizations[0] : chosen;
  const tab = state.get('tab') ?? 'members';
  const tabs = ['members', 'invitations', ...(administersServer ? ['accounts'] : [])];
  const isAdmin = useMay('admin', organization?.orgId ?? 0);
  const chooser = organizations.length > 1 && (
    <Choice
      label={t('Organization')}
      hideLabel
      options={organizations.map(({ orgId, orgName }) => ({ id: String(orgId), name: orgName }))}
      value={organization ? String(organization.orgId) : null}
      onChange={(id) => change({ org: id, offset: null }, { push: true })}
    />
  );
  return (
    <Page title={t('People')} actions={chooser || undefined}>
      {!organization ? (
        <Empty title={t('You do not belong to this organization')}>
          <p>{t('Ask one of its administrators for an invitation link.')}</p>
        </Empty>
      ) : isAdmin ? (
        <Tabs
          label={t('People of {orgName}', { orgName: organization.orgName })}
          selected={tabs.includes(tab) ? tab : 'members'}
          onChange={(id) => change({ tab: id === 'members' ? null : id, offset: null, user: null })}
          tabs={[
            { id: 'members', name: t('Members'), content: <MemberPanel organization={organization} /> },
            {
              id: 'invitations',
              name: t('Invitations'),
              content: <InvitationPanel organization={organization} />,
            },
            ...(administersServer
              ? [{ id: 'accounts', name: t('Accounts'), content: <AccountPanel /> }]
              : []),
          ]}
        />
      ) : (
        <>
          <Alert kind="info">
            {nodes('You see who belongs to {orgName}. Its administrators invite people and change roles.', {
              orgName: organization.orgName,
            })}
          </Alert>
          <ColleaguePanel orgId={organization.orgId} />
        </>
      )}
    </Page>
  );
}
