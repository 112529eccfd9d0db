import type { Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { fail } from '../base/errors.ts';
import { acceptedKeys, deriveFrom, deriveKey } from './master-key.ts';

const purpose = 'signing keys';

/** AES-256-GCM under the master key. The kid is authenticated, so that no wrapped key can replace another. */
export const wrap = (host: Host, kid: string, text: string): string =>
  sealed(host, deriveKey(host)(purpose), kid, text);

/** Like {@link wrap}, under another master key. */
export const wrapUnder = (host: Host, master: Uint8Array, name: string, text: string): string =>
  sealed(host, deriveFrom(master, purpose), name, text);

/** The text that {@link wrapUnder} wrapped; null under another master key. */
export const unwrapUnder = (master: Uint8Array, name: string, wrapped: string): string | null =>
  opened(deriveFrom(master, purpose), name, wrapped);

/** @throws Fault KEYS_UNREADABLE under a wrong master key. */
export function unwrap(host: Host, kid: string, wrapped: string): string {
  for (const key of acceptedKeys(host, purpose)) {
    const text = opened(key, kid, wrapped);
    if (text !== null) return text;
  }
  throw fail.KEYS_UNREADABLE(`The master key does not open the signing key ${kid} of this database.`);
}

function sealed(host: Host, key: Uint8Array, name: string, text: string): string {
  const iv = host.random(12);
  const cipher = nodeCrypto().createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name));
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), bytes]).toString('base64');
}

function opened(key: Uint8Array, name: string, wrapped: string): string | null {
  const bytes = Buffer.from(wrapped, 'base64');
  try {
    const decipher = nodeCrypto()
      .createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
