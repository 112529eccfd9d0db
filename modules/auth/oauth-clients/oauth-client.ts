import type { Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { acceptedKeys, deriveKey } from '../keys/master-key.ts';
import { isRedirectUri } from './redirect-uri.ts';

/** A program that asks a person to sign in. All clients are public: they have no secret (RFC 6749 §2.1). */
export interface OauthClient {
  readonly id: string;
  /** The name that it gives itself, unverified. */
  readonly name: string;
  /** The host of its document, which is verified; null for a client that registered itself. */
  readonly host: string | null;
  readonly redirectUris: readonly string[];
}

/** The limits of a registration: the client's id contains all of it. */
export const maxRedirectUris = 10;
/** The maximum length of all redirect addresses together. */
export const maxRedirectText = 3_000;
const prefix = 'dcr.';
const maxClientId = 6 * 1024;

/**
 * The ids of registered clients. An id contains the registration and a MAC. A registration stores nothing, so a flood of them cannot fill a
 * table, and every process knows every client.
 */
const purpose = 'oauth clients';
const macOf = (key: Uint8Array, payload: string) =>
  new Bun.CryptoHasher('sha256', key).update(payload).digest('base64url').slice(0, 32);

interface Registered {
  /** Name, redirect addresses, and when it registered (epoch seconds). */
  readonly n: string;
  readonly r: readonly string[];
  readonly t: number;
}

/** The id of a newly registered client. */
export function makeClientId(
  host: Host,
  { name, redirectUris }: Pick<OauthClient, 'name' | 'redirectUris'>,
  issuedAt: number,
): string {
  const registered: Registered = { n: name, r: redirectUris, t: issuedAt };
  const payload = Buffer.from(JSON.stringify(registered)).toString('base64url');
  return `${prefix}${payload}.${macOf(deriveKey(host)(purpose), payload)}`;
}

/** The client that registered with this id; null for an id that this server did not issue. */
export function readRegisteredClient(host: Host, id: string): OauthClient | null {
  if (!id.startsWith(prefix) || id.length > maxClientId) return null;
  const [payload = '', mac = '', more] = id.slice(prefix.length).split('.');
  const given = Buffer.from(mac);
  if (more !== undefined) return null;
  const isOurs = acceptedKeys(host, purpose).some((key) => {
    const expected = Buffer.from(macOf(key, payload));
    return given.length === expected.length && nodeCrypto().timingSafeEqual(given, expected);
  });
  if (!isOurs) return null;
  const { n, r } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Registered;
  // The rules may have become stricter since it registered.
  return { id, name: n, host: null, redirectUris: r.filter(isRedirectUri) };
}
