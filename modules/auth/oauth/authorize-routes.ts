import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { markup, type Html } from '../../../core/http/answer/html-page.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import { admit } from '../../../core/http/rate/rate-limit.ts';
import { refuseForwarded } from '../providers/dev-provider.ts';
import { callbackPath } from '../providers/provider-callback.ts';
import { forgetSettledCode } from '../people/setup-code.ts';
import { consoleClient, sessionCookie } from '../sessions/browser-session.ts';
import type { SignInClient } from '../sessions/sign-in.ts';
import { authorizeRequest, redirectAddressOf, RedirectError } from './authorize-request.ts';
import {
  completeSignIn,
  denyDevice,
  denyRequest,
  requestAtProvider,
  sendToProvider,
} from './browser-sign-in.ts';
import {
  addressAtIssuer,
  browserOf,
  LatePage,
  refuseFrame,
  sealer,
  senderOf,
  welcomeBrowser,
} from './browser.ts';
import { consentKind, consentPage, narrowRequest, type Asked } from './consent.ts';
import { endedLink, isEndedInvitation, toConsole } from './ended-link.ts';
import { parametersOf, readForm, requireParameter } from './form.ts';
import { OauthError, faultOf } from '../oauth-clients/oauth-error.ts';
import { oauthLimits } from '../oauth-clients/oauth-limits.ts';
import { pageAnswer, redirectAnswer } from './oauth-page.ts';
import type { OauthRequestRow } from './oauth-request-store.ts';
import { browserProviders, devPath } from './upstream.ts';

const hidden = { parse: 'none', detail: { hide: true } } as const;

/** The pages on which a person consents, and the way through the provider and back. */
export function authorizeRoutes(app: Elysia, host: Host): void {
  const limits = oauthLimits(host);
  app.get(
    '/oauth/authorize',
    ({ request }) =>
      answerPerson(host, request, async () => {
        admit(request, limits.authorize, networkOf(exchangeOf(request).clientAddress()));
        refuseFrame(request);
        const asked = await authorizeRequest(host, parametersOf(queryOf(request)));
        return consentPage(host, asked, welcomeBrowser(host, request));
      }),
    hidden,
  );

  app.post(
    '/oauth/continue',
    ({ request }) =>
      answerPerson(host, request, async () => {
        const browser = senderOf(host, request);
        admit(request, limits.authorize, networkOf(exchangeOf(request).clientAddress()));
        const form = await readForm(request);
        const asked = sealer(host).open<Asked>(consentKind, browser, requireParameter(form, 'request'));
        const [, provider] = /^with ([a-z][a-z0-9_-]{0,63})$/.exec(requireParameter(form, 'choice')) ?? [];
        if (provider !== undefined) {
          const left = 'scope' in asked ? narrowRequest(asked, form) : asked;
          return redirectAnswer(await sendToProvider(host, left, { provider, browser }));
        }
        if (asked.kind === 'device') await denyDevice(host, asked.requestId);
        if (asked.kind === 'code')
          throw new RedirectError('access_denied', 'The person did not agree.', asked);
        return cancelledPage();
      }),
    hidden,
  );

  app.get(
    callbackPath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        admit(request, limits.callback, networkOf(exchangeOf(request).clientAddress()));
        return returned(host, request);
      }),
    hidden,
  );

  app.get(
    devPath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        refuseFrame(request);
        requireDev(host, request);
        return devPage(requireParameter(parametersOf(queryOf(request)), 'state'));
      }),
    hidden,
  );
  app.post(
    devPath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        requireDev(host, request);
        const browser = senderOf(host, request);
        const form = await readForm(request);
        const email = requireParameter(form, 'email');
        if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email))
          throw new OauthError('invalid_request', 'That is no e-mail address.');
        const code = sealer(host).seal('dev', browser, { email });
        return redirectAnswer(
          `${callbackPath}?${new URLSearchParams({ code, state: requireParameter(form, 'state') })}`,
        );
      }),
    hidden,
  );
}

/** The provider sent the person back. */
async function returned(host: Host, request: Request): Promise<Response> {
  const query = queryOf(request);
  const { one } = parametersOf(query);
  const row = await requestAtProvider(host, one('state') ?? '', browserOf(host, request));
  if (one('error') !== undefined) {
    await denyRequest(host, row);
    return refusedAnswer(row, 'The identity provider did not sign you in.');
  }
  const client: SignInClient = {
    address: exchangeOf(request).clientAddress(),
    userAgent: request.headers.get('user-agent'),
  };
  const completed = await completeSignIn(host, row, query, client).catch((error: unknown) => {
    if (isEndedInvitation(error)) return null;
    throw error;
  });
  if (completed === null)
    return pageAnswer({ status: 403, title: 'This link cannot be used', body: endedLink(host) });
  if ('refused' in completed) return refusedAnswer(row, completed.refused.message);
  switch (completed.kind) {
    case 'code':
      return redirectAnswer(redirectAddressOf(host, target(row), { code: completed.code }));
    case 'device':
      return donePage('The other program is signed in now.');
    case 'console':
      return redirectAnswer(completed.page, { 'Set-Cookie': sessionCookie(host, completed.sessionId) });
    case 'link':
      await forgetSettledCode(host);
      return donePage(
        `You are ${completed.role === 'admin' ? 'an administrator' : `a ${completed.role}`} of the organization now, as ` +
          `${completed.user.email ?? completed.user.name ?? `user ${completed.user.id}`}.`,
        toConsole(host),
      );
  }
}

const target = ({ redirectUri, state }: OauthRequestRow) => ({ redirectUri: redirectUri ?? '', state });

/** The program is told that access is denied; without a redirect address the person reads why. */
function refusedAnswer(row: OauthRequestRow, message: string): Response {
  if (row.redirectUri !== null && row.clientId !== consoleClient)
    throw new RedirectError('access_denied', message, target(row));
  return pageAnswer({ status: 403, title: 'You are not signed in', body: markup`<p>${message}</p>` });
}

const donePage = (text: string, next: Html = markup`<p>You can close this page.</p>`) =>
  pageAnswer({ title: 'Done', body: markup`<p>${text}</p> ${next}` });

const cancelledPage = () =>
  pageAnswer({ title: 'Cancelled', body: markup`<p>Nothing was allowed. You can close this page.</p>` });

/** Handles a request of a browser: with pages, and errors for a client by a redirect to it. */
export async function answerPerson(
  host: Host,
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    const elsewhere = request.method === 'GET' ? addressAtIssuer(host, request) : null;
    return elsewhere === null ? await answer() : redirectAnswer(elsewhere);
  } catch (error) {
    if (error instanceof RedirectError) {
      const told = { error: error.code, error_description: error.message };
      return redirectAnswer(redirectAddressOf(host, error.to, told));
    }
    if (error instanceof LatePage) return lateAnswer(error);
    const fault = error instanceof OauthError ? error : faultOf(host, request, error);
    const wait =
      'retryAfter' in fault && fault.retryAfter !== undefined ? Math.ceil(fault.retryAfter) : undefined;
    return pageAnswer({
      status: fault.status,
      title: 'This does not work',
      body: markup`<p>${fault.message}</p>`,
      ...(wait === undefined ? {} : { headers: { 'Retry-After': String(wait) } }),
    });
  }
}

/** A page that was open overnight: the console asks anew for where the person was going, and the others say where to begin. */
function lateAnswer({ status, message, content }: LatePage): Response {
  const asked = content as Partial<Asked>;
  if (asked.kind === 'console' && asked.page !== undefined) return redirectAnswer(asked.page);
  const isLink = asked.kind === 'link';
  return pageAnswer({
    status,
    title: 'This page was open for too long',
    body: markup`<p>${isLink ? 'It works for half an hour. Open your link again.' : message}</p>`,
  });
}

/** @throws OauthError unless the server runs with --dev; Fault ACCESS_DENIED for a request forwarded by a proxy. */
function requireDev(host: Host, request: Request): void {
  if (!browserProviders(host).some(({ browser }) => browser === 'dev'))
    throw new OauthError('invalid_request', 'This server runs without --dev.');
  refuseForwarded(host, request);
}

const devPage = (state: string) =>
  pageAnswer({
    title: 'Sign in as anybody',
    body: markup`<p>
        This server runs with <code>--dev</code>: whoever reaches this machine signs in as whom they like.
      </p>
      <form method="post" action="${devPath}">
        <input type="hidden" name="state" value="${state}" />
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" required autocomplete="email" />
        <button>Sign in</button>
      </form>`,
  });
