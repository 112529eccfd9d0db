import { useState } from 'react';
import { useChange, useTool } from '../../api/queries.ts';
import type { Output } from '../../api/calls.ts';
import { Button } from '../../design/button.tsx';
import { SecretDialog } from '../../design/copy-field.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Listing } from '../../design/listing.tsx';
import { Alert, Empty, Page } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { useProjects } from '../../frame/organizations.ts';
import { usePaging } from '../../frame/paging.ts';
import { useNewDialog } from '../../frame/router.tsx';
import { TokenDialog } from './token-dialog.tsx';
import { noun, t } from '../../texts/text.ts';

type Token = Output<'list-access-tokens'>['tokens'][number];

/** The personal access tokens of the person. */
export default function TokensPage() {
  const { page, pager } = usePaging();
  const tokens = useTool('list-access-tokens', page, { keep: true });
  const revoke = useChange('revoke-access-token');
  const [isCreating, setCreating] = useNewDialog();
  const [made, setMade] = useState<Output<'create-access-token'> | null>(null);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const create = (
    <Button kind="primary" onPress={() => setCreating(true)}>
      {t('Create token')}
    </Button>
  );
  return (
    <Page title={t('Tokens')} actions={create}>
      <p className="note">
        {t(
          'A personal access token acts for you: in a pipeline, for an agent, on the command line. Give each the least it needs, and one to each place, so that you can revoke it alone.',
        )}
      </p>
      <Listing
        of={tokens}
        label={t('Your tokens')}
        rowsOf={({ tokens }) => tokens}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          { title: t('Name'), cell: ({ name }) => name },
          { title: t('Scopes'), cell: ({ scopes }) => <Scopes scopes={scopes} /> },
          { title: t('Created'), cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: t('Expires'),
            cell: ({ expiresAt }) => (expiresAt === null ? t('never') : <Expiry at={expiresAt} />),
          },
          {
            title: t('Last used'),
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('never') : <Time at={lastUsedAt} />),
          },
          {
            title: t('Actions'),
            hideTitle: true,
            cell: (token) => (
              <Button
                small
                aria-label={t('Revoke {name}', { name: token.name })}
                onPress={() => setRevoked(token)}
              >
                {t('Revoke')}
              </Button>
            ),
          },
        ]}
        names={noun('token')}
        pager={pager}
        empty={
          <Empty title={t('No token yet')}>
            <p>{t('Your tokens would be listed here, with their scopes and their last use.')}</p>
          </Empty>
        }
      />
      {isCreating && <TokenDialog onClose={() => setCreating(false)} onMade={setMade} />}
      {made && (
        <SecretDialog
          title={t('Your new token')}
          onClose={() => setMade(null)}
          label={t('Token {name}', { name: made.name })}
          value={made.token}
          note={t('Who has it can do what its scopes allow. Revoke it here when it is no longer needed.')}
        >
          <Alert kind="warning">{t('The token is shown only now. Copy it to where it is used.')}</Alert>
        </SecretDialog>
      )}
      <ActionDialog
        title={t('Revoke {name}?', { name: revoked?.name ?? '' })}
        action={t('Revoke token')}
        kind="danger"
        isOpen={revoked !== null}
        onClose={() => setRevoked(null)}
        onConfirm={async () => {
          if (revoked === null) return;
          await revoke.mutateAsync({ tokenId: revoked.tokenId });
          say(t('The token was revoked.'));
        }}
      >
        <p>{t('What uses it is refused from now on. This cannot be undone.')}</p>
      </ActionDialog>
    </Page>
  );
}

const Scopes = ({ scopes }: { readonly scopes: readonly string[] }) =>
  scopes.length === 0 ? (
    <span className="note">{t('all that you may')}</span>
  ) : (
    <span className="row">
      {scopes.map((scope) => (
        <ScopeBadge key={scope} scope={scope} />
      ))}
    </span>
  );

/** A scope as the command line writes it; a project by its name. */
function ScopeBadge({ scope }: { readonly scope: string }) {
  const id = /^project:(\d+)$/.exec(scope)?.[1];
  const { projects } = useProjects(id !== undefined);
  const project = projects.find(({ projectId }) => String(projectId) === id);
  return project ? (
    <span className="badge">{t('Only {project}', { project: project.projectName })}</span>
  ) : (
    <span className="badge mono">{scope}</span>
  );
}

const Expiry = ({ at }: { readonly at: string }) =>
  Date.parse(at) <= Date.now() ? (
    <>
      <Time at={at} /> <span className="badge">{t('expired')}</span>
    </>
  ) : (
    <Time at={at} />
  );
