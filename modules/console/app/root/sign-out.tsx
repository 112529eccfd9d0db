import { useState } from 'react';
import { send } from '../api/call.ts';
import { forgetOpened } from '../api/browser-store.ts';
import { giveUpUnsaved, holdsDraft } from '../api/unsaved.ts';
import { ActionDialog } from '../design/dialog.tsx';
import { sayError } from '../design/toast.tsx';
import { t } from '../texts/text.ts';

async function signOut(): Promise<void> {
  await send('/console/sign-out', { method: 'POST' });
  giveUpUnsaved();
  forgetOpened();
  location.assign('/console/sign-in');
}

/**
 * The way out. What a person typed and did not save is asked about before the session ends: afterwards it could not be saved.
 * @returns a function that signs out or asks, and the question.
 */
export function useSignOut() {
  const [isAsking, setAsking] = useState(false);
  return {
    leave: () => (holdsDraft() ? setAsking(true) : void signOut().catch(sayError)),
    question: isAsking && (
      <ActionDialog
        title={t('Sign out with unsaved text?')}
        action={t('Sign out')}
        kind="danger"
        onClose={() => setAsking(false)}
        onConfirm={signOut}
      >
        <p>{t('What you typed in this tab and did not save will be gone.')}</p>
      </ActionDialog>
    ),
  };
}
