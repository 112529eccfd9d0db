import type * as Age from 'age-encryption';
import { UsageError } from './errors.ts';

/** Encrypts for age recipients. @param recipients age public keys (`age1…`). */
export async function encrypterFor(recipients: readonly string[]) {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter;
}

/**
 * Refuses recipients before anything is encrypted for them. It waits for nothing, because a reload does not.
 * @param setting the name of the setting that has them. @throws UsageError.
 */
export function refuseRecipients(setting: string, recipients: readonly string[]): void {
  // The library is only loaded by who encrypts.
  if (recipients.length === 0) return;
  const { Encrypter } = require('age-encryption') as typeof Age;
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      // The message is logged, and an identity is secret.
      const what = /^age-secret-key/i.test(recipient)
        ? 'One is an identity, which is secret'
        : `"${recipient}" is not one`;
      throw new UsageError(
        `--${setting}: each must be an age public key (age1…), which age-keygen prints. ${what}.`,
      );
    }
  }
}

/**
 * Decrypts with age identities.
 * @param identity one per line; undefined when none was given.
 * @param where the name of what is encrypted, in errors.
 * @throws UsageError without an identity, or for a line that is none.
 */
export async function decrypterFor(identity: string | undefined, where: string) {
  if (identity === undefined)
    throw new UsageError(
      `${where} is encrypted. Name the file with its age identity: --age-identity-file FILE.`,
    );
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  try {
    for (const line of identity.split('\n').map((each) => each.trim()))
      if (line !== '' && !line.startsWith('#')) decrypter.addIdentity(line);
  } catch {
    throw new UsageError(
      'The file of --age-identity-file has a line that is no age identity (AGE-SECRET-KEY-1…).',
    );
  }
  return decrypter;
}

/** The error for an identity that does not fit. */
export const notForThisIdentity = (where: string): UsageError =>
  new UsageError(`${where} cannot be decrypted: the age identity is not one that it was encrypted for.`);
