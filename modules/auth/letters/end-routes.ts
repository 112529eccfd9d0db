import type { Elysia } from 'elysia';
import type { Host } from '../../../core/host/host.ts';
import { markup } from '../../../core/http/answer/html-page.ts';
import { refusedKinds, setLetterWanted } from '../../../core/letters/letter-store.ts';
import { pageAnswer } from '../oauth/oauth-page.ts';
import { presentRecipient } from './letter-address.ts';
import { endPath, readEndToken } from '../keys/letter-end-link.ts';

const hidden = { parse: 'none', detail: { hide: true } } as const;

/**
 * The page that ends letters. Programs that examine links open it, so only its button ends them; the mail program of a person may press it
 * by itself (RFC 8058), without a cookie and without our page as its origin.
 */
export function endRoutes(app: Elysia, host: Host): void {
  const asked = (request: Request) => {
    const token = new URL(request.url).searchParams.get('t') ?? '';
    const found = readEndToken(host, token);
    const kind = found && host.letterKinds.find(({ name }) => name === found.kind);
    return found && kind ? { ...found, title: kind.title, token } : null;
  };

  app.get(
    endPath,
    ({ request }) => {
      const found = asked(request);
      if (!found) return unknownPage();
      return pageAnswer({
        title: 'No more letters of this kind?',
        body: markup`<p>You get letters about: <strong>${found.title}</strong>.</p>
          <form method="post" action="${endPath}?t=${found.token}">
            <button>Send me no more of them</button>
          </form>`,
      });
    },
    hidden,
  );

  app.post(
    endPath,
    async ({ request }) => {
      const found = asked(request);
      if (!found) return unknownPage();
      const { kind } = found;
      const recipient = await presentRecipient(host.db.q, found.recipient);
      // Somebody may press the button all day: only the first time writes.
      if (!(await refusedKinds(host.db.q, recipient)).has(kind))
        await host.db.tx((q) => setLetterWanted(q, { recipient, kind, isWanted: false }, host.clock.now()));
      const again = recipient.startsWith('user:')
        ? 'You can switch them on again in the console, on the page Letters.'
        : 'Whoever invites you can still hand a link over.';
      return pageAnswer({
        title: 'No more letters of this kind',
        body: markup`<p>You get no more letters about: <strong>${found.title}</strong>. ${again}</p>`,
      });
    },
    hidden,
  );
}

const unknownPage = (): Response =>
  pageAnswer({
    status: 400,
    title: 'This link is not valid',
    body: markup`<p role="alert">
      It was not copied completely, or it is older than the present key of this server. Sign in to the console and use the page
      Letters.
    </p>`,
  });
