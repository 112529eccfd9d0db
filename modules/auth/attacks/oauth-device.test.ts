import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { oauthRequests } from '../base/schema.ts';
import { secretHash } from '../keys/secret-hash.ts';
import { consentAs, openBrowser, postForm, registered, type Browser } from '../testing/browser.ts';

/*
 * The device grant (RFC 8628): codes that are guessed, polls that are too fast, codes of others.
 *
 * Mutation note: seen to fail when claimRequest takes any browser, when notePoll is left out, and when the code of the address is put
 * into the form.
 */
const clock = stillClock(Date.now());
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

let trivet: TestKernel;
beforeAll(async () => {
  trivet = await startTestKernel({ clock, settings: { 'rate-oauth': '0' } });
});
afterAll(() => trivet.stop());
// Each test begins with a new minute of guesses.
beforeEach(() => clock.advance(60_000));

interface Asked {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly expires_in: number;
  readonly interval: number;
}

async function ask(clientId = 'trivet-cli', more: Readonly<Record<string, string>> = {}): Promise<Asked> {
  const response = await postForm(trivet, '/oauth/device_authorization', { client_id: clientId, ...more });
  expect(response.status).toBe(200);
  return (await response.json()) as Asked;
}

async function poll(deviceCode: string, clientId = 'trivet-cli') {
  const body = { grant_type: grantType, client_id: clientId, device_code: deviceCode };
  const answer = (await (await postForm(trivet, '/oauth/token', body)).json()) as Record<string, unknown>;
  return answer['error'] ?? (typeof answer['access_token'] === 'string' ? 'signed in' : answer);
}

const enter = async (code: string, browser: Browser = openBrowser()) => {
  const page = await browser.go(`${trivet.origin}/oauth/device`);
  return browser.submit(page, { user_code: code });
};

test('a person enters the code of a device, and it is signed in, once', async () => {
  const asked = await ask();
  expect(asked).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${trivet.origin}/oauth/device`,
    expires_in: 600,
    interval: 5,
  });
  expect(await poll(asked.device_code)).toBe('authorization_pending');
  const browser = openBrowser();
  const consent = await enter(` ${asked.user_code.toLowerCase().replace('-', '')} `, browser);
  expect([consent.status, consent.text.includes('Sign in another device?')]).toEqual([200, true]);
  // As the device shows it: the two are compared.
  expect(consent.text).toContain(`<p class="code">${asked.user_code}</p>`);
  const done = await consentAs(browser, consent, 'ann@example.org');
  expect([done.status, done.text.includes('signed in now')]).toEqual([200, true]);
  clock.advance(5_000);
  expect(await poll(asked.device_code)).toBe('signed in');
  expect(await poll(asked.device_code)).toBe('invalid_grant');
});

/** @see The page asked to compare a refused code with the device, and did not show it. */
test('a code that is refused stays in the field, as text', async () => {
  const page = await enter('BCDF-GH"><b>');
  expect(page.status).toBe(400);
  expect(page.text).toContain('value="BCDF-GH&quot;&gt;&lt;b&gt;"');
});

describe('a device', () => {
  test('that asks too often has to slow down, each time by five seconds', async () => {
    const { device_code: code } = await ask();
    expect(await poll(code)).toBe('authorization_pending');
    expect(await poll(code)).toBe('slow_down');
    clock.advance(6_000);
    expect(await poll(code)).toBe('slow_down');
    clock.advance(15_000);
    expect(await poll(code)).toBe('authorization_pending');
  });

  test('that asks in a loop waits a minute at most, and then makes the server write nothing', async () => {
    const { device_code: code } = await ask();
    const polls = async () => {
      const { q } = trivet.kernel.host.db;
      const rows = await q
        .select()
        .from(oauthRequests)
        .where(eq(oauthRequests.codeHash, secretHash(code)));
      return rows.map(({ pollAfter, pollSeconds }) => [pollAfter, pollSeconds]);
    };
    for (let asked = 0; asked < 20; asked++) await poll(code);
    const slowest = [[clock.now() + 59_000, 60]];
    expect(await polls()).toEqual(slowest);
    clock.advance(30_000);
    expect(await poll(code)).toBe('slow_down');
    expect(await polls()).toEqual(slowest);
    clock.advance(30_000);
    expect(await poll(code)).toBe('authorization_pending');
  });

  test('has to be the client that asked', async () => {
    const { device_code: code } = await ask();
    const other = await registered(trivet, 'https://client.example/callback');
    expect(await poll(code, other)).toBe('invalid_grant');
    expect(await poll('x'.repeat(43))).toBe('invalid_grant');
    expect(await poll(code)).toBe('authorization_pending');
  });

  test('whose code has expired: expired_token, and nobody can enter it', async () => {
    const asked = await ask();
    clock.advance(600_000);
    expect(await poll(asked.device_code)).toBe('expired_token');
    expect((await enter(asked.user_code)).status).toBe(400);
  });

  test('which the person does not want: access_denied', async () => {
    const asked = await ask();
    const browser = openBrowser();
    const page = await browser.submit(await enter(asked.user_code, browser), { choice: 'cancel' });
    expect([page.status, page.text.includes('Nothing was allowed')]).toEqual([200, true]);
    expect(await poll(asked.device_code)).toBe('access_denied');
    expect((await enter(asked.user_code)).status).toBe(400);

    const again = await ask();
    const consent = await enter(again.user_code, browser);
    await browser.submit(consent, { choice: 'with dev' });
    await browser.submit(consent, { choice: 'cancel' });
    expect(await poll(again.device_code)).toBe('access_denied');
  });

  const refused: ReadonlyArray<readonly [string, Readonly<Record<string, string>>, number, string]> = [
    ['an unknown client', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['no client', { client_id: '' }, 400, 'invalid_request'],
    [
      'a foreign resource',
      { client_id: 'trivet-cli', resource: 'https://other.example' },
      400,
      'invalid_target',
    ],
  ];
  test.each(refused)('of %s stores nothing', async (_title, body, status, error) => {
    const before = (await trivet.kernel.host.db.q.select().from(oauthRequests)).length;
    const response = await postForm(trivet, '/oauth/device_authorization', body);
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([status, error]);
    expect((await trivet.kernel.host.db.q.select().from(oauthRequests)).length).toBe(before);
  });

  test('cannot use the code that a browser got, nor the other way round', async () => {
    const { device_code: code } = await ask();
    const asCode = await postForm(trivet, '/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'trivet-cli',
      code,
      redirect_uri: 'http://127.0.0.1:1/callback',
      code_verifier: 'x'.repeat(43),
    });
    expect(((await asCode.json()) as { error: string }).error).toBe('invalid_grant');
  });
});

describe('a code', () => {
  test('in the address is not put into the form', async () => {
    const { user_code: code } = await ask();
    const page = await openBrowser().go(`${trivet.origin}/oauth/device?user_code=${code}`);
    expect([page.status, page.text.includes(code), page.text.includes('name="user_code"')]).toEqual([
      200,
      false,
      true,
    ]);
  });

  test('belongs to the first browser that enters it', async () => {
    const asked = await ask();
    const [first, second] = [openBrowser(), openBrowser()];
    const consent = await enter(asked.user_code, first);
    expect((await enter(asked.user_code, second)).status).toBe(400);
    expect((await enter(asked.user_code, first)).status).toBe(200);
    const page = await second.go(`${trivet.origin}/oauth/device`);
    const stolen = { ...page, text: consent.text };
    expect((await second.submit(stolen, { choice: 'with dev' })).status).toBe(400);
    expect((await consentAs(first, consent, 'ann@example.org')).status).toBe(200);
  });

  const wrong = ['BCDF-GHJK', 'BCDFGHJ', 'AEIO-UYAE', '1234-5678', '', "' OR 1=1", '%'];
  test.each(wrong)('%s is not valid', async (code) => {
    const page = await enter(code);
    expect([page.status, page.text.includes('role="alert"')]).toEqual([400, true]);
  });

  test('from another site is refused', async () => {
    const { user_code: code } = await ask();
    const browser = openBrowser();
    const page = await browser.go(`${trivet.origin}/oauth/device`);
    const headers = { origin: 'https://evil.example' };
    expect((await browser.submit(page, { user_code: code }, headers)).status).toBe(403);
    browser.forget();
    expect((await browser.submit(page, { user_code: code })).status).toBe(400);
  });

  test('is not stored so that it can be tried out', async () => {
    const { user_code: code, device_code: deviceCode } = await ask();
    const stored = JSON.stringify(await trivet.kernel.host.db.q.select().from(oauthRequests));
    const plain = code.replace('-', '');
    const hash = new Bun.CryptoHasher('sha256').update(plain).digest('hex');
    for (const text of [code, plain, deviceCode, hash]) expect(stored).not.toContain(text);
  });
});

test('guesses: after ten a minute 429, and a limit of all addresses that guess; others enter their code', async () => {
  const proxied = await startTestKernel({ clock, settings: { 'trusted-proxies': '1' } });
  const browser = openBrowser();
  const page = await browser.go(`${proxied.origin}/oauth/device`);
  const guess = async (address: string) =>
    (await browser.submit(page, { user_code: 'BCDF-GHJK' }, { 'x-forwarded-for': address })).status;
  const statuses: number[] = [];
  for (let round = 0; round < 12; round++) statuses.push(await guess('203.0.113.1'));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429, 429]);
  const twice: Record<string, number> = {};
  for (let round = 0; round < 100; round++)
    for (let at = 0; at < 2; at++) {
      const status = await guess(`198.51.100.${round}`);
      twice[`${at} ${status}`] = (twice[`${at} ${status}`] ?? 0) + 1;
    }
  // 10 of the first address and 90 of these are 100; who comes after them guesses once.
  expect(twice).toEqual({ '0 400': 100, '1 400': 45, '1 429': 55 });
  const asked = (await (
    await postForm(proxied, '/oauth/device_authorization', { client_id: 'trivet-cli', scope: 'testmgmt' })
  ).json()) as { user_code: string };
  const person = openBrowser();
  const entered = await person.submit(
    await person.go(`${proxied.origin}/oauth/device`),
    { user_code: asked.user_code },
    { 'x-forwarded-for': '192.0.2.1' },
  );
  expect([entered.status, entered.text.includes(asked.user_code)]).toEqual([200, true]);
  clock.advance(60_000);
  expect(await guess('203.0.113.1')).toBe(400);
  await proxied.stop();
});

test('a page that was opened as localhost goes on under the name to which the provider sends back', async () => {
  const { port } = new URL(trivet.origin);
  const asked = await ask();
  const browser = openBrowser();
  const page = await browser.go(`http://localhost:${port}/oauth/device?x=1`);
  expect([page.status, page.url.href]).toEqual([200, `${trivet.origin}/oauth/device?x=1`]);
  const consent = await browser.submit(page, { user_code: asked.user_code });
  expect((await consentAs(browser, consent, 'ann@example.org')).status).toBe(200);
  expect(await poll(asked.device_code)).toBe('signed in');
});
