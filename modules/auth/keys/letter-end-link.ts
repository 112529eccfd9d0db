import type { Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { acceptedKeys, deriveKey } from './master-key.ts';

/** The page that ends letters of a kind for their recipient. */
export const endPath = '/letters/end';

const purpose = 'ends of letters';

const sealOf = (key: Uint8Array, text: string): Buffer =>
  nodeCrypto().createHmac('sha256', key).update(text).digest();

/** The address of that page. It works without a sign-in, so it is sealed: nobody can end the letters of somebody else. */
export function endLink(host: Host, recipient: string, kind: string): string {
  const text = `${kind} ${recipient}`;
  const seal = sealOf(deriveKey(host)(purpose), text).toString('base64url');
  return `${host.origin()}${endPath}?t=${Buffer.from(text).toString('base64url')}.${seal}`;
}

/** What a token of {@link endLink} ends; null for one that we did not make, or made under a former master key. */
export function readEndToken(host: Host, token: string): { recipient: string; kind: string } | null {
  const [body = '', seal = '', ...rest] = token.length > 500 ? [] : token.split('.');
  if (rest.length > 0) return null;
  const text = Buffer.from(body, 'base64url').toString('utf8');
  const given = Buffer.from(seal, 'base64url');
  const isOurs = acceptedKeys(host, purpose).some((key) => {
    const expected = sealOf(key, text);
    return expected.length === given.length && nodeCrypto().timingSafeEqual(expected, given);
  });
  const [, kind, recipient] = isOurs ? (/^(\S+) (\S+)$/.exec(text) ?? []) : [];
  return kind === undefined || recipient === undefined ? null : { kind, recipient };
}
