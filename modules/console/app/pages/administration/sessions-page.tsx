import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { usePeople } from '../../api/people.ts';
import { useChange, useMe, useTool } from '../../api/queries.ts';
import { doneText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Listing } from '../../design/listing.tsx';
import { Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { usePaging } from '../../frame/paging.ts';
import { idOf, useAddress } from '../../frame/router.tsx';
import { browserName } from './browser-name.ts';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Session = Output<'list-sessions'>['sessions'][number];

/** Where a person is signed in: the one who looks, or `?user=` for an administrator. */
export default function SessionsPage() {
  const [state] = useAddress();
  const me = useMe().data;
  const { nameOf } = usePeople();
  const { page, pager } = usePaging();
  const userId = idOf(state.get('user') ?? undefined) ?? me?.userId ?? 0;
  const isOwn = userId === me?.userId;
  const sessions = useTool('list-sessions', { userId, ...page }, { keep: true });
  const revoke = useChange('revoke-session');
  const [revoked, setRevoked] = useState<Session | 'all' | null>(null);
  const title = isOwn ? t('Sessions') : t('Sessions of {userId}', { userId: nameOf(userId) });
  return (
    <Page
      title={title}
      actions={
        <Button kind="danger" onPress={() => setRevoked('all')}>
          {t('Revoke all…')}
        </Button>
      }
    >
      <p className="note">
        {isOwn
          ? t('Where you are signed in: browsers, programs and apps. Revoke what you do not know.')
          : t('Where this person is signed in: browsers, programs and apps.')}
      </p>
      <Listing
        of={sessions}
        label={title}
        rowsOf={({ sessions }) => sessions}
        keyOf={({ sessionId }) => sessionId}
        columns={[
          { title: t('Device'), cell: (session) => <Device session={session} /> },
          { title: t('Signed in with'), cell: ({ provider }) => provider },
          { title: t('May'), cell: ({ scope }) => scope ?? t('everything') },
          { title: t('Address'), cell: ({ address }) => address ?? '–' },
          { title: t('Signed in'), cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: t('Last used'), cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: t('Ends'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: (session) => (
              <Button
                small
                aria-label={t('Revoke {session}, {sessionId}', {
                  session: deviceName(session),
                  sessionId: session.sessionId,
                })}
                onPress={() => setRevoked(session)}
              >
                {t('Revoke')}
              </Button>
            ),
          },
        ]}
        names={noun('session')}
        pager={pager}
        empty={
          <Empty title={t('No session')}>
            <p>{t('Each sign-in makes a session, which would be listed here until it ends.')}</p>
          </Empty>
        }
      />
      <ActionDialog
        title={revoked === 'all' ? t('Revoke all sessions and tokens?') : t('Revoke this session?')}
        action={revoked === 'all' ? t('Revoke all') : t('Revoke session')}
        kind="danger"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        onConfirm={async () => {
          if (revoked === null) return;
          const { revoked: count } = await revoke.mutateAsync({
            userId,
            ...(revoked === 'all' ? {} : { sessionId: revoked.sessionId }),
          });
          say(`${doneText(count, 'session', 'revoked')}.`);
        }}
      >
        {revoked === 'all' ? (
          <p>
            {nodes(
              'Every session and every personal access token of {person} ends now: browsers, apps and pipelines are refused. {consequence}',
              {
                person: isOwn ? t('yours') : nameOf(userId),
                consequence: isOwn && t('You are signed out here, too.'),
              },
            )}
          </p>
        ) : (
          <p>
            {nodes('{device} is signed out now. {consequence}', {
              device: revoked === null ? '' : deviceName(revoked),
              consequence: isOwn && t('If it is this browser, you sign in again.'),
            })}
          </p>
        )}
      </ActionDialog>
    </Page>
  );
}

const deviceName = ({ client, device }: Session): string =>
  t('{client} on {device}', {
    client: client === null ? t('App') : client === 'console' ? t('Console') : client,
    device: browserName(device ?? ''),
  });

/** A browser does not know the id of its own session, but its User-Agent is the same. */
const isLikeThis = ({ client, device }: Session): boolean =>
  client === 'console' && device === navigator.userAgent;

const Device = ({ session }: { readonly session: Session }) => (
  <>
    {deviceName(session)} {isLikeThis(session) && <span className="badge">{t('like this browser')}</span>}
    {session.device !== null && <div className="note table-name">{session.device}</div>}
  </>
);
