import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { markup, Html } from '../../../core/http/answer/html-page.ts';
import { admit } from '../../../core/http/rate/rate-limit.ts';
import { linkPath } from '../people/invitation-link.ts';
import { openInvitation } from '../people/invitation-store.ts';
import { answerPerson } from './authorize-routes.ts';
import { refuseFrame, senderOf, welcomeBrowser } from './browser.ts';
import { askingPage } from './consent.ts';
import { codeOfLink, ownerForm } from './console-sign-in.ts';
import { endedLink } from './ended-link.ts';
import { readForm } from './form.ts';
import { oauthLimits } from '../oauth-clients/oauth-limits.ts';
import { pageAnswer } from './oauth-page.ts';

const hidden = { parse: 'none', detail: { hide: true } } as const;

/**
 * Moves the code of a link from the address into the form and sends it, so that it is not in the history and the person has one page to
 * look at: the one that says what the link does. It is used only when they press its button. Without the script they paste the link.
 * A browser loads nothing for a link that is opened on the page of another one: their addresses differ only after the #.
 */
const script = `const use=()=>{const code=location.hash.slice(1);if(!code)return;
history.replaceState(null,'',location.pathname);const field=document.getElementById('code');field.value=code;field.form.submit()};
addEventListener('hashchange',use);use()`;

/** The form of the script on the page that says what a link does. */
const another = markup`<form method="post" action="${linkPath}" hidden>
  <input type="hidden" id="code" name="code" />
</form>`;

/** The pages that a link leads to: an invitation, or the link of the first start. */
export function linkRoutes(app: Elysia, host: Host): void {
  const limits = oauthLimits(host);
  app.get(
    linkPath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        refuseFrame(request);
        return linkPage(200, welcomeBrowser(host, request).headers);
      }),
    hidden,
  );

  app.post(
    linkPath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        const browser = senderOf(host, request);
        admit(request, limits.authorize, networkOf(exchangeOf(request).clientAddress()));
        const code = codeOfLink((await readForm(request)).one('code'));
        const invitation = await openInvitation(host.db.q, code, host.clock.now());
        if (!invitation) return linkPage(400, {}, endedLink(host));
        const { id: invitationId, role, kind, organization } = invitation;
        const lines =
          kind === 'setup'
            ? markup`<p>
                The account with which you sign in now administers this server and its organization
                <strong>${organization}</strong>.
              </p>`
            : markup`<p>
                The account with which you sign in now becomes a member of <strong>${organization}</strong>,
                with the role <strong>${role}</strong>.
              </p>`;
        const ways = kind === 'setup' ? ownerForm(host, code) : undefined;
        const shown = { title: 'Use this link?', lines, browser, another, script, ...(ways && { ways }) };
        return askingPage(host, { kind: 'link', invitationId }, shown);
      }),
    hidden,
  );
}

/** @param ended about the link that was opened, which cannot be used. */
function linkPage(status: number, headers: Readonly<Record<string, string>>, ended?: Html): Response {
  return pageAnswer({
    status,
    headers,
    script,
    title: 'Use a link',
    body: markup`${ended ?? markup`<p>You were given a link to this server. It works once.</p>`}
      <form method="post" action="${linkPath}">
        <div id="typed">
          <label for="code">Paste the link that you were given</label>
          <input id="code" name="code" required autocomplete="off" spellcheck="false" />
        </div>
        <button${ended === undefined ? [] : new Html(' class="plain"')}>Continue</button>
      </form>`,
  });
}
