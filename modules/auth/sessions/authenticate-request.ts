import { fail } from '../base/errors.ts';
import { isPlain } from '../providers/id-token.ts';

export interface AuthenticateRequest {
  readonly responseType: string;
  readonly grantType: string;
  readonly identifier: string;
  readonly idProvider: string;
  readonly resources: readonly string[];
}

const responseTypes = ['token', 'id_token', 'token id_token', 'id_token token'];
const grantTypes = [
  'authorization_code',
  'id_token',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
];

/** A required text of a request body. @throws Fault INVALID_REQUEST with the field as cause. */
export function requireText(body: unknown, field: string): string {
  const value =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[field] : undefined;
  if (typeof value === 'string' && value !== '') return value;
  const message = `${field} is required and must be a text that is not empty.`;
  throw fail.INVALID_REQUEST(message, { cause: field });
}

/** @throws Fault INVALID_REQUEST. */
export function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw fail.INVALID_REQUEST('The body must be a JSON object.', { cause: 'body' });
}

/** The name of a provider and an ID token of it. @throws Fault INVALID_REQUEST with the field as cause. */
export function requireIdToken(body: unknown): { readonly identifier: string; readonly idProvider: string } {
  const identifier = requireText(body, 'identifier');
  const idProvider = requireText(body, 'idProvider');
  if (/^[a-z][a-z0-9_-]{0,63}$/.test(idProvider)) return { identifier, idProvider };
  throw fail.INVALID_REQUEST('idProvider must be a lowercase word of at most 64 characters.', {
    cause: 'idProvider',
  });
}

/** The audience that the access token shall have. @throws Fault INVALID_REQUEST. */
export function requireResources({ resources }: Readonly<Record<string, unknown>>): readonly string[] {
  const isResource = (one: unknown) =>
    typeof one === 'string' && one.length >= 1 && one.length <= 256 && isPlain(one);
  if (Array.isArray(resources) && resources.length <= 32 && resources.every(isResource))
    return resources as string[];
  throw fail.INVALID_REQUEST('resources must be a list of at most 32 texts of 1 to 256 characters.', {
    cause: 'resources',
  });
}

/** @throws Fault PAYLOAD_TOO_LARGE. */
export function refuseLongToken(identifier: string): void {
  if (identifier.length > 16 * 1024)
    throw fail.PAYLOAD_TOO_LARGE('identifier must not be larger than 16 KiB.');
}

/**
 * Checks the body of `social/authenticate` (docs/contract.md, Authenticate).
 * @throws Fault of the first problem: INVALID_REQUEST with the field as cause, PAYLOAD_TOO_LARGE, UNSUPPORTED_RESPONSE_TYPE,
 * UNSUPPORTED_GRANT_TYPE.
 */
export function parseAuthenticate(given: unknown): AuthenticateRequest {
  const body = requireObject(given);
  const responseType = requireText(body, 'responseType');
  const grantType = requireText(body, 'grantType');
  const { identifier, idProvider } = requireIdToken(body);
  const resources = requireResources(body);
  refuseLongToken(identifier);
  if (!responseTypes.includes(responseType)) {
    throw fail.UNSUPPORTED_RESPONSE_TYPE(`responseType must be one of: ${responseTypes.join(', ')}.`);
  }
  if (!grantTypes.includes(grantType)) {
    throw fail.UNSUPPORTED_GRANT_TYPE(`grantType must be one of: ${grantTypes.join(', ')}.`);
  }
  return { responseType, grantType, identifier, idProvider, resources };
}
