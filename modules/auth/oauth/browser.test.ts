import { afterAll, describe, expect, test } from 'bun:test';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { hiddenFields, newProof } from '../testing/browser.ts';
import { sealer } from './browser.ts';

/* Behind a proxy that speaks TLS: the issuer is https, and requests arrive over http. */
const issuer = 'https://trivet.example';
const clock = stillClock(Date.now());
const trivet = await startTestKernel({ clock, settings: { 'public-url': issuer, 'rate-oauth': '0' } });
trivet.kernel.listening(issuer);
afterAll(() => trivet.stop());

const question = new URLSearchParams({
  client_id: 'trivet-cli',
  redirect_uri: 'http://127.0.0.1:1/callback',
  response_type: 'code',
  code_challenge: newProof().challenge,
  code_challenge_method: 'S256',
});
const ask = (host: string, cookie = '') =>
  trivet.fetch(`/oauth/authorize?${question}`, { headers: { host, cookie } });

describe('the cookie of a browser', () => {
  test('over https belongs to this host alone', async () => {
    const cookie = (await ask('trivet.example')).headers.get('set-cookie');
    expect(cookie).toMatch(/^__Host-trivet-browser=[\w-]{32}; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  });

  test('is kept, and a foreign form of it is replaced', async () => {
    const [pair = ''] = (await ask('trivet.example')).headers.get('set-cookie')?.split(';') ?? [];
    expect((await ask('trivet.example', pair)).headers.get('set-cookie')).toBeNull();
    for (const other of ['trivet-browser=x', '__Host-trivet-browser=', '__Host-trivet-browser=a"b', 'x'])
      expect((await ask('trivet.example', other)).headers.get('set-cookie')).not.toBeNull();
  });
});

describe('a form', () => {
  const senders: ReadonlyArray<readonly [origin: string | undefined, host: string, allowed: boolean]> = [
    [issuer, 'trivet.example', true],
    // A proxy that does not hand on the name.
    [issuer, '127.0.0.1:8787', true],
    [undefined, 'trivet.example', true],
    ['http://trivet.example', 'trivet.example', true],
    ['https://evil.example', 'trivet.example', false],
    ['https://trivet.example.evil.example', 'trivet.example', false],
    ['https://sub.trivet.example', 'trivet.example', false],
    ['null', 'trivet.example', false],
  ];
  test.each(senders)('of the origin %s at the host %s', async (origin, host, allowed) => {
    const page = await ask(host);
    const [cookie = ''] = page.headers.get('set-cookie')?.split(';') ?? [];
    const fields = hiddenFields(await page.text());
    const response = await trivet.fetch('/oauth/continue', {
      method: 'POST',
      redirect: 'manual',
      headers: { host, cookie, ...(origin === undefined ? {} : { origin }) },
      body: new URLSearchParams({ ...fields, 'allow-testmgmt': 'yes', choice: 'with dev' }),
    });
    expect(response.status).toBe(allowed ? 303 : 403);
    if (allowed) expect(response.headers.get('location')).toStartWith(`${issuer}/oauth/dev?state=`);
  });
});

test('what a page asked is sealed for its kind, its browser and half an hour', () => {
  const { seal, open } = sealer(trivet.kernel.host);
  const sealed = seal('consent', 'a', { n: 1 });
  expect(open<{ n: number }>('consent', 'a', sealed)).toEqual({ n: 1 });
  const [payload = '', mac = ''] = sealed.split('.');
  const forged = Buffer.from(JSON.stringify({ content: { n: 2 }, until: 1e15 })).toString('base64url');
  for (const [kind, browser, text] of [
    ['dev', 'a', sealed],
    ['consent', 'b', sealed],
    ['consent', 'a', `${forged}.${mac}`],
    ['consent', 'a', `${payload}.`],
    ['consent', 'a', ''],
  ] as const)
    expect(() => open(kind, browser, text)).toThrow('too old or of another browser');
  clock.advance(30 * 60_000);
  expect(() => open('consent', 'a', sealed)).toThrow('too old or of another browser');
});
