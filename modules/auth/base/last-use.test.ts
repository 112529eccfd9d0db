import { afterAll, expect, test } from 'bun:test';
import { fail } from '../../../core/base/errors.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import {
  createPersonalToken,
  madeOnMachine,
  verifyPersonalToken,
} from '../personal-tokens/personal-token-store.ts';
import { parseScopes } from '../personal-tokens/token-scope.ts';
import { browserActor, openBrowserSession } from '../sessions/browser-session.ts';
import { noteUse } from './last-use.ts';

const clock = stillClock();
const trivet = await startTestKernel({ clock });
afterAll(() => trivet.stop());
const { host } = trivet.kernel;
const ownerId = 1;

/** A host whose storage takes no writes. */
function unwritable(error: Error): typeof host {
  const refused = async () => {
    throw error;
  };
  return { ...host, db: { ...host.db, write: refused } };
}
const full = unwritable(fail.STORAGE_FAILED('The storage failed (sqlite_full); nothing was written.'));

/** @see Finding: on a full disk, whoever had not called for a minute could not read either, although the documentation says so. */
test('whoever was away for an hour still reads while nothing can be written', async () => {
  const scope = parseScopes(['testmgmt'], host.toolsets);
  if ('mistake' in scope) throw new Error(scope.mistake);
  const given = { userId: ownerId, name: 'x', scope, expiresAt: null, madeWith: madeOnMachine };
  const { token } = await host.db.tx((q) => createPersonalToken(host, q, given));
  const cookie = await openBrowserSession(host, ownerId, { address: '192.0.2.1', userAgent: null });
  clock.advance(3_600_000);
  expect((await verifyPersonalToken(full, token))?.token.userId).toBe(ownerId);
  const request = new Request('http://127.0.0.1/', { headers: { cookie: cookie?.split(';')[0] ?? '' } });
  expect((await browserActor(full, request))?.userId).toBe(ownerId);
});

test('a defect is no storage without room', async () => {
  const broken = unwritable(new TypeError('a defect'));
  expect(await settled(noteUse(broken, () => Promise.resolve()))).toThrow('a defect');
});
