import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { roleWord } from '../../api/role-word.ts';
import { countText } from '../../design/amount.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { say } from '../../design/toast.tsx';
import { EraseDialog, MergeDialog } from './account-dialog.tsx';
import { personName, type Member, type Organization } from './member.ts';
import { RoleChoice } from './role-choice.tsx';
import { t } from '../../texts/text.ts';

export interface MemberAction {
  readonly kind: 'role' | 'disable' | 'enable' | 'remove' | 'merge' | 'erase';
  readonly member: Member;
}

interface MemberDialogProps {
  readonly action: MemberAction;
  readonly organization: Organization;
  readonly onClose: () => void;
}

/** What an administrator does with one member. */
export function MemberDialog({ action: { kind, member }, organization, onClose }: MemberDialogProps) {
  const { userId } = member;
  const { orgId, orgName } = organization;
  const name = personName(member);
  const [role, setRole] = useState(member.role);
  const setUserRole = useChange('set-user-role');
  const setStatus = useChange('set-user-status');
  const remove = useChange('remove-member');
  const shared = { onClose };
  switch (kind) {
    case 'role':
      return (
        <ActionDialog
          {...shared}
          title={t('Role of {name}', { name })}
          action={t('Change role')}
          isDisabled={role === member.role}
          onConfirm={async () => {
            await setUserRole.mutateAsync({ orgId, userId, role });
            say(t('{name} is now {role}.', { name, role: roleWord(role) }));
          }}
        >
          <RoleChoice value={role} onChange={setRole} />
        </ActionDialog>
      );
    case 'disable':
      return (
        <ActionDialog
          {...shared}
          title={t('Disable {name}?', { name })}
          action={t('Disable user')}
          kind="danger"
          onConfirm={async () => {
            await setStatus.mutateAsync({ userId, status: 'disabled' });
            say(t('{name} is disabled.', { name }));
          }}
        >
          <p>
            {t(
              'A disabled user cannot sign in, in no organization. All sessions end at the next request, and personal access tokens are revoked for good. It can be enabled again.',
            )}
          </p>
        </ActionDialog>
      );
    case 'enable':
      return (
        <ActionDialog
          {...shared}
          title={t('Enable {name}?', { name })}
          action={t('Enable user')}
          onConfirm={async () => {
            await setStatus.mutateAsync({ userId, status: 'active' });
            say(t('{name} can sign in again.', { name }));
          }}
        >
          <p>{t('The user can sign in again. Revoked tokens stay revoked.')}</p>
        </ActionDialog>
      );
    case 'remove':
      return (
        <ActionDialog
          {...shared}
          title={t('Remove {name} from {orgName}?', { name, orgName })}
          action={t('Remove member')}
          kind="danger"
          onConfirm={async () => {
            const { sessionsEnded, tokensEnded } = await remove.mutateAsync({ orgId, userId });
            say(
              t('{name} was removed. {sessions} and {tokens} ended.', {
                name,
                sessions: countText(sessionsEnded, 'session'),
                tokens: countText(tokensEnded, 'token'),
              }),
            );
          }}
        >
          <p>
            {t(
              'The membership ends, with the tokens for this organization. Who belongs to no other organization is signed out everywhere. What the person wrote stays. Another invitation makes the person a member again.',
            )}
          </p>
        </ActionDialog>
      );
    case 'merge':
      return <MergeDialog member={member} onClose={onClose} />;
    case 'erase':
      return <EraseDialog member={member} onClose={onClose} />;
  }
}
