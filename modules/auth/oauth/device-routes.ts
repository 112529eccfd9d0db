import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { networkOf } from '../../../core/http/request/client-address.ts';
import { exchangeOf } from '../../../core/http/request/exchange.ts';
import { markup } from '../../../core/http/answer/html-page.ts';
import { admitUnlessSpent } from '../../../core/http/rate/rate-limit.ts';
import { answerPerson } from './authorize-routes.ts';
import { refuseFrame, senderOf, welcomeBrowser } from './browser.ts';
import { askingPage, startedYourself, whatIsAsked, whoAsks } from './consent.ts';
import { devicePath, hashEnteredCode, shownCode } from './device-request.ts';
import { readForm } from './form.ts';
import { clientOf } from '../oauth-clients/client-lookup.ts';
import { oauthLimits } from '../oauth-clients/oauth-limits.ts';
import { pageAnswer } from './oauth-page.ts';
import { claimRequest, requestBy } from './oauth-request-store.ts';

const hidden = { parse: 'none', detail: { hide: true } } as const;

/** The pages on which a person enters the code of a device. */
export function deviceRoutes(app: Elysia, host: Host): void {
  const limits = oauthLimits(host);
  app.get(
    devicePath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        refuseFrame(request);
        // A code in the address is ignored: the person has to read it from the device (RFC 8628 §5.4).
        return enterPage(welcomeBrowser(host, request));
      }),
    hidden,
  );

  app.post(
    devicePath,
    ({ request }) =>
      answerPerson(host, request, async () => {
        const browser = senderOf(host, request);
        const network = networkOf(exchangeOf(request).clientAddress());
        admitUnlessSpent(request, limits.userCode, network);
        // The first code of an address is always checked: otherwise ten guessing addresses would block the page for everybody.
        const { limit = 0, remaining = 0 } = limits.userCode.peek(network) ?? {};
        if (remaining < limit - 1) admitUnlessSpent(request, limits.allUserCodes, 'all');
        const entered = (await readForm(request)).one('user_code') ?? '';
        const hash = hashEnteredCode(host, entered);
        const row = hash === null ? undefined : await requestBy(host.db.q, 'userCodeHash', hash);
        const isOurs =
          row !== undefined &&
          (await host.db.write((q) => claimRequest(q, row.id, browser, host.clock.now())));
        if (!isOurs) {
          limits.userCode.take(network);
          limits.allUserCodes.take('all');
          return enterPage({ headers: {}, wrong: entered });
        }
        const client = await clientOf(host, row.clientId ?? '');
        const lines = markup`${whoAsks(client)}
          <p>Its device must show this code now:</p>
          <p class="code">${shownCode(entered)}</p>
          ${startedYourself}`;
        const choices = whatIsAsked(row.scope);
        const shown = { title: 'Sign in another device?', lines, choices, browser };
        return askingPage(host, { kind: 'device', requestId: row.id, scope: row.scope }, shown);
      }),
    hidden,
  );
}

/** Longer texts are no code, and nobody compares them. */
const longestShown = 40;

/** @param wrong what was entered, and is no code now: it stays in the field, to be compared and corrected. */
function enterPage({
  headers,
  wrong,
}: {
  headers: Readonly<Record<string, string>>;
  wrong?: string;
}): Response {
  const problem = markup`<p role="alert">That code is not valid, or no longer. Compare it with the device.</p>`;
  return pageAnswer({
    status: wrong === undefined ? 200 : 400,
    headers,
    title: 'Sign in another device',
    body: markup`${wrong === undefined ? [] : [problem]}
      <p>Enter the code only if you have started the program yourself, and only from its own screen.</p>
      <form method="post" action="${devicePath}">
        <label for="user_code">Code</label>
        <input
          id="user_code"
          name="user_code"
          required
          value="${wrong?.slice(0, longestShown) ?? ''}"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          placeholder="XXXX-XXXX"
        />
        <button>Continue</button>
      </form>`,
  });
}
