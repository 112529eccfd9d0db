import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import { temporaryDirectory } from '../../../test/temporary.ts';
import { exportAudit } from '../audit-export/export-job.ts';
import { makeClientId, readRegisteredClient } from '../oauth-clients/oauth-client.ts';
import { browserActor, openBrowserSession } from '../sessions/browser-session.ts';
import { keyCheck } from './key-check.ts';
import { rotateKeys } from './key-ring.ts';
import { readKeys } from './key-store.ts';
import { checkMasterKey, followMasterKey } from './master-key-check.ts';
import { announceMasterKey, finishReplacement, replaceMasterKey } from './master-key-replacement.ts';
import { unwrapUnder } from './wrapped-key.ts';

/*
 * The master key is replaced while two servers go on: nobody is signed out, and afterwards the former key opens nothing. Mutation note: seen to
 * fail when a server accepts only the present key, when it protects with the next one before it was replaced, and when a key stays wrapped
 * by the former one.
 */
const clock = stillClock();
const keyFile = (letter: string) => {
  const path = join(temporaryDirectory('key'), 'key');
  writeFileSync(path, Buffer.alloc(32, letter).toString('base64'));
  chmodSync(path, 0o600);
  return path;
};
const [former, next] = [Buffer.alloc(32, 'a'), Buffer.alloc(32, 'b')];
const files = { former: keyFile('a'), next: keyFile('b') };
const exported = join(temporaryDirectory('exported'), 'audit.jsonl');
const start = (file: string, again?: TestKernel) =>
  startTestKernel({
    clock,
    settings: { 'master-key-file': file, 'audit-export': `file:${exported}` },
    ...(again ? { again } : {}),
  });
let one: TestKernel;
let two: TestKernel;
let restarted: TestKernel | undefined;

beforeAll(async () => {
  one = await start(files.former);
  two = await start(files.former, one);
  for (const { kernel } of [one, two]) await checkMasterKey(kernel.host);
});
afterAll(async () => {
  for (const kernel of [one, two, restarted]) await kernel?.stop();
});

/** What a person and a program hold, and what one server gave must be good at another. */
async function signIn(on: TestKernel) {
  const { refreshToken } = await on.signIn('ann@example.org');
  const { host } = on.kernel;
  const clientId = makeClientId(host, { name: 'agent', redirectUris: ['https://agent.example/cb'] }, 1);
  const [cookie = ''] =
    (await openBrowserSession(host, 1, { address: '127.0.0.1', userAgent: null }))?.split(';') ?? [];
  return { refreshToken, clientId, cookie };
}
type Held = Awaited<ReturnType<typeof signIn>>;

/** Which of what somebody holds is good at a server. The refresh token is used up by it. */
async function goodAt(on: TestKernel, held: Held) {
  const refreshed = await on.post('/v1/auth/token/refresh', { refreshToken: held.refreshToken });
  const { host } = on.kernel;
  const browser = new Request(on.origin, { headers: { cookie: held.cookie } });
  return {
    refresh: refreshed.status === 200,
    client: readRegisteredClient(host, held.clientId) !== null,
    cookie: (await browserActor(host, browser)) !== null,
  };
}
const all = { refresh: true, client: true, cookie: true };

const ready = async (on: TestKernel) =>
  checkMasterKey(on.kernel.host).then(
    () => 'ready',
    () => 'not ready',
  );
const batches = () => (existsSync(exported) ? readFileSync(exported, 'utf8').split('\n').length : 0);

/** Exports until there is one more batch. PostgreSQL shows an entry late while others write in its cluster. */
async function exportMore(on: TestKernel): Promise<void> {
  const before = batches();
  for (let tries = 0; tries < 500 && batches() === before; tries++) {
    await exportAudit(on.kernel.host, new AbortController().signal);
    await Bun.sleep(5);
  }
  expect(batches()).toBeGreaterThan(before);
}

async function startedWith(file: string): Promise<string> {
  const started = await start(file, one);
  try {
    return await ready(started);
  } finally {
    await started.stop();
  }
}
const follow = (...kernels: readonly TestKernel[]) =>
  Promise.all(kernels.map(({ kernel }) => followMasterKey(kernel.host)));
const wrappedBy = async (key: Uint8Array) =>
  (await readKeys(one.kernel.host.db.q)).map(
    ({ kid, privateWrapped }) => unwrapUnder(key, kid, privateWrapped) !== null,
  );

test('every step, with servers that know of it and servers that do not yet', async () => {
  const before = await signIn(one);
  const alsoBefore = await signIn(two);
  await exportMore(one);
  expect(await goodAt(two, await signIn(one))).toEqual(all);

  // Announced: both servers learn of it, in any order, and go on with the former key.
  await announceMasterKey(one.kernel.host, next);
  await follow(two);
  expect(await goodAt(one, await signIn(two))).toEqual(all);
  await follow(one);
  expect(await wrappedBy(former)).toEqual([true]);
  expect(await startedWith(files.next)).toBe('not ready');

  // Replaced: one knows, the other not yet.
  expect(await replaceMasterKey(one.kernel.host, next)).toBeGreaterThanOrEqual(1);
  await follow(one);
  const afterwards = await signIn(one);
  expect(await goodAt(two, afterwards)).toEqual(all);
  expect(await goodAt(one, await signIn(two))).toEqual(all);
  // The signing key is read again after 5 s, and one that is made now is good as well.
  clock.advance(6_000);
  await rotateKeys(two.kernel.host, 'now');
  expect(await goodAt(one, await signIn(two))).toEqual(all);
  await follow(two);
  expect([await ready(one), await ready(two)]).toEqual(['ready', 'ready']);
  expect(await goodAt(two, before)).toEqual(all);
  expect(await settled(announceMasterKey(one.kernel.host, Buffer.alloc(32, 'c')))).toThrow('not finished');
  expect(await settled(finishReplacement(two.kernel.host))).toThrow('has the former master key');

  // One server is started again with the new key; the other still has the former one.
  restarted = await start(files.next, one);
  expect(await ready(restarted)).toBe('ready');
  expect(await goodAt(restarted, await signIn(two))).toEqual(all);
  expect(await goodAt(two, await signIn(restarted))).toEqual(all);
  // The turn of a server that is not heard is over.
  clock.advance(60_000);
  await exportMore(restarted);
  clock.advance(31 * 86_400_000);
  await rotateKeys(restarted.kernel.host);
  const { host } = restarted.kernel;
  expect(await keyCheck.run(host, { repair: false })).toContainEqual(
    expect.objectContaining({ finding: 'master_key_overlap', warning: true }),
  );
  clock.advance(-31 * 86_400_000);

  // Finished: the former key opens nothing, and what it signed is over.
  const held = await signIn(restarted);
  await finishReplacement(host);
  await follow(restarted);
  expect((await wrappedBy(former)).includes(true)).toBe(false);
  expect((await wrappedBy(next)).includes(false)).toBe(false);
  expect([await ready(restarted), await ready(two)]).toEqual(['ready', 'not ready']);
  expect(await goodAt(restarted, held)).toEqual(all);
  expect(await goodAt(restarted, alsoBefore)).toEqual({ refresh: false, client: false, cookie: false });
  expect(await startedWith(files.former)).toBe('not ready');
  expect(await settled(finishReplacement(host))).toThrow('no replacement');
});
