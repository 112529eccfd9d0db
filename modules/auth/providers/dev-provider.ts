import { addressKey } from '../../../core/text/letter-case.ts';
import type { KeyObject } from 'node:crypto';
import { SignJWT, type CryptoKey } from 'jose';
import type { Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { coreSettings } from '../../../core/settings/settings.ts';
import { fail } from '../base/errors.ts';
import { deriveKey } from '../keys/master-key.ts';
import type { IdProvider } from './id-token.ts';

/** The provider of `--dev`: the local machine mints ID tokens for any user, so that everything can be tried offline. */
export const devProviderName = 'dev';
const issuer = 'urn:trivet:dev';
const audience = 'trivet-dev';

/** How long a minted ID token lives, in seconds. */
export const devTokenSeconds = 3600;

// RFC 8410 §7: the fixed DER prefix of an Ed25519 private key; 32 bytes of key follow.
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The headers that a proxy adds to a forwarded request (RFC 7239 and its predecessors). */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
];

/**
 * Refuses requests from a proxy: a proxy on this machine exposes a loopback server to strangers, who could sign in as an administrator.
 * @throws Fault ACCESS_DENIED for a request forwarded by a proxy.
 */
export function refuseForwarded({ config }: Host, { headers }: Request): void {
  // If a proxy is configured, --dev does not start (core/cli/serve/serve.ts).
  if (config.read(coreSettings)['trusted-proxies'] > 0) return;
  if (!forwardingHeaders.some((name) => headers.has(name))) return;
  throw fail.ACCESS_DENIED('The provider "dev" is for this machine, and a proxy passed this request on.', {
    cause: 'forwarded',
    tip: 'Configure a provider in the [providers] table of --config, and leave out --dev.',
  });
}

/** Derived from the master key: only the owner of the data directory can mint, and nothing is stored. */
function devKey(host: Host): KeyObject {
  const key = Buffer.concat([ed25519Prefix, deriveKey(host)('dev id tokens')]);
  return nodeCrypto().createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

export function devProvider(host: Host): IdProvider {
  return {
    name: devProviderName,
    issuer,
    audiences: [audience],
    algorithms: ['EdDSA'],
    allowedDomains: null,
    allowedEmails: null,
    requireNonce: false,
    singleUse: false,
    groupMapping: null,
    place: null,
    browser: 'dev',
    keys: {
      find: async () => {
        const jwk = nodeCrypto().createPublicKey(devKey(host)).export({ format: 'jwk' });
        return crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify']) as Promise<CryptoKey>;
      },
    },
  };
}

/** Mints an ID token for an e-mail address; the subject is the address in lower case. */
export async function mintDevIdToken(host: Host, email: string, nonce?: string): Promise<string> {
  const [name = email] = email.split('@');
  const claims = { email, email_verified: true, name, ...(nonce === undefined ? {} : { nonce }) };
  return signAsDev(host, addressKey(email), claims);
}

/** Signs a token of the provider of `--dev` about a person. */
export function signAsDev(
  host: Host,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const now = Math.floor(host.clock.now() / 1000);
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setIssuedAt(now)
    .setExpirationTime(now + devTokenSeconds)
    .sign(devKey(host));
}
