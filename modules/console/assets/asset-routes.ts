import type { Elysia } from 'elysia';
import { fail } from '../../../core/base/errors.ts';
import type { Host } from '../../../core/host/host.ts';
import { consoleFiles } from './asset-store.ts';

const hidden = { parse: 'none', detail: { hide: true } } as const;

/**
 * A page may load only what this server has, and nothing may frame it. With Trusted Types no script can turn text into HTML or code,
 * not even by mistake.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  // The page names the files by their content, so it must be the newest.
  'Cache-Control': 'no-cache',
};

const yearSeconds = 31_536_000;

/** The pages of the console and their files. They contain no data: the page requests it as the signed-in person. */
export function assetRoutes(app: Elysia, host: Host): void {
  const files = consoleFiles(host);
  const page = async () => new Response((await files()).page, { headers: pageHeaders });
  const toConsole = () => new Response(null, { status: 303, headers: { Location: '/console/' } });

  app.get(
    '/',
    ({ request }) => {
      // A program that asks for `/` gets the same error as for any other path without a route.
      if (!(request.headers.get('accept') ?? '').includes('text/html'))
        throw fail.NOT_FOUND('There is no GET route for this path.');
      return toConsole();
    },
    hidden,
  );
  app.get(
    '/console/assets/:name',
    async ({ params, request }) => {
      const sent = (await files()).file(params.name, request.headers.get('accept-encoding') ?? '');
      if (!sent) throw fail.NOT_FOUND('There is no such file.');
      return new Response(sent.body, {
        headers: {
          'Content-Type': sent.type,
          ...(sent.encoding && { 'Content-Encoding': sent.encoding }),
          Vary: 'Accept-Encoding',
          // The names of all other files change with their content.
          'Cache-Control':
            params.name === 'icon.svg' ? 'max-age=3600' : `public, max-age=${yearSeconds}, immutable`,
        },
      });
    },
    hidden,
  );
  // Elysia answers `/console/` with it, too.
  app.get('/console', page, hidden);
  app.get('/console/*', page, hidden);
}
