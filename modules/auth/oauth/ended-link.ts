import { Fault } from '../../../core/base/errors.ts';
import { markup, type Html } from '../../../core/http/answer/html-page.ts';
import type { Host } from '../../../core/host/host.ts';

/** Where whoever was invited goes on; nothing without the console. */
export const toConsole = (host: Host): Html | undefined =>
  host.modules.includes('console')
    ? markup`<form action="/console/"><button>Open the console</button></form>`
    : undefined;

/** What to do with a link that cannot be used: who opens it for the second time has an account, anybody else needs another link. */
export function endedLink(host: Host): Html {
  const next = toConsole(host);
  const used = next === undefined ? [] : markup`<p>If you have used it, go on in the console.</p> ${next}`;
  return markup`<p role="alert">
      This link is not valid, or no longer. It was used or revoked, has expired, or is not whole. Each works once.
    </p>
    ${used}
    <p>Otherwise ask whoever gave it to you for another.</p>`;
}

/** Whether an invitation ended between the page that asks and the return from the provider. */
export const isEndedInvitation = (error: unknown): boolean =>
  error instanceof Fault && error.code === 'INVALID_INVITATION';
