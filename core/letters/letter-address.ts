import type { Addressee } from '../host/host.ts';

/** An address that goes into an envelope as it is: no quotes, no comments, no second address (RFC 5321 §4.1.2 allows more). */
export const addressPattern =
  '^[^\\s@<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]{1,64}@[^\\s@<>(),;:"\\\\\\[\\]\\u0000-\\u001f\\u007f]{1,255}$';

const pattern = new RegExp(addressPattern);

/** Whether a text is an address to which letters are sent. */
export const isAddress = (text: string): boolean => pattern.test(text);

/**
 * The recipient of a letter as it is stored: `user:7`, or for an address without an account its SHA-256, so that an address stays in the
 * database only until its letter was sent.
 */
export const recipientOf = (to: Addressee): string =>
  'userId' in to
    ? `user:${to.userId}`
    : `address:${new Bun.CryptoHasher('sha256').update(to.address.toLowerCase()).digest('hex')}`;
