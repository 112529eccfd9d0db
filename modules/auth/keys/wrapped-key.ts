import type { Host } from '../../../core/host/host.ts';
import { nodeCrypto } from '../../../core/base/late-node.ts';
import { fail } from '../base/errors.ts';
import { deriveKey } from './master-key.ts';

/** AES-256-GCM under the master key. The kid is authenticated, so that no wrapped key can replace another. */
export function wrap(host: Host, kid: string, text: string): string {
  const iv = host.random(12);
  const cipher = nodeCrypto()
    .createCipheriv('aes-256-gcm', deriveKey(host)('signing keys'), iv)
    .setAAD(Buffer.from(kid));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** @throws Fault KEYS_UNREADABLE under a wrong master key. */
export function unwrap(host: Host, kid: string, wrapped: string): string {
  const bytes = Buffer.from(wrapped, 'base64');
  const decipher = nodeCrypto()
    .createDecipheriv('aes-256-gcm', deriveKey(host)('signing keys'), bytes.subarray(0, 12))
    .setAAD(Buffer.from(kid))
    .setAuthTag(bytes.subarray(12, 28));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    throw fail.KEYS_UNREADABLE(`The master key does not open the signing key ${kid} of this database.`);
  }
}
