import type { Host } from '../../../core/host/host.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { Html, markup } from '../../../core/http/answer/html-page.ts';
import { queryOf } from '../../../core/http/request/query.ts';
import { admit } from '../../../core/http/rate/rate-limit.ts';
import { acceptInvitationById, lowersNoRole, openInvitation } from '../people/invitation-store.ts';
import { localUser } from '../people/owner-store.ts';
import { forgetSettledCode } from '../people/setup-code.ts';
import { openBrowserSession } from '../sessions/browser-session.ts';
import { answerPerson } from './authorize-routes.ts';
import { refuseFrame, senderOf, welcomeBrowser } from './browser.ts';
import { providerForm } from './consent.ts';
import { readForm } from './form.ts';
import { oauthLimits } from '../oauth-clients/oauth-limits.ts';
import { pageAnswer, redirectAnswer } from './oauth-page.ts';
import { useSignInLink } from './sign-in-link.ts';

/** The page on which a person signs in to the console. */
export const consoleSignInPath = '/console/sign-in';
const firstPage = '/console/';

/**
 * The page to go to afterwards. Only pages of the console are allowed, to prevent an open redirect. The URL parser decides, as in a
 * browser: `/console/..//elsewhere` and a backslash are other addresses than they look like.
 */
function consolePageOf(wanted: string | null): string {
  const base = 'http://console.invalid';
  const url = wanted === null || wanted.length > 2_000 ? null : URL.parse(wanted, base);
  const isPage =
    url?.origin === base && url.pathname.startsWith('/console/') && url.pathname !== consoleSignInPath;
  return url && isPage ? `${url.pathname}${url.search}` : firstPage;
}

/**
 * Moves the code of a link from the address into the form, so that it is neither in the history nor sent before the person presses the
 * button. A browser loads nothing for a link that is opened on this page: only what follows the # is another.
 */
const script = `const use=()=>{const code=location.hash.slice(1);if(!code)return;
history.replaceState(null,'',location.pathname+location.search);const field=document.getElementById('code');field.value=code;
for(const id of ['typed','ways'])document.getElementById(id).hidden=true;field.form.querySelector('button').focus()};
addEventListener('hashchange',use);use()`;

/** The code in a pasted text: a whole link, or the part after its #. */
export const codeOfLink = (text: string | undefined): string => text?.trim().replace(/^[^#]*#/, '') ?? '';

/** `GET /console/sign-in?next=`. */
export const consoleSignInPage = (host: Host, request: Request): Promise<Response> =>
  answerPerson(host, request, async () => {
    refuseFrame(request);
    const { browser, headers } = welcomeBrowser(host, request);
    return signInPage(host, { browser, headers, page: consolePageOf(queryOf(request).get('next')) });
  });

/** `POST /console/sign-in`: with the code of a single-use link. */
export const consoleSignIn = (host: Host, request: Request): Promise<Response> =>
  answerPerson(host, request, async () => {
    const browser = senderOf(host, request);
    admit(request, oauthLimits(host).authorize, networkOf(exchangeOf(request).clientAddress()));
    const { one } = await readForm(request);
    const page = consolePageOf(one('next') ?? null);
    const code = codeOfLink(one('code'));
    const userId = (await useSignInLink(host, code)) ?? (await useSetupCode(host, code));
    const client = {
      address: exchangeOf(request).clientAddress(),
      userAgent: request.headers.get('user-agent'),
    };
    const cookie = userId === null ? null : await openBrowserSession(host, userId, client);
    return cookie === null
      ? signInPage(host, { browser, page, refused: true })
      : redirectAnswer(page, { 'Set-Cookie': cookie });
  });

/** The owner of the data directory, for whoever has the link of the first start. */
async function useSetupCode(host: Host, code: string): Promise<number | null> {
  const now = host.clock.now();
  const invitation = await openInvitation(host.db.q, code, now);
  if (invitation?.kind !== 'setup') return null;
  const userId = await host.db.tx(
    async (q) => {
      const owner = await localUser(q, undefined);
      await acceptInvitationById(q, invitation.id, owner.id, now);
      return owner.id;
    },
    { serializable: lowersNoRole },
  );
  await forgetSettledCode(host);
  return userId;
}

interface Shown {
  readonly browser: string;
  readonly page: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly refused?: boolean;
}

function signInPage(host: Host, { browser, page, headers = {}, refused = false }: Shown): Response {
  const wrong = markup`<p role="alert">This link is not valid, or no longer. Each works once.</p>`;
  const offered = providerForm(host, { kind: 'console', page }, browser);
  return pageAnswer({
    status: refused ? 400 : 200,
    headers,
    script,
    title: 'Sign in',
    body: markup`${refused ? wrong : []}
      <div id="ways">${offered}</div>
      <form method="post" action="${consoleSignInPath}">
        <input type="hidden" name="next" value="${page}" />
        <div id="typed">
          <label for="code">Paste the link that you were given</label>
          <input id="code" name="code" required autocomplete="off" spellcheck="false" />
        </div>
        <button${offered.text === '' ? [] : new Html(' class="plain"')}>Sign in with the link</button>
      </form>
      <p class="note">
        Whoever runs this server gets a link with <code>trivet console link --email you@example.org</code>.
      </p>`,
  });
}

/** A form that signs in as the owner, with the code of the first start; nothing without the console. */
export const ownerForm = (host: Host, code: string) =>
  host.modules.includes('console')
    ? markup`<form method="post" action="${consoleSignInPath}">
        <input type="hidden" name="code" value="${code}" />
        <button>Continue as owner</button>
      </form>`
    : undefined;
