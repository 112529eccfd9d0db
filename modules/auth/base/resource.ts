import { isLoopback } from '../../../core/base/loopback.ts';

/*
 * The audience of a token: this server (its issuer) or its `/mcp`. RFC 8707 identifies them by URLs, and RFC 9728 defines where their
 * metadata is.
 */

/** The path of the metadata of `/mcp`. */
export const mcpMetadataPath = '/.well-known/oauth-protected-resource/mcp';

const loopbackOf = ({ protocol, hostname, port }: URL) =>
  isLoopback(hostname) ? `${protocol}//loopback:${port}` : null;

/**
 * The audience that a resource indicator names, the issuer or `<issuer>/mcp`; null for a foreign one. On the local machine `localhost` and
 * `127.0.0.1` are the same server: clients use the name that their user entered.
 */
export function audienceOf(issuer: string, resource: string): string | null {
  if (!URL.canParse(resource)) return null;
  const url = new URL(resource);
  const own = new URL(issuer);
  if (url.hash !== '' || url.username !== '' || url.password !== '') return null;
  const isOwn =
    url.origin === own.origin || (loopbackOf(own) !== null && loopbackOf(url) === loopbackOf(own));
  if (!isOwn) return null;
  const path = url.pathname.replace(/\/$/, '');
  if (path === '') return issuer;
  return path === '/mcp' ? `${issuer}/mcp` : null;
}

/**
 * The origin under which a client reaches this server: the issuer, or another name of the local machine with the same port. Any other Host
 * is not trusted.
 */
export function reachedOrigin(issuer: string, host: string | null): string {
  const own = new URL(issuer);
  const given = `${own.protocol}//${host ?? ''}`;
  if (loopbackOf(own) === null || !/^[a-z0-9.:[\]]+$/i.test(host ?? '') || !URL.canParse(given))
    return issuer;
  const url = new URL(given);
  return loopbackOf(url) === loopbackOf(own) ? url.origin : issuer;
}
