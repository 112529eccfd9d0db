import type { Actor } from '../../base/actor.ts';
import { fail } from '../../base/errors.ts';
import type { Host } from '../../host/host.ts';
import type { Identity } from '../../module/module.ts';
import { noteCaller } from '../request/exchange.ts';

/**
 * The header that our own pages send with each request. A form on another site cannot set a header, and a script from another origin only
 * after a preflight, which never allows this header.
 */
const pageHeader = 'x-trivet-console';

/** Whether the page shows this person, or nobody yet: with the cookie it would act for whoever has signed in since, in another tab. */
const isShownTo = (request: Request, userId: number): boolean =>
  [`user ${userId}`, '1'].includes(request.headers.get(pageHeader) ?? '1');

/** Whether one of our own pages sends this request, so that the cookie identifies the caller. A bearer token takes precedence. */
export const isOfPage = (request: Request): boolean =>
  request.headers.has(pageHeader) && !request.headers.has('authorization');

/** Whether one of our own pages shows or links to this file: the browser says that the request comes from this origin. */
export const isShownByPage = (request: Request): boolean =>
  request.method === 'GET' &&
  request.headers.get('sec-fetch-site') === 'same-origin' &&
  !request.headers.has('authorization');

/** Whether a page of another origin sends this request. A proxy may not forward the name under which the browser knows this server. */
export function isFromElsewhere(host: Pick<Host, 'origin'>, request: Request): boolean {
  const own = request.headers.get('host')?.toLowerCase() ?? '';
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  const owns = [`http://${own}`, `https://${own}`, host.origin()];
  return (origin !== null && !owns.includes(origin)) || (site !== null && site !== 'same-origin');
}

/**
 * Refuses a request that does not come from one of our own pages, since its cookie would act for the person viewing the foreign page
 * (cross-site request forgery). Browsers state the source of a request in Origin, Sec-Fetch-Site or both; a change without either is
 * refused.
 * @throws Fault ORIGIN_NOT_ALLOWED.
 */
export function requireOwnPage(host: Pick<Host, 'origin'>, request: Request): void {
  const { headers, method } = request;
  const isUnsaid = !headers.has('origin') && !headers.has('sec-fetch-site') && method !== 'GET';
  if (!isOfPage(request) || isUnsaid || isFromElsewhere(host, request))
    throw fail.ORIGIN_NOT_ALLOWED('Only a page of this server may send this.', { cause: 'origin' });
}

/**
 * The person signed in at one of our own pages.
 * @param isOfFile {@link isShownByPage} is enough.
 * @throws Fault ORIGIN_NOT_ALLOWED, UNAUTHENTICATED.
 */
export async function pageCaller(
  host: Host,
  identity: Pick<Identity, 'browser'>,
  request: Request,
  isOfFile = false,
): Promise<Actor> {
  if (!(isOfFile && isShownByPage(request))) requireOwnPage(host, request);
  const actor = await identity.browser?.(host, request);
  if (!actor)
    throw fail.UNAUTHENTICATED('You are not signed in, or no longer.', {
      tip: 'Sign in again, in another window if this one holds something that is not stored.',
    });
  if (!isShownTo(request, actor.userId))
    throw fail.UNAUTHENTICATED('Somebody else has signed in in this browser since this page was loaded.', {
      tip: 'Sign in again, in another window if this one holds something that is not stored.',
    });
  noteCaller(request, actor.userId);
  return actor;
}
