import type { JWK } from 'jose';
import type { Host } from '../../../core/host/host.ts';
import type { CommandAnswer } from '../../../core/module/command.ts';
import type { IdTokenAlgorithm } from '../base/signing-algorithms.ts';
import { providers } from './configured-providers.ts';
import type { IdProvider } from './id-token.ts';
import {
  chooseKey,
  discoveryUrl,
  fetchKeySet,
  fetchObject,
  importKey,
  isKeysUrl,
  isSecureUrl,
} from './jwks.ts';
import { callbackUrl, logoutUrl } from './provider-callback.ts';

/** Why ID tokens of a provider are or may be rejected. Stable: scripts depend on them. */
type FindingCode =
  | 'discovery_unavailable'
  | 'issuer_mismatch'
  | 'jwks_uri_missing'
  | 'jwks_uri_refused'
  | 'keys_unavailable'
  | 'no_usable_key'
  | 'algorithm_not_allowed'
  | 'email_not_offered'
  | 'groups_not_offered'
  | 'no_browser_endpoints';

interface Finding {
  readonly problem: FindingCode;
  readonly message: string;
  readonly remedy: string;
}

/** One provider and the findings about it. */
export interface Examined {
  readonly provider: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** The allowed algorithms for which the provider publishes a usable key. */
  readonly algorithms: readonly IdTokenAlgorithm[];
  /** The address to register for its client, if people sign in with a browser; otherwise null. */
  readonly redirectUri: string | null;
  /** The address to register for back-channel logout, if its discovery document offers that; otherwise null. */
  readonly logoutUri: string | null;
  readonly problems: readonly Finding[];
}

type Fetched<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

/** The findings in the discovery document of a provider (OpenID Connect Discovery §3, §4.3). */
function judgeDiscovery(
  provider: IdProvider,
  document: Fetched<Readonly<Record<string, unknown>>>,
): Finding[] {
  const key = `providers.${provider.name}`;
  if (!document.ok) {
    const message = `${discoveryUrl(provider.issuer)}: ${document.why}.`;
    const remedy = `Check issuer of ${key} and that this machine reaches it; no redirect is followed. A provider without discovery document needs jwksUri.`;
    return [{ problem: 'discovery_unavailable', message, remedy }];
  }
  const problems: Finding[] = [];
  const { issuer, jwks_uri: uri } = document.value;
  if (issuer !== provider.issuer) {
    problems.push({
      problem: 'issuer_mismatch',
      message: `The discovery document names the issuer ${shown(issuer)}, the configuration ${shown(provider.issuer)}.`,
      remedy: `Write issuer of ${key} exactly as the provider does, to the last slash, if that is the provider you mean.`,
    });
  }
  if (typeof uri !== 'string') {
    problems.push({
      problem: 'jwks_uri_missing',
      message: 'The discovery document names no jwks_uri.',
      remedy: `Set jwksUri of ${key} to where the provider publishes its keys.`,
    });
  } else if (!isKeysUrl(uri, provider.issuer)) {
    problems.push({
      problem: 'jwks_uri_refused',
      message: `The discovery document sends to ${shown(uri)} for keys, which is not fetched: it is not https, or leads to this machine.`,
      remedy: 'Let the provider publish its keys over https: whoever can change them can sign in as anybody.',
    });
  }
  const endpoints = ['authorization_endpoint', 'token_endpoint'].map((name) => document.value[name]);
  if (provider.browser && !endpoints.every((url) => typeof url === 'string' && isSecureUrl(url))) {
    problems.push({
      problem: 'no_browser_endpoints',
      message:
        'Nobody can sign in with a browser: the discovery document names no authorization_endpoint and token_endpoint over https.',
      remedy: `Take clientId out of ${key} and name it in audiences: its ID tokens are accepted all the same.`,
    });
  }
  const offered = document.value['id_token_signing_alg_values_supported'];
  if (Array.isArray(offered) && !provider.algorithms.some((algorithm) => offered.includes(algorithm))) {
    problems.push({
      problem: 'algorithm_not_allowed',
      message: `The provider signs with ${offered.map(shown).join(', ')}; allowed is ${provider.algorithms.join(', ')}.`,
      remedy: `Name one of the provider's algorithms in algorithms of ${key}; HS* and none are never accepted.`,
    });
  }
  const claims = document.value['claims_supported'];
  if ((provider.allowedDomains || provider.allowedEmails) && Array.isArray(claims)) {
    const missing = ['email', 'email_verified'].filter((claim) => !claims.includes(claim));
    if (missing.length > 0) {
      problems.push({
        problem: 'email_not_offered',
        message: `Sign-in is limited to verified e-mail addresses, but the provider offers no claim ${missing.join(', ')}.`,
        remedy: `Let the provider put ${missing.join(' and ')} into its ID tokens, or take allowedDomains and allowedEmails out of ${key}.`,
      });
    }
  }
  const { groupMapping } = provider;
  const wanted = groupMapping && [...groupMapping.roles.keys()].some((word) => word.startsWith('group:'));
  if (wanted && Array.isArray(claims) && !claims.includes(groupMapping.claim)) {
    problems.push({
      problem: 'groups_not_offered',
      message: `Groups give roles, but the provider offers no claim ${shown(groupMapping.claim)}: who signs in loses those roles.`,
      remedy: `Let the provider put the groups into its ID tokens, or name their claim in groupsClaim of ${key}; some need one more word in scope.`,
    });
  }
  return problems;
}

/** The allowed algorithms for which a key is usable, or a finding if there are none. Imports keys, no I/O. */
async function judgeKeys(
  provider: IdProvider,
  keys: Fetched<readonly JWK[]>,
): Promise<Pick<Examined, 'algorithms' | 'problems'>> {
  if (!keys.ok) {
    const remedy = 'Check that the address returns a JSON Web Key Set to this machine, without redirect.';
    return { algorithms: [], problems: [{ problem: 'keys_unavailable', message: `${keys.why}.`, remedy }] };
  }
  const algorithms: IdTokenAlgorithm[] = [];
  for (const algorithm of provider.algorithms) {
    for (const { kid } of keys.value) {
      const key = chooseKey(keys.value, kid, algorithm);
      if (key && (await importKey(key, algorithm)) && !algorithms.includes(algorithm))
        algorithms.push(algorithm);
    }
  }
  if (algorithms.length > 0) return { algorithms, problems: [] };
  const published = keys.value.map(({ kid, kty, use, alg, crv }) =>
    [`kid ${shown(kid)}`, kty, crv, alg, use && `use ${use}`].filter(Boolean).join(' '),
  );
  const message = `None of its ${published.length} keys can verify ${provider.algorithms.join(' or ')}${published.length > 0 ? ` (${published.join('; ')})` : ''}.`;
  const remedy =
    'Let the provider publish a public signing key of an allowed algorithm: RSA of 2048 bits or more, or P-256, each with a kid of its own.';
  return { algorithms, problems: [{ problem: 'no_usable_key', message, remedy }] };
}

const shown = (value: unknown) =>
  typeof value === 'string' ? value.slice(0, 200) : (JSON.stringify(value) ?? 'none');

const fetched = async <T>(work: Promise<T>): Promise<Fetched<T>> => {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'unknown' };
  }
};

/** Fetches the discovery document and keys of a provider, as a sign-in does. */
export async function examine(host: Host, provider: IdProvider): Promise<Examined> {
  const { name, issuer, audiences, place, browser } = provider;
  const redirectUri = browser === null || browser === 'dev' ? null : callbackUrl(host);
  const examined = { provider: name, issuer, audiences, redirectUri };
  // The keys of --dev are derived on the local machine.
  if (!place) return { ...examined, logoutUri: null, algorithms: provider.algorithms, problems: [] };
  const problems: Finding[] = [];
  let uri = place.jwksUri;
  let logoutUri: string | null = null;
  if (uri === undefined || redirectUri !== null) {
    const document = await fetched(fetchObject(discoveryUrl(issuer)));
    problems.push(...judgeDiscovery(provider, document));
    if (document.ok && document.value['backchannel_logout_supported'] === true) logoutUri = logoutUrl(host);
    const named = document.ok ? document.value['jwks_uri'] : undefined;
    uri ??= typeof named === 'string' && isKeysUrl(named, issuer) ? named : undefined;
  }
  if (uri === undefined) return { ...examined, logoutUri, algorithms: [], problems };
  const keys = await fetched(fetchKeySet(uri));
  const judged = await judgeKeys(provider, keys.ok ? keys : { ok: false, why: `${uri}: ${keys.why}` });
  // With another issuer every token is rejected, even if the keys are good.
  const refused = problems.some(({ problem }) => problem === 'issuer_mismatch');
  return {
    ...examined,
    logoutUri,
    algorithms: refused ? [] : judged.algorithms,
    problems: [...problems, ...judged.problems],
  };
}

const described = ({
  provider,
  issuer,
  audiences,
  algorithms,
  redirectUri,
  logoutUri,
  problems,
}: Examined): string =>
  [
    `${provider}  ${problems.length === 0 ? 'ok' : problems.map(({ problem }) => problem).join(', ')}`,
    algorithms.length > 0
      ? `  accepts ID tokens of ${issuer} for ${audiences.join(' or ')}, signed with ${algorithms.join(' or ')}`
      : `  accepts no ID token of ${issuer}`,
    ...(redirectUri === null
      ? []
      : [`  people sign in with a browser; its client must allow the redirect address ${redirectUri}`]),
    ...(logoutUri === null
      ? []
      : [`  it ends sessions here if its client names the back-channel logout address ${logoutUri}`]),
    ...problems.flatMap(({ message, remedy }) => [`  ✗ ${message}`, `    → ${remedy}`]),
  ].join('\n');

/** Reports for each configured provider whether its ID tokens would be accepted, and if not, why. */
export async function examineProviders(host: Host): Promise<CommandAnswer> {
  const examined = await Promise.all([...providers(host).values()].map((one) => examine(host, one)));
  if (examined.length === 0) {
    const text =
      'No identity provider is configured. Add [providers.NAME] to the file that --config names, or start with --dev.';
    return { data: { providers: [] }, text, failed: true };
  }
  return {
    data: { providers: examined },
    text: examined.map(described).join('\n\n'),
    failed: examined.some(({ problems }) => problems.length > 0),
  };
}
