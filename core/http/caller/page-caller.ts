import type { Actor } from '../../base/actor.ts';
import { fail } from '../../base/errors.ts';
import type { Host } from '../../host/host.ts';
import type { Identity } from '../../module/module.ts';
import { noteCaller } from '../request/exchange.ts';

/**
 * What a page of ours sends with each request. A form of another site cannot set a header, and a script of another origin only after
 * a preflight, in which this header is never allowed.
 */
export const pageHeader = 'x-trivet-console';

/** Whether a page of ours sends this request: its cookie says who it is. A bearer token goes before. */
export const isOfPage = (request: Request): boolean =>
  request.headers.has(pageHeader) && !request.headers.has('authorization');

/** Whether a page of another origin sends this request. A proxy may not hand on the name under which the browser knows this server. */
export function isFromElsewhere(host: Pick<Host, 'origin'>, request: Request): boolean {
  const own = request.headers.get('host')?.toLowerCase() ?? '';
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  const owns = [`http://${own}`, `https://${own}`, host.origin()];
  return (origin !== null && !owns.includes(origin)) || (site !== null && site !== 'same-origin');
}

/**
 * Refuses a request that no page of ours sent, or that a page of another origin sent: its cookie would act for the person who looks at that page (cross-site request
 * forgery). A browser says where a request comes from with Origin, Sec-Fetch-Site or both; a change without either is refused.
 * @throws Fault ORIGIN_NOT_ALLOWED.
 */
export function requireOwnPage(host: Pick<Host, 'origin'>, request: Request): void {
  const { headers, method } = request;
  const isUnsaid = !headers.has('origin') && !headers.has('sec-fetch-site') && method !== 'GET';
  if (!isOfPage(request) || isUnsaid || isFromElsewhere(host, request))
    throw fail.ORIGIN_NOT_ALLOWED('Only a page of this server may send this.', { cause: 'origin' });
}

/**
 * The person at a page of ours.
 * @throws Fault ORIGIN_NOT_ALLOWED, UNAUTHENTICATED.
 */
export async function pageCaller(
  host: Host,
  identity: Pick<Identity, 'browser'>,
  request: Request,
): Promise<Actor> {
  requireOwnPage(host, request);
  const actor = await identity.browser?.(host, request);
  if (!actor)
    throw fail.UNAUTHENTICATED('You are not signed in, or no longer.', {
      tip: 'Sign in again, in another window if this one holds something that is not stored.',
    });
  noteCaller(request, actor.userId);
  return actor;
}
