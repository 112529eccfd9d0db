import { fail } from '../../../core/base/errors.ts';
import { cookiesNamed } from '../../../core/http/request/cookie.ts';
import { isFromElsewhere } from '../../../core/http/caller/page-caller.ts';
import { perHost, type Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { deriveKey } from '../keys/master-key.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { reachedOrigin } from '../base/resource.ts';
import { OauthError } from '../oauth-clients/oauth-error.ts';

/* The browser of a person. Its cookie is random and carries no data; a request started in one browser cannot be completed in another. */

/** The cookie's name: with `__Host-` no other host of the domain can set it (RFC 6265bis §4.1.3.2). It requires https. */
const cookieOf = (host: Host) =>
  host.origin().startsWith('https:')
    ? { name: '__Host-trivet-browser', attributes: 'Path=/; Secure; HttpOnly; SameSite=Lax' }
    : { name: 'trivet-browser', attributes: 'Path=/; HttpOnly; SameSite=Lax' };

/** The secret of the browser's cookie; undefined without one. */
function browserSecret(host: Host, request: Request): string | undefined {
  const { name } = cookieOf(host);
  return cookiesNamed(request, name).find((value) => /^[\w-]{32}$/.test(value));
}

/** The hash of the browser's cookie; null without one. */
export function browserOf(host: Host, request: Request): string | null {
  const secret = browserSecret(host, request);
  return secret === undefined ? null : secretHash(secret);
}

/** The browser of a request, and the header that sets its cookie if it has none. */
export function welcomeBrowser(host: Host, request: Request) {
  const known = browserSecret(host, request);
  const secret = known ?? Buffer.from(host.random(24)).toString('base64url');
  const { name, attributes } = cookieOf(host);
  const headers: Record<string, string> =
    known === undefined ? { 'Set-Cookie': `${name}=${secret}; ${attributes}` } : {};
  return { browser: secretHash(secret), headers };
}

/**
 * The browser of a form that was sent from one of our own pages.
 * @throws Fault ORIGIN_NOT_ALLOWED for a form of another site, OauthError invalid_request without the cookie.
 */
export function senderOf(host: Host, request: Request): string {
  if (isFromElsewhere(host, request))
    throw fail.ORIGIN_NOT_ALLOWED('This form can only be sent from its own page.', { cause: 'origin' });
  const browser = browserOf(host, request);
  if (browser === null)
    throw new OauthError(
      'invalid_request',
      'This browser has not opened the page before, or it stores no cookies. Start again from the program.',
    );
  return browser;
}

/**
 * The same address under the issuer's host, for a page that was opened under another name of this machine: the provider redirects to the
 * issuer, where the cookie would be missing. null if the host is right.
 */
export function addressAtIssuer(host: Host, request: Request): string | null {
  const issuer = host.origin();
  if (reachedOrigin(issuer, request.headers.get('host')) === issuer) return null;
  return `${issuer}${/^[a-z]+:\/\/[^/]*(\/.*)$/.exec(request.url)?.[1] ?? '/'}`;
}

/** @throws Fault ORIGIN_NOT_ALLOWED for a page in a frame, against clickjacking. */
export function refuseFrame(request: Request): void {
  const destination = request.headers.get('sec-fetch-dest');
  if (destination !== null && destination !== 'document')
    throw fail.ORIGIN_NOT_ALLOWED('This page is not shown inside another page.', { cause: 'frame' });
}

/** A page of this browser whose button was pressed too late. */
export class LatePage extends OauthError {
  /** What it asked, as it was sealed. */
  readonly content: object;
  constructor(message: string, content: object) {
    super('invalid_request', message);
    this.content = content;
  }
}

/** How long a page may be open before its button is pressed. */
const openMs = 30 * 60_000;

/**
 * The request of a page as a sealed form field, so that nothing is stored before consent. It is bound to the browser and to one kind of
 * page.
 */
export const sealer = perHost((host) => {
  const macOf = (kind: string, browser: string, payload: string) =>
    new Bun.CryptoHasher('sha256', deriveKey(host)('oauth pages'))
      .update(`${kind}\n${browser}\n${payload}`)
      .digest('base64url');
  return {
    seal: (kind: string, browser: string, content: object): string => {
      const until = host.clock.now() + openMs;
      const payload = Buffer.from(JSON.stringify({ content, until })).toString('base64url');
      return `${payload}.${macOf(kind, browser, payload)}`;
    },
    /** @throws OauthError invalid_request for a field that was sealed for another browser; LatePage for one that was sealed too long ago. */
    open: <T extends object>(kind: string, browser: string, sealed: string): T => {
      const [payload = '', mac = ''] = sealed.split('.');
      const expected = Buffer.from(macOf(kind, browser, payload));
      const given = Buffer.from(mac);
      const stale =
        'This page is too old or of another browser. Start again: from the program, or by your link.';
      if (given.length !== expected.length || !nodeCrypto().timingSafeEqual(given, expected))
        throw new OauthError('invalid_request', stale);
      const { content, until } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
        content: T;
        until: number;
      };
      if (until <= host.clock.now()) throw new LatePage(stale, content);
      return content;
    },
  };
});
