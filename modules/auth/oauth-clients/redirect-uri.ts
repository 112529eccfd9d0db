import { isLoopback } from '../../../core/base/loopback.ts';

/** The maximum length of one address: it is part of a client's id, which is part of URLs. */
const maxRedirectUri = 512;

/** App schemes without a dot in their name. RFC 8252 §7.1 requires a dot, but these are in use. */
const knownSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

/**
 * Whether a client may register an address (RFC 8252 §7, RFC 9700 §4.1): https, http to this computer, or the scheme of an app. No
 * fragment, no userinfo, no scheme that a browser executes, and no character that programs interpret differently.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > maxRedirectUri || !/^[\x21-\x7e]+$/.test(text) || /[\\"<>^`{|}#]/.test(text))
    return false;
  if (!URL.canParse(text)) return false;
  // `https:app.example/cb`: the parser reads a host, but a browser that is redirected resolves it against this server and reads a path.
  if (/^https?:(?!\/\/[^/])/i.test(text)) return false;
  const { protocol, hostname, username, password, pathname } = new URL(text);
  if (username !== '' || password !== '' || /^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(text)) return false;
  // A path that a program normalizes leads to a different address than the compared one.
  if (/(?:^|\/)\.{1,2}(?:\/|$)|%2e|%2f|%5c/i.test(pathOf(text))) return false;
  if (protocol === 'https:') return hostname !== '';
  if (protocol === 'http:') return isLoopback(hostname);
  return (protocol.includes('.') || knownSchemes.has(protocol)) && pathname.length + hostname.length > 0;
}

const pathOf = (text: string) =>
  text.replace(/^[a-z][a-z0-9+.-]*:(?:\/\/[^/?]*)?/i, '').split('?', 1)[0] ?? '';

/**
 * Whether a request may lead to an address: exactly a registered one, character by character; on this computer with any port, which
 * the client picks anew each time (RFC 8252 §7.3).
 */
export const isRegistered = (asked: string, registered: readonly string[]): boolean =>
  isRedirectUri(asked) && registered.some((one) => one === asked || samePlace(one, asked));

const loopbackForm = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(?=[/?]|$)(.*)$/;

function samePlace(registered: string, asked: string): boolean {
  const [one, other] = [loopbackForm.exec(registered), loopbackForm.exec(asked)];
  return one !== null && other !== null && one[1] === other[1] && one[3] === other[3];
}

/** Where an address leads, for the person who decides: its host, "this computer" or the scheme of an app. */
export function placeOf(redirectUri: string): string {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol !== 'https:' && protocol !== 'http:') return `the app that opens ${protocol}`;
  return isLoopback(hostname) ? 'this computer' : host;
}
