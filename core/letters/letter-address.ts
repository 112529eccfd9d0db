import type { Addressee } from '../host/host.ts';

/**
 * The recipient of a letter as it is stored: `user:7`, or for an address without an account its SHA-256, so that an address stays in the
 * database only until its letter was sent.
 */
export const recipientOf = (to: Addressee): string =>
  'userId' in to
    ? `user:${to.userId}`
    : `address:${new Bun.CryptoHasher('sha256').update(to.address.toLowerCase()).digest('hex')}`;
