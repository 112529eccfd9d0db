import { refusalOf, signedInOrGuest, type Effect } from '../../../core/base/actor.ts';
import type { Host } from '../../../core/host/host.ts';
import { bearerOf, callerOf } from '../../../core/http/caller/bearer.ts';
import { claimsToBeOurs, identity } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import { ctaSettingsOf } from '../base/settings.ts';
import { presentUserId } from '../user-states/user-alias-store.ts';
import { ownerOf } from '../tenants/tenant-access.ts';
import type { ClientHeaders } from './client-headers.ts';
import { admitAnonymous } from './rate-limits.ts';

/**
 * A caller with a bearer token can act only for the user of the token, also under the id of a guest who became that user, within its
 * scopes.
 * @throws Fault UNAUTHENTICATED, FORBIDDEN, READ_ONLY; RATE_LIMITED without a token.
 */
export async function admitUser(host: Host, request: Request, client: ClientHeaders): Promise<void> {
  const actor = await callerIfAny(host, request, client.tenantId, 'update');
  if (!actor || String(actor.userId) === client.userId) return;
  // What a guest did before signing in may come later, with the new token.
  if ((await presentUserId(host.db.q, client.userId)) !== String(actor.userId)) {
    throw fail.FORBIDDEN('The bearer token belongs to another user than header auth-userid names.', {
      cause: 'auth-userid',
    });
  }
}

/**
 * Whether a reader may see previews of a tenant: a personal token sees those of its organizations. Users without any
 * organization are users of apps, who see what anonymous callers see.
 * @throws Fault UNAUTHENTICATED, FORBIDDEN; RATE_LIMITED without a token.
 */
export async function admitReader(host: Host, request: Request, tenantId: string): Promise<boolean> {
  const actor = await callerIfAny(host, request, tenantId, 'read');
  if (!actor || actor.via !== 'token' || actor.roles.size === 0) return true;
  const owner = await ownerOf(host.db.q, tenantId);
  return owner !== undefined && actor.roles.has(owner);
}

/** The caller, within the limits of the token; null for a request without a token, which counts against the rate limit. */
async function callerIfAny(host: Host, request: Request, tenantId: string, effect: Effect) {
  const settings = ctaSettingsOf(host);
  const isAnonymous =
    bearerOf(request) === null || (settings['cta-ignore-foreign-token'] && (await isForeign(host, request)));
  if (!isAnonymous) {
    const actor = await callerOf(host, identity, request);
    const refused = refusalOf(actor, { access: signedInOrGuest(), toolset: 'cta', effect });
    if (refused) throw refused;
    return actor;
  }
  if (settings['cta-require-token']) throw fail.UNAUTHENTICATED('This needs a bearer token of this server.');
  admitAnonymous(host, request, tenantId);
  return null;
}

/** Whether the authorization of the request does not even look like one of our tokens. */
async function isForeign(host: Host, request: Request): Promise<boolean> {
  const bearer = bearerOf(request);
  return typeof bearer !== 'string' || !(await claimsToBeOurs(host, bearer));
}
