import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { CopyField } from '../../design/copy-field.tsx';
import { ActionDialog, Dialog } from '../../design/dialog.tsx';
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

interface InviteProps {
  readonly organization: Organization;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function InviteDialog({ organization: { orgId, orgName }, isOpen, onClose }: InviteProps) {
  const [role, setRole] = useState<Role>('member');
  const [made, setMade] = useState<Output<'invite-user'> | null>(null);
  const invite = useChange('invite-user');
  return (
    <>
      <ActionDialog
        title={`Invite a person to ${orgName}`}
        action="Create invitation link"
        isOpen={isOpen}
        onClose={onClose}
        onConfirm={async () => setMade(await invite.mutateAsync({ orgId, role }))}
      >
        <p>You get a link to hand over yourself: nothing is sent. It works once, within 7 days.</p>
        <RoleChoice value={role} onChange={setRole} />
      </ActionDialog>
      <Dialog title="Invitation link" isOpen={made !== null} onClose={() => setMade(null)}>
        {made && (
          <div className="stack">
            <Alert kind="warning">
              The link is shown only now, and nothing was sent. Copy it and give it to the person.
            </Alert>
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
