import { useState } from 'react';
import { useLocation } from 'wouter';
import { useMe, useTool } from '../../api/queries.ts';
import { roleWord } from '../../api/role-word.ts';
import { ActionMenu } from '../../design/menu.tsx';
import { Listing } from '../../design/listing.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { personName, type Member, type Organization } from './member.ts';
import { MemberDialog, type MemberAction } from './member-dialog.tsx';
import { noun, t } from '../../texts/text.ts';

type Person = Pick<Member, 'userId' | 'name' | 'email' | 'role' | 'status' | 'lastSignInAt'>;

const columns = [
  {
    title: t('Person'),
    cell: (person: Person) => (
      <div className="table-name">
        {personName(person)} {person.status === 'disabled' && <span className="badge">{t('disabled')}</span>}
        {person.email !== null && person.email !== personName(person) && (
          <div className="note">{person.email}</div>
        )}
      </div>
    ),
  },
  { title: t('User id'), isNumber: true, isMinor: true, cell: ({ userId }: Person) => userId },
  { title: t('Role'), cell: ({ role }: Person) => roleWord(role) },
  { title: t('Last sign-in'), isMinor: true, cell: ({ lastSignInAt }: Person) => <Time at={lastSignInAt} /> },
];

/** The members of an organization, for its administrators. */
export function MemberPanel({ organization }: { readonly organization: Organization }) {
  const { orgId, orgName } = organization;
  const me = useMe().data;
  const [, navigate] = useLocation();
  const { page, pager } = usePaging();
  const members = useTool('list-members', { orgId, ...page }, { keep: true });
  const [action, setAction] = useState<MemberAction | null>(null);

  const actionsFor = (member: Member) => {
    const open = (kind: MemberAction['kind'], name: string) => ({
      id: kind,
      name,
      onAction: () => setAction({ kind, member }),
    });
    const isMe = member.userId === me?.userId;
    return [
      open('role', t('Change role…')),
      { id: 'sessions', name: t('Sessions'), onAction: () => navigate(`/sessions?user=${member.userId}`) },
      { id: 'audit', name: t('Audit log'), onAction: () => navigate(`/audit?user=${member.userId}`) },
      ...(isMe
        ? []
        : [member.status === 'active' ? open('disable', t('Disable…')) : open('enable', t('Enable…'))]),
      open('remove', t('Remove from organization…')),
      ...(me?.administersServer === true
        ? [
            {
              id: 'account',
              name: t('Account and claims'),
              onAction: () => navigate(`/people?tab=accounts&user=${member.userId}`),
            },
            open('merge', t('Merge another account into it…')),
            ...(isMe ? [] : [open('erase', t('Erase…'))]),
          ]
        : []),
    ];
  };

  return (
    <div className="stack">
      <Listing
        of={members}
        label={t('Members of {orgName}', { orgName })}
        rowsOf={(answer) => answer.members}
        keyOf={({ userId }) => userId}
        columns={[
          ...columns,
          { title: t('Signs in with'), isMinor: true, cell: ({ provider }: Member) => provider },
          {
            title: t('Member since'),
            isMinor: true,
            cell: ({ memberSince }: Member) => <Time at={memberSince} />,
          },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: (member: Member) => (
              <ActionMenu
                small
                label={t('Actions for {member}', { member: personName(member) })}
                actions={actionsFor(member)}
              />
            ),
          },
        ]}
        names={noun('member')}
        pager={pager}
        empty={null}
      />
      {action && (
        <MemberDialog
          key={`${action.kind} ${action.member.userId}`}
          action={action}
          organization={organization}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}

/** The members of an organization, for those who do not administer it. */
export function ColleaguePanel({ orgId }: { readonly orgId: number }) {
  const { page, pager } = usePaging();
  const people = useTool('get-all-users', { orgId, ...page }, { keep: true });
  return (
    <Listing
      of={people}
      label={t('Members')}
      rowsOf={({ users }) =>
        users.map((user) => ({
          ...user,
          role: user.roles.find((one) => one.orgId === orgId)?.role ?? 'reader',
        }))
      }
      keyOf={({ userId }) => userId}
      columns={columns}
      names={noun('member')}
      pager={pager}
      empty={null}
    />
  );
}
