import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { roleWord } from '../../api/role-word.ts';
import { Button } from '../../design/button.tsx';
import { SecretDialog } from '../../design/copy-field.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { Alert, Empty } from '../../design/states.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useNewDialog } from '../../frame/router.tsx';
import type { Organization } from './member.ts';
import { RoleChoice, type Role } from './role-choice.tsx';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** The invitations to an organization that can still be redeemed. */
export function InvitationPanel({ organization }: { readonly organization: Organization }) {
  const { orgId, orgName } = organization;
  const { page, pager } = usePaging();
  const { nameOf } = usePeople();
  const invitations = useTool('list-invitations', { orgId, ...page }, { keep: true });
  const revoke = useChange('revoke-invitation');
  const [isInviting, setInviting] = useNewDialog();
  const [revoked, setRevoked] = useState<number | null>(null);
  const invite = (
    <Button kind="primary" onPress={() => setInviting(true)}>
      {t('Invite a person')}
    </Button>
  );
  return (
    <>
      <div className="stack">
        {(invitations.data?.total ?? 0) > 0 && <div className="row">{invite}</div>}
        <Listing
          of={invitations}
          label={t('Open invitations to {orgName}', { orgName })}
          rowsOf={({ invitations: rows }) => rows}
          keyOf={({ invitationId }) => invitationId}
          columns={[
            { title: t('Invitation'), cell: ({ invitationId }) => `#${invitationId}` },
            { title: t('Role'), cell: ({ role }) => roleWord(role) },
            ...(invitations.data?.invitations.some(({ email, letter }) => email ?? letter)
              ? [sentToColumn]
              : []),
            {
              title: t('Invited by'),
              cell: ({ createdBy }) => (createdBy === null ? '–' : nameOf(createdBy)),
            },
            { title: t('Created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
            { title: t('Expires'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
            {
              title: t('Actions'),
              hideTitle: true,
              cell: ({ invitationId }) => (
                <Button
                  small
                  aria-label={t('Revoke invitation {invitationId}', { invitationId })}
                  onPress={() => setRevoked(invitationId)}
                >
                  {t('Revoke')}
                </Button>
              ),
            },
          ]}
          names={noun('invitation')}
          pager={pager}
          empty={
            <Empty title={t('No open invitation')}>
              <p>
                {nodes('An invitation is a link. Who opens it and signs in becomes a member of {orgName}.', {
                  orgName,
                })}
              </p>
              {invite}
            </Empty>
          }
        />
      </div>
      <InviteDialog organization={organization} isOpen={isInviting} onClose={() => setInviting(false)} />
      <ActionDialog
        title={t('Revoke invitation {revoked}?', { revoked })}
        action={t('Revoke invitation')}
        kind="danger"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        onConfirm={async () => {
          if (revoked === null) return;
          await revoke.mutateAsync({ orgId, invitationId: revoked });
          say(t('The invitation was revoked.'));
        }}
      >
        <p>{t('Its link no longer works. Who has used it already stays a member.')}</p>
      </ActionDialog>
    </>
  );
}

const undelivered = {
  waiting: t('On its way'),
  failed: t('Not delivered: the mail server refused it, or was away for a day'),
} as const;

const sentToColumn = {
  title: t('Sent to'),
  cell: ({ email = '–', letter }: Output<'list-invitations'>['invitations'][number]) => (
    <>
      {email}
      {letter && <div className="note">{undelivered[letter]}</div>}
    </>
  ),
};

const handedOver = {
  waiting: t('The link is on its way by e-mail. It is shown only now, in case the letter does not arrive.'),
  refused: t(
    'Nothing was sent: the address wants no invitations, or too many letters wait. The link is shown only now. Copy it and give it to the person.',
  ),
  none: t('The link is shown only now, and nothing was sent. Copy it and give it to the person.'),
} as const;

interface InviteProps {
  readonly organization: Organization;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function InviteDialog({ organization: { orgId, orgName }, isOpen, onClose }: InviteProps) {
  const [role, setRole] = useState<Role>('member');
  const [made, setMade] = useState<Output<'invite-user'> | null>(null);
  const form = useTyped(`invitation:${orgId}`, () => ({ email: '' }));
  const invite = useChange('invite-user');
  const sendsLetters = useTool('get-letter-settings', {}, { enabled: isOpen }).data?.sendsLetters === true;
  const address = sendsLetters ? form.typed.email.trim() : '';
  return (
    <>
      <ActionDialog
        title={t('Invite a person to {orgName}', { orgName })}
        action={address === '' ? t('Create invitation link') : t('Send invitation')}
        isOpen={isOpen}
        form={form}
        onClose={onClose}
        onConfirm={async () => {
          setMade(await invite.mutateAsync({ orgId, role, ...(address === '' ? {} : { email: address }) }));
        }}
      >
        <p>
          {nodes('{delivery} It works once, within 7 days.', {
            delivery: sendsLetters
              ? t('With an address the link is sent there; without one you hand it over yourself.')
              : t('You get a link to hand over yourself: nothing is sent.'),
          })}
        </p>
        {sendsLetters && (
          <Field label={t('E-mail address')} {...form.field('email')} type="email" autoFocus />
        )}
        <RoleChoice value={role} onChange={setRole} />
      </ActionDialog>
      {made && (
        <SecretDialog
          title={t('Invitation link')}
          onClose={() => setMade(null)}
          label={t('Link')}
          value={made.link}
          note={t('Makes one person {role} of {orgName}, until {expiresAt}.', {
            role: roleWord(made.role),
            orgName,
            expiresAt: timeText(made.expiresAt),
          })}
        >
          <Alert kind={made.letter === 'waiting' ? 'info' : 'warning'}>{handedOver[made.letter]}</Alert>
        </SecretDialog>
      )}
    </>
  );
}
