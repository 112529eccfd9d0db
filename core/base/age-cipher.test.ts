import { expect, test } from 'bun:test';
import { generateIdentity } from 'age-encryption';
import { refuseRecipients } from './age-cipher.ts';

test('a text that is no recipient is named, an identity is not', async () => {
  const identity = await generateIdentity();
  expect(() => refuseRecipients('backup-recipient', ['age1nothing'])).toThrow('"age1nothing" is not one.');
  expect(() => refuseRecipients('backup-recipient', [identity])).toThrow(
    'One is an identity, which is secret.',
  );
  expect(() => refuseRecipients('backup-recipient', [])).not.toThrow();
});
