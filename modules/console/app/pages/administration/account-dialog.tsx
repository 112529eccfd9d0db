import { useRef, useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog, Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { idOf } from '../../frame/router.tsx';
import { personName, type Member } from './member.ts';

interface AccountProps {
  readonly member: Member;
  readonly onClose: () => void;
}

/** Merges a second account of a person into the chosen one. */
export function MergeDialog({ member, onClose }: AccountProps) {
  const [text, setText] = useState('');
  const duplicateId = idOf(text.trim());
  const duplicate = useTool(
    'get-user-details',
    { userId: duplicateId ?? 1 },
    { enabled: duplicateId !== null },
  );
  const merge = useChange('merge-users');
  const name = personName(member);
  const who =
    duplicateId === null
      ? ''
      : duplicate.data
        ? `This is ${personName(duplicate.data)}${duplicate.data.email === null ? '' : `, ${duplicate.data.email}`}.`
        : duplicate.error
          ? 'No member of your organizations has this id.'
          : '';
  return (
    <ActionDialog
      title={`Merge another account into ${name}`}
      action="Merge accounts"
      kind="danger"
      onClose={onClose}
      isDisabled={duplicateId === null || duplicateId === member.userId}
      onConfirm={async () => {
        if (duplicateId === null) return;
        await merge.mutateAsync({ userId: member.userId, duplicateId });
        say(`User ${duplicateId} is now part of ${name}.`);
      }}
    >
      <p>
        For one person with two accounts. The other account ends: from then on, its sign-ins are sign-ins to{' '}
        {name} (user {member.userId}). Memberships move, and the higher role counts. Sessions and tokens of
        the other account end, and its states in apps are joined. What it wrote keeps its user id.
      </p>
      <p>
        <strong>This cannot be undone.</strong> An equal e-mail address proves nothing: ask the person.
      </p>
      <Field
        label="User id of the account that ends"
        note="The list of members shows the ids."
        value={text}
        onChange={setText}
        inputMode="numeric"
        autoFocus
      />
      <p role="status" className="note">
        {who}
      </p>
    </ActionDialog>
  );
}

/** Erases the personal data of a person. */
export function EraseDialog({ member, onClose }: AccountProps) {
  const [text, setText] = useState('');
  const [erased, setErased] = useState<Output<'erase-user'> | null>(null);
  // The result says what remains, so it replaces this dialog.
  const isDone = useRef(false);
  const erase = useChange('erase-user');
  const name = personName(member);
  if (erased)
    return (
      <Dialog title={`User ${member.userId} was erased`} onClose={onClose}>
        <div className="stack">
          <p>
            {countText(erased.sessionsEnded, 'session')} and {countText(erased.tokensEnded, 'token')} ended.
            What remains:
          </p>
          <p>{erased.remains}</p>
          <div className="row end">
            <Button onPress={onClose}>Close</Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <ActionDialog
      title={`Erase ${name}?`}
      action="Erase user"
      kind="danger"
      onClose={() => {
        if (!isDone.current) onClose();
      }}
      isDisabled={text.trim() !== String(member.userId)}
      onConfirm={async () => {
        const answer = await erase.mutateAsync({ userId: member.userId });
        isDone.current = true;
        setErased(answer);
      }}
    >
      <p>
        Name, e-mail address, picture, the identity at the provider, and the addresses and browsers of
        sessions and of the audit log are erased. Memberships, sessions and tokens end, in all organizations.
      </p>
      <p>
        What the person wrote and the user id stay, so that records and the history of results stay complete.
        Who signs in again is a new user. <strong>This cannot be undone.</strong>
      </p>
      <Field
        label={`Type the user id ${member.userId} to confirm`}
        value={text}
        onChange={setText}
        inputMode="numeric"
        autoFocus
      />
    </ActionDialog>
  );
}
