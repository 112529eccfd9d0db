import type { Host } from '../../../core/host/host.ts';
import { plainClientName } from './client-name.ts';
import { maxRedirectText, maxRedirectUris, makeClientId } from './oauth-client.ts';
import { OauthError } from './oauth-error.ts';
import { isRedirectUri } from './redirect-uri.ts';

const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'];

/**
 * Registers a client (RFC 7591). Stores nothing: the id contains the registration. Other requested metadata is ignored; the response
 * describes what the client gets: a public client with the grants of this server.
 * @throws OauthError invalid_redirect_uri, invalid_client_metadata.
 */
export function registerClient(host: Host, metadata: unknown): Record<string, unknown> {
  const refuse = (message: string) => new OauthError('invalid_client_metadata', message);
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw refuse('The body must be a JSON object.');
  const {
    client_name: given,
    redirect_uris: uris = [],
    grant_types: asked,
  } = metadata as Record<string, unknown>;
  if (given !== undefined && typeof given !== 'string') throw refuse('client_name must be a text.');
  const name = plainClientName(given ?? '') || 'no name';
  const usesDevice = Array.isArray(asked) && asked.includes('urn:ietf:params:oauth:grant-type:device_code');
  if (!Array.isArray(uris) || uris.length > maxRedirectUris || (uris.length === 0 && !usesDevice))
    throw new OauthError(
      'invalid_redirect_uri',
      `redirect_uris must have 1 to ${maxRedirectUris} addresses.`,
    );
  if (uris.join('').length > maxRedirectText)
    throw new OauthError('invalid_redirect_uri', 'redirect_uris are too long together.');
  const redirectUris = uris.filter((uri) => typeof uri === 'string').filter(isRedirectUri);
  if (redirectUris.length !== uris.length)
    throw new OauthError(
      'invalid_redirect_uri',
      'A redirect address must be https, http to this computer, or the scheme of an app, without fragment and user.',
    );
  const issuedAt = Math.floor(host.clock.now() / 1000);
  return {
    client_id: makeClientId(host, { name, redirectUris }, issuedAt),
    client_id_issued_at: issuedAt,
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: grantTypes,
    response_types: ['code'],
  };
}
