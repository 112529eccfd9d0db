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
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

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
        ? t('This is {name}{address}.', {
            name: personName(duplicate.data),
            address: duplicate.data.email === null ? '' : `, ${duplicate.data.email}`,
          })
        : duplicate.error
          ? t('No member of your organizations has this id.')
          : '';
  return (
    <ActionDialog
      title={t('Merge another account into {name}', { name })}
      action={t('Merge accounts')}
      kind="danger"
      onClose={onClose}
      isDisabled={duplicateId === null || duplicateId === member.userId}
      onConfirm={async () => {
        if (duplicateId === null) return;
        await merge.mutateAsync({ userId: member.userId, duplicateId });
        say(t('User {duplicateId} is now part of {name}.', { duplicateId, name }));
      }}
    >
      <p>
        {nodes(
          'For one person with two accounts. The other account ends: from then on, its sign-ins are sign-ins to {name} (user {userId}). Memberships move, and the higher role counts. Sessions and tokens of the other account end, and its states in apps are joined. What it wrote keeps its user id.',
          { name, userId: member.userId },
        )}
      </p>
      <p>
        {nodes('{thisCannot} An equal e-mail address proves nothing: ask the person.', {
          thisCannot: <strong>{t('This cannot be undone.')}</strong>,
        })}
      </p>
      <Field
        label={t('User id of the account that ends')}
        note={t('The list of members shows the ids.')}
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
      <Dialog title={t('User {userId} was erased', { userId: member.userId })} onClose={onClose}>
        <div className="stack">
          <p>
            {t('{sessions} and {tokens} ended. What remains:', {
              sessions: countText(erased.sessionsEnded, 'session'),
              tokens: countText(erased.tokensEnded, 'token'),
            })}
          </p>
          <p>
            {t(
              'The id in records, in the history of results and in the audit log, so that they stay complete; texts that the person wrote and files that they attached; states of apps under this id, which an administrator erases separately; backups until they are deleted.',
            )}
          </p>
          <div className="row end">
            <Button onPress={onClose}>{t('Close')}</Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <ActionDialog
      title={t('Erase {name}?', { name })}
      action={t('Erase user')}
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
        {t(
          'Name, e-mail address, picture, the identity at the provider, and the addresses and browsers of sessions and of the audit log are erased. Memberships, sessions and tokens end, in all organizations.',
        )}
      </p>
      <p>
        {nodes(
          'What the person wrote and the user id stay, so that records and the history of results stay complete. Who signs in again is a new user. {thisCannot}',
          { thisCannot: <strong>{t('This cannot be undone.')}</strong> },
        )}
      </p>
      <Field
        label={t('Type the user id {userId} to confirm', { userId: member.userId })}
        value={text}
        onChange={setText}
        inputMode="numeric"
        autoFocus
      />
    </ActionDialog>
  );
}
