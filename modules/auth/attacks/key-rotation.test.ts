import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { decodeProtectedHeader } from 'jose';
import { rotateKeys } from '../keys/key-ring.ts';
import { startAttacked } from '../testing/attacked-server.ts';
import { causeOf, isLive, sessionRow, signIn } from '../testing/refreshing.ts';

// Starting real servers takes long on a busy machine.
setDefaultTimeout(60_000);

const attacked = await startAttacked({});
afterAll(() => attacked.end());

test('while keys turn under load, no live token is refused and no session is lost', async () => {
  const { host } = attacked.trivet.kernel;
  const turning = new AbortController();
  let verified = 0;
  const kids = new Set<unknown>();
  const failures: string[] = [];
  const expectLive = async (token: string, what: string) => {
    kids.add(decodeProtectedHeader(token).kid);
    if (!(await isLive(attacked, token))) failures.push(what);
    verified += 1;
  };
  const person = async (number: number) => {
    const { sid, ...first } = await signIn(attacked, `under-load-${number}@example.org`);
    let { access, refresh } = first;
    for (let round = 0; !turning.signal.aborted; round++) {
      await expectLive(access, `verify ${number}/${round}`);
      if (round % 3 !== 1) continue;
      const answer = await attacked.refresh(refresh);
      if (causeOf(answer) !== 'ok') failures.push(`refresh ${number}/${round}: ${String(causeOf(answer))}`);
      refresh = String(answer.body['refreshToken']);
      // The keys of the old and the new server may differ by now.
      await expectLive(access, `old access ${number}/${round}`);
      access = String(answer.body['accessToken']);
      await expectLive(access, `new access ${number}/${round}`);
      if (round % 6 === 1) {
        const fresh = await signIn(attacked, `under-load-${number}@example.org`);
        await expectLive(fresh.access, `sign-in ${number}/${round}`);
      }
    }
    expect(await sessionRow(attacked, sid)).toMatchObject({ revokedAt: null });
  };
  const people = Array.from({ length: 6 }, (_, number) => person(number));
  for (let turn = 0; turn < 30; turn++) {
    await rotateKeys(host, 'now');
    // Long enough that the keys in memory are read again at every other rotation, while tokens of several keys are in use.
    attacked.clock.advance(turn % 2 === 0 ? 10_000 : 31_000);
    await Bun.sleep(15);
  }
  turning.abort();
  await Promise.all(people);
  expect(failures).toEqual([]);
  expect(verified).toBeGreaterThan(100);
  expect(kids.size).toBeGreaterThan(5);
});

test('a key that leaked: its tokens are refused as soon as the keys are read again, sessions go on', async () => {
  const { host } = attacked.trivet.kernel;
  const { access, refresh } = await signIn(attacked);
  await rotateKeys(host, null, String(decodeProtectedHeader(access).kid));
  attacked.clock.advance(60_000);
  expect(await isLive(attacked, access)).toBe(false);
  const answer = await attacked.refresh(refresh);
  expect(causeOf(answer)).toBe('ok');
  expect(await isLive(attacked, String(answer.body['accessToken']))).toBe(true);
});

test('what one process signs with a new key, another one verifies', async () => {
  // Two kernels on the same data and with one origin, as behind a load balancer.
  const name = { 'public-url': 'https://trivet.example' };
  const one = await startAttacked({}, name);
  const two = await startAttacked({}, name, one.trivet, one.clock);
  for (const { trivet } of [one, two]) trivet.kernel.listening('https://trivet.example');
  const old = await signIn(one);
  one.clock.advance(20_000);
  expect(await isLive(two, old.access)).toBe(true);
  await rotateKeys(one.trivet.kernel.host, 'now');
  // `one` reads its keys again after a minute; the keys of `two` are 40 s old, without the new one.
  one.clock.advance(40_000);
  const fresh = await signIn(one);
  expect(decodeProtectedHeader(fresh.access).kid).not.toBe(decodeProtectedHeader(old.access).kid);
  expect([await isLive(two, fresh.access), await isLive(two, old.access)]).toEqual([true, true]);
  await two.end();
  await one.end();
});
