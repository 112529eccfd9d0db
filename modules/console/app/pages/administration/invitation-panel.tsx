import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { CopyField } from '../../design/copy-field.tsx';
import { ActionDialog, Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { Alert, Empty } from '../../design/states.tsx';
import { Time, timeText } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useNewDialog } from '../../frame/router.tsx';
import type { Organization } from './member.ts';
import { RoleChoice, type Role } from './role-choice.tsx';

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
      Invite a person
    </Button>
  );
  return (
    <>
      <div className="stack">
        {(invitations.data?.total ?? 0) > 0 && <div className="row">{invite}</div>}
        <Listing
          of={invitations}
          label={`Open invitations to ${orgName}`}
          rowsOf={({ invitations: rows }) => rows}
          keyOf={({ invitationId }) => invitationId}
          columns={[
            { title: 'Invitation', cell: ({ invitationId }) => `#${invitationId}` },
            { title: 'Role', cell: ({ role }) => role },
            {
              title: 'Invited by',
              cell: ({ createdBy }) => (createdBy === null ? '–' : nameOf(createdBy)),
            },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
            {
              title: 'Actions',
              hideTitle: true,
              cell: ({ invitationId }) => (
                <Button
                  small
                  aria-label={`Revoke invitation ${invitationId}`}
                  onPress={() => setRevoked(invitationId)}
                >
                  Revoke
                </Button>
              ),
            },
          ]}
          names={['invitation', 'invitations']}
          pager={pager}
          empty={
            <Empty title="No open invitation">
              <p>An invitation is a link. Who opens it and signs in becomes a member of {orgName}.</p>
              {invite}
            </Empty>
          }
        />
      </div>
      <InviteDialog organization={organization} isOpen={isInviting} onClose={() => setInviting(false)} />
      <ActionDialog
        title={`Revoke invitation ${revoked}?`}
        action="Revoke invitation"
        kind="danger"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        onConfirm={async () => {
          if (revoked === null) return;
          await revoke.mutateAsync({ orgId, invitationId: revoked });
          say('The invitation was revoked.');
        }}
      >
        <p>Its link no longer works. Who has used it already stays a member.</p>
      </ActionDialog>
    </>
  );
}

const handedOver = {
  waiting: 'The link is on its way by e-mail. It is shown only now, in case the letter does not arrive.',
  refused:
    'Nothing was sent: the address wants no invitations, or too many letters wait. The link is shown only now. Copy it and give it to the person.',
  none: 'The link is shown only now, and nothing was sent. Copy it and give it to the person.',
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
        title={`Invite a person to ${orgName}`}
        action={address === '' ? 'Create invitation link' : 'Send invitation'}
        isOpen={isOpen}
        form={form}
        onClose={onClose}
        onConfirm={async () => {
          setMade(await invite.mutateAsync({ orgId, role, ...(address === '' ? {} : { email: address }) }));
        }}
      >
        <p>
          {sendsLetters
            ? 'With an address the link is sent there; without one you hand it over yourself.'
            : 'You get a link to hand over yourself: nothing is sent.'}{' '}
          It works once, within 7 days.
        </p>
        {sendsLetters && <Field label="E-mail address" {...form.field('email')} type="email" autoFocus />}
        <RoleChoice value={role} onChange={setRole} />
      </ActionDialog>
      <Dialog title="Invitation link" isOpen={made !== null} onClose={() => setMade(null)}>
        {made && (
          <div className="stack">
            <Alert kind={made.letter === 'waiting' ? 'info' : 'warning'}>{handedOver[made.letter]}</Alert>
            <CopyField
              label="Link"
              value={made.link}
              note={`Makes one person ${made.role} of ${orgName}, until ${timeText(made.expiresAt)}.`}
            />
            <div className="row end">
              <Button onPress={() => setMade(null)}>Done</Button>
            </div>
          </div>
        )}
      </Dialog>
    </>
  );
}
