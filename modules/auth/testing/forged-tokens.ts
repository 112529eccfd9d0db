import { constants, createHmac, generateKeyPairSync, sign as signBytes, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';

/** A key pair of a provider or of an attacker. */
export interface Pair {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As a key set would publish it. */
  readonly jwk: Readonly<JWK>;
}

function pair(kid: string, made: { privateKey: KeyObject; publicKey: KeyObject }): Pair {
  return { kid, ...made, jwk: { ...(made.publicKey.export({ format: 'jwk' }) as JWK), kid, use: 'sig' } };
}

export const rsaPair = (kid: string, modulusLength = 2048): Pair =>
  pair(kid, generateKeyPairSync('rsa', { modulusLength }));

export const ecPair = (kid: string, namedCurve: 'P-256' | 'P-384' | 'P-521' | 'secp256k1' = 'P-256'): Pair =>
  pair(kid, generateKeyPairSync('ec', { namedCurve }));

export const edPair = (kid: string): Pair => pair(kid, generateKeyPairSync('ed25519'));

/** One part of a token: an object as JSON; text and bytes as they are, however wrong. */
export type Part = object | string | Uint8Array;

export const encoded = (part: Part): string =>
  Buffer.from(typeof part === 'string' || part instanceof Uint8Array ? part : JSON.stringify(part)).toString(
    'base64url',
  );

/**
 * Signs anything in any way: no library would make these tokens. `with` says how; the header may say something else.
 * @param key the private key, or the secret of HS*.
 */
export function forge(
  header: Part,
  payload: Part,
  { with: algorithm, key }: { readonly with: string; readonly key: KeyObject | string | Uint8Array },
): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${signatureOf(input, algorithm, key).toString('base64url')}`;
}

export function signatureOf(input: string, algorithm: string, key: KeyObject | string | Uint8Array): Buffer {
  const bytes = Buffer.from(input);
  const size = Number(algorithm.slice(2));
  if (typeof key === 'string' || key instanceof Uint8Array)
    return createHmac(`sha${size}`, key).update(bytes).digest();
  switch (algorithm.slice(0, 2)) {
    case 'RS':
      return signBytes(`sha${size}`, bytes, key);
    case 'PS': {
      const padding = constants.RSA_PKCS1_PSS_PADDING;
      return signBytes(`sha${size}`, bytes, { key, padding, saltLength: size / 8 });
    }
    case 'ES':
      return signBytes(`sha${size}`, bytes, { key, dsaEncoding: 'ieee-p1363' });
    default:
      return signBytes(null, bytes, key);
  }
}

/** What people take for the secret of a key pair when they verify HS256 with "the key": every form of its public half. */
export function publicForms({ publicKey, jwk }: Pair): ReadonlyArray<readonly [string, string | Uint8Array]> {
  const pem = (type: 'spki' | 'pkcs1') => publicKey.export({ format: 'pem', type }).toString();
  const bare = publicKey.export({ format: 'jwk' }) as JWK;
  const published: ReadonlyArray<readonly [string, string | Uint8Array]> = [
    ['SPKI PEM', pem('spki')],
    ['SPKI PEM without the last line break', pem('spki').trimEnd()],
    ['SPKI PEM with CRLF', pem('spki').replaceAll('\n', '\r\n')],
    ['SPKI DER', publicKey.export({ format: 'der', type: 'spki' })],
    ['JWK as published', JSON.stringify(jwk)],
    ['JWK bare', JSON.stringify(bare)],
  ];
  if (bare.kty !== 'RSA') {
    const { x = '', y = '' } = bare;
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    return [...published, ['the point', point], ['x as text', x]];
  }
  const { n = '' } = bare;
  return [
    ...published,
    ['PKCS1 PEM', pem('pkcs1')],
    ['PKCS1 PEM without the last line break', pem('pkcs1').trimEnd()],
    ['PKCS1 DER', publicKey.export({ format: 'der', type: 'pkcs1' })],
    ['the modulus', Buffer.from(n, 'base64url')],
    ['the modulus as text', n],
  ];
}

/** The same bytes spelled with another last character: base64url whose unused bits are not zero. */
export function respelled(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(part.slice(-1));
  const other = `${part.slice(0, -1)}${alphabet[last ^ 1] ?? ''}`;
  if (!Buffer.from(other, 'base64url').equals(Buffer.from(part, 'base64url')))
    throw new Error('this part has no unused bits');
  return other;
}

/** ECDSA as OpenSSL writes it; JWS wants the two numbers side by side. */
export function derEcdsa(input: string, key: KeyObject): string {
  const raw = signatureOf(input, 'ES256', key);
  const number = (bytes: Buffer) => {
    const value = (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
    return Buffer.concat([Buffer.of(2, value.length), value]);
  };
  const both = Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, both.length), both]).toString('base64url');
}
