import type { Actor } from '../../base/actor.ts';
import { fail } from '../../base/errors.ts';
import type { Host } from '../../host/host.ts';
import type { Identity } from '../../module/module.ts';
import { noteCaller } from '../request/exchange.ts';

// RFC 6750 §2.1: one space, then the token68 alphabet. Repeated headers are joined by ", " and do not match.
const bearerForm = /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i;
const maxCredential = 16 * 1024;

/** The credential of the Authorization header; null without a header, undefined when it is not exactly one bearer token. */
export function bearerOf(request: Request): string | null | undefined {
  const header = request.headers.get('authorization');
  if (header === null) return null;
  return header.length > maxCredential ? undefined : bearerForm.exec(header)?.[1];
}

/**
 * The signed-in caller of a request.
 * @param audiences the audiences that a token may be issued for; any unless given.
 * @throws Fault UNAUTHENTICATED.
 * @example const actor = await callerOf(host, kernel.identity, request);
 */
export async function callerOf(
  host: Host,
  identity: Pick<Identity, 'authenticate'>,
  request: Request,
  audiences?: readonly string[],
): Promise<Actor> {
  const bearer = bearerOf(request);
  if (bearer === null) throw fail.UNAUTHENTICATED('A bearer token is required.');
  const actor = bearer === undefined ? null : await identity.authenticate(host, bearer, audiences);
  if (!actor) {
    throw audiences
      ? fail.UNAUTHENTICATED(
          'The bearer token is invalid, expired or revoked, or was issued for another audience.',
          {
            tip: `Send a personal access token, or an access token whose aud is ${audiences.join(' or ')} (sign in with resources: []).`,
          },
        )
      : fail.UNAUTHENTICATED('The bearer token is invalid, expired or revoked.');
  }
  noteCaller(request, actor.userId);
  return actor;
}

/**
 * {@link callerOf} by the identity of the host, for the routes of a plugin.
 * @throws Fault UNAUTHENTICATED.
 * @example const actor = await signedInCaller(host, request);
 */
export const signedInCaller = (host: Host, request: Request): Promise<Actor> =>
  callerOf(host, { authenticate: (of, bearer, audiences) => of.authenticate(bearer, audiences) }, request);
