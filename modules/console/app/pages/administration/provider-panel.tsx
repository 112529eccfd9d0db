import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { roleWord } from '../../api/role-word.ts';
import { countText, numberText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { Alert, Answer, Empty } from '../../design/states.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Provider = Output<'list-identity-providers'>['providers'][number];

const listText = (list: readonly string[] | null): string =>
  list === null || list.length === 0 ? t('any') : list.join(', ');

/** The identity providers of the configuration, with what is wrong with each. */
export function ProviderPanel() {
  const providers = useTool('list-identity-providers', {});
  return (
    <div className="stack">
      <div className="between">
        <p className="note">
          {nodes('What {trivetAuth} finds. Each provider is asked, so this may take some seconds.', {
            trivetAuth: <code>trivet auth doctor</code>,
          })}
        </p>
        <Button onPress={() => void providers.refetch()} isDisabled={providers.isFetching}>
          {providers.isFetching ? t('Checking…') : t('Check again')}
        </Button>
      </div>
      <Answer of={providers}>
        {({ providers: list, total }) =>
          total === 0 ? (
            <Empty title={t('No identity provider')}>
              <p>
                {nodes(
                  'People sign in with links of {trivetConsole}. To let them sign in with Google, Microsoft or your own provider, configure one: the settings {google}, {microsoft}, {openid} and others.',
                  {
                    trivetConsole: <code>trivet console link</code>,
                    google: <code>google</code>,
                    microsoft: <code>microsoft</code>,
                    openid: <code>openid</code>,
                  },
                )}
              </p>
            </Empty>
          ) : (
            <div className="stack">
              {list.map((provider) => (
                <ProviderCard key={provider.name} provider={provider} />
              ))}
              {total > list.length && (
                <p className="note">
                  {t('The first {list} of {providers}.', {
                    list: numberText(list.length),
                    providers: countText(total, 'provider'),
                  })}
                </p>
              )}
            </div>
          )
        }
      </Answer>
    </div>
  );
}

/** A group or domain with what it gives, e.g. `group:qa → member`. */
const roleText = ({ of, role, orgId }: Provider['groupRoles'][number]) =>
  `${of} → ${roleWord(role)}${orgId === null ? '' : t(' of organization {orgId}', { orgId })}`;

const ProviderCard = ({ provider }: { readonly provider: Provider }) => (
  <section className="card stack" aria-label={provider.name}>
    <div className="row">
      <h2>{provider.name}</h2>
      <span className="badge">{provider.kind}</span>
      {provider.findings.length === 0 && <span className="status of-passed">{t('No finding')}</span>}
    </div>
    {provider.findings.map(({ finding, message, remedy }, index) => (
      <Alert key={index} kind="warning">
        <strong className="mono">{finding}</strong>
        <p>{message}</p>
        <p className="note">{remedy}</p>
      </Alert>
    ))}
    <Facts
      of={[
        { name: t('Issuer'), value: provider.issuer },
        { name: t('Sign-in in a browser'), value: provider.browser ? t('yes') : t('no') },
        { name: t('Client id'), value: provider.clientId ?? '–' },
        { name: t('Redirect URI that the client must allow'), value: provider.redirectUri ?? '–' },
        { name: t('Back-channel logout URI that the client may name'), value: provider.logoutUri ?? '–' },
        {
          name: t('Roles of groups and domains'),
          value: provider.groupRoles.map(roleText).join(', ') || '–',
        },
        { name: t('Audiences'), value: listText(provider.audiences) },
        { name: t('Algorithms'), value: listText(provider.algorithms) },
        { name: t('Allowed domains'), value: listText(provider.allowedDomains) },
        { name: t('Allowed addresses'), value: listText(provider.allowedEmails) },
      ]}
    />
  </section>
);
