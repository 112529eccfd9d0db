import type { Host } from '../../../core/host/host.ts';
import { deriveKey } from '../keys/master-key.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { insertRequest } from './oauth-request-store.ts';

/** How long the code can be entered, and how often the device polls meanwhile. */
const deviceSeconds = 600;
const pollSeconds = 5;

// RFC 8628 §6.1: no vowels, so that no words appear, and no digits to confuse with letters.
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const codeLength = 8;

/** The page on which the code is entered. */
export const devicePath = '/oauth/device';

/** The hash of a code: keyed, because its 34 bits could be brute-forced from a copy of the database. */
const userCodeHash = (host: Host) => (code: string) =>
  new Bun.CryptoHasher('sha256', deriveKey(host)('oauth user codes')).update(code).digest('hex');

const plainCode = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, '');

/** A code as the device shows it, however a person has entered it: the two are compared letter by letter. */
export function shownCode(text: string): string {
  const code = plainCode(text);
  return `${code.slice(0, codeLength / 2)}-${code.slice(codeLength / 2)}`;
}

/** The hash of what a person has entered; null if it does not have the form of a code. */
export function hashEnteredCode(host: Host, text: string): string | null {
  const code = plainCode(text);
  const isCode = code.length === codeLength && [...code].every((letter) => letters.includes(letter));
  return isCode ? userCodeHash(host)(code) : null;
}

function newUserCode(host: Host): string {
  let code = '';
  while (code.length < codeLength) {
    // 240 is a multiple of the 20 letters: larger bytes would make some letters more frequent.
    for (const byte of host.random(16))
      if (byte < 240 && code.length < codeLength) code += letters[byte % letters.length] ?? '';
  }
  return code;
}

/** Stores the request of a device. @returns the response of RFC 8628 §3.2. */
export async function requestDevice(
  host: Host,
  { clientId, scope, audience }: { clientId: string; scope: string | null; audience: readonly string[] },
) {
  const deviceCode = Buffer.from(host.random(32)).toString('base64url');
  const userCode = newUserCode(host);
  const now = host.clock.now();
  await host.db.write((q) =>
    insertRequest(q, {
      id: Buffer.from(host.random(18)).toString('base64url'),
      clientId,
      scope,
      resources: audience,
      codeHash: secretHash(deviceCode),
      userCodeHash: userCodeHash(host)(userCode),
      pollSeconds,
      status: 'asked',
      createdAt: now,
      expiresAt: now + deviceSeconds * 1000,
    }),
  );
  return {
    device_code: deviceCode,
    user_code: shownCode(userCode),
    // No verification_uri_complete: attackers send links that contain the code (RFC 8628 §5.4).
    verification_uri: `${host.origin()}${devicePath}`,
    expires_in: deviceSeconds,
    interval: pollSeconds,
  };
}
