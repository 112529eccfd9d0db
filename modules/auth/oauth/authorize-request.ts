import type { Host } from '../../../core/host/host.ts';
import { audienceOf } from '../base/resource.ts';
import { isPlain } from '../providers/id-token.ts';
import { requireParameter, type Parameters } from './form.ts';
import { clientOf } from '../oauth-clients/client-lookup.ts';
import type { OauthClient } from '../oauth-clients/oauth-client.ts';
import { OauthError, type OauthErrorCode } from '../oauth-clients/oauth-error.ts';
import { grantScope } from './oauth-scope.ts';
import { isRegistered } from '../oauth-clients/redirect-uri.ts';

/** The request of a client to a person. */
export interface AuthorizeRequest {
  readonly client: OauthClient;
  readonly redirectUri: string;
  readonly state: string | null;
  readonly challenge: string;
  readonly scope: string | null;
  readonly audience: readonly string[];
}

/** A refusal that the client gets, by a redirect to its address, which was checked before. */
export class RedirectError extends OauthError {
  readonly to: { readonly redirectUri: string; readonly state: string | null };
  constructor(code: OauthErrorCode, message: string, to: { redirectUri: string; state: string | null }) {
    super(code, message);
    this.to = to;
  }
}

const maxState = 2_048;
const maxScope = 1_000;

/**
 * Checks an authorization request (RFC 6749 §4.1.1, RFC 7636, RFC 8707). Before the address is known to belong to the client, nothing
 * redirects to it.
 * @throws OauthError for the person's page, RedirectError for the client.
 */
export async function authorizeRequest(host: Host, parameters: Parameters): Promise<AuthorizeRequest> {
  const { one } = parameters;
  const client = await clientOf(host, requireParameter(parameters, 'client_id'));
  const redirectUri = requireParameter(parameters, 'redirect_uri');
  if (!isRegistered(redirectUri, client.redirectUris))
    throw new OauthError(
      'invalid_request',
      'The program asks to return to an address that it has not registered.',
    );
  const state = one('state') ?? null;
  if (state !== null && state.length > maxState)
    throw new OauthError('invalid_request', 'state is too long.');
  // PostgreSQL cannot store U+0000. RFC 6749, appendix A.5, allows printable characters only.
  if (state !== null && !isPlain(state))
    throw new OauthError('invalid_request', 'state has characters that it must not have.');
  const refuse = (code: OauthErrorCode, message: string) =>
    new RedirectError(code, message, { redirectUri, state });

  if (one('request') !== undefined)
    throw refuse('request_not_supported', 'Request objects are not supported.');
  if (one('request_uri') !== undefined)
    throw refuse('request_uri_not_supported', 'Request objects are not supported.');
  if (one('response_type') !== 'code')
    throw refuse('unsupported_response_type', 'response_type must be code.');
  if ((one('response_mode') ?? 'query') !== 'query')
    throw refuse('invalid_request', 'response_mode must be query.');
  const challenge = one('code_challenge') ?? '';
  // RFC 7636 §4.2: S256 of a verifier is 43 characters. Without PKCE a stolen code would be enough.
  if (!/^[\w-]{43}$/.test(challenge) || one('code_challenge_method') !== 'S256')
    throw refuse('invalid_request', 'code_challenge with code_challenge_method=S256 is required.');
  const scope = one('scope');
  if (scope !== undefined && scope.length > maxScope) throw refuse('invalid_scope', 'scope is too long.');
  const audience = audiencesOf(host, parameters.resources);
  if (audience === null) throw refuse('invalid_target', 'resource must be this server or its /mcp.');
  // A person has to consent every time.
  if (one('prompt')?.split(' ').includes('none'))
    throw refuse('interaction_required', 'This server asks the person each time.');
  return { client, redirectUri, state, challenge, scope: grantScope(host, scope), audience };
}

/** The audiences of resource indicators; without any: this server. null when one is foreign, or when there are too many. */
export function audiencesOf(
  host: Pick<Host, 'origin'>,
  resources: readonly string[],
): readonly string[] | null {
  if (resources.length === 0) return [host.origin()];
  if (resources.length > 8) return null;
  const audiences = new Set(resources.map((one) => audienceOf(host.origin(), one)));
  return audiences.has(null) ? null : [...audiences].filter((one) => one !== null);
}

/** The redirect address of a client with the response and its issuer (RFC 9207). */
export function redirectAddressOf(
  host: Pick<Host, 'origin'>,
  { redirectUri, state }: { readonly redirectUri: string; readonly state: string | null },
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams({
    ...answer,
    ...(state === null ? {} : { state }),
    iss: host.origin(),
  });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}
