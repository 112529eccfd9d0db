import { afterAll, describe, expect, test } from 'bun:test';
import { decodeJwt } from 'jose';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';
import { setupLines } from '../people/setup-code.ts';
import { audit, invitations, oauthRequests } from '../base/schema.ts';
import { consentAs, openBrowser, type Browser } from '../testing/browser.ts';
import { signInLink, useSignInLink } from './sign-in-link.ts';

const clock = stillClock(Date.now());
const trivet = await startTestKernel({ clock });
const { call } = await toolsOf(trivet);
afterAll(() => trivet.stop());

/** A browser opens a link: the fragment stays in it, and the form sends the code. */
async function open(link: string, browser: Browser = openBrowser()) {
  const { href, hash } = new URL(link);
  const page = await browser.go(href.replace(hash, ''));
  return browser.submit(page, { code: hash.slice(1) });
}

const rolesOf = async (email: string) => {
  const { accessToken } = await trivet.signIn(email);
  const about = await trivet.fetch('/oauth/userinfo', {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return ((await about.json()) as { organizations: Array<{ role: string }> }).organizations.map(
    ({ role }) => role,
  );
};

describe('the link of the first start', () => {
  const link = async () =>
    (await setupLines(trivet.kernel.host, true)).find((line) => line.startsWith('http')) ?? '';
  let first: string;

  test('makes the account that signs in an administrator, once', async () => {
    first = await link();
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oauth\/link#[\w-]{24}$/);
    const browser = openBrowser();
    const asked = await open(first, browser);
    expect([asked.status, asked.text.includes('administers this server')]).toEqual([200, true]);
    // A second tab, and a second browser, come too late.
    const other = openBrowser();
    const alsoAsked = await open(first, other);
    const done = await consentAs(browser, asked, 'ann@example.org');
    expect([done.status, done.text.includes('You are an administrator')]).toEqual([200, true]);
    expect((await consentAs(other, alsoAsked, 'eve@example.org')).status).toBe(403);
    expect([await rolesOf('ann@example.org'), await rolesOf('eve@example.org')]).toEqual([['admin'], []]);
    expect((await open(first)).status).toBe(400);
    expect(await link()).toBe('');
  });

  test('leaves its code in no address, log, Referer or table', async () => {
    const browser = openBrowser();
    await open(first, browser);
    const code = first.split('#')[1] ?? 'none';
    const { q } = trivet.kernel.host.db;
    const rows = [
      ...(await q.select().from(invitations)),
      ...(await q.select().from(oauthRequests)),
      ...(await q.select().from(audit)),
    ];
    const texts = [...browser.sent.map((one) => JSON.stringify(one)), ...trivet.logged, JSON.stringify(rows)];
    expect(texts.filter((text) => text.includes(code))).toEqual([]);
  });

  /** @see A start within the 30 minutes showed no link, and whoever had closed the terminal had none. */
  test('ends after 30 minutes, and a later start makes another', async () => {
    const late = await startTestKernel({ clock });
    const lines = async () => (await setupLines(late.kernel.host, true)) as string[];
    const linkIn = (all: readonly string[]) => all.find((line) => line.startsWith('http')) ?? '';
    const first = await lines();
    expect(first[0]).toStartWith('First start');
    clock.advance(30 * 60_000 - 1);
    expect((await open(linkIn(first))).status).toBe(200);
    const second = await lines();
    expect(second[0]).toBe('The link of an earlier start was not used.');
    expect([(await open(linkIn(first))).status, (await open(linkIn(second))).status]).toEqual([200, 200]);
    clock.advance(30 * 60_000);
    expect((await open(linkIn(second))).status).toBe(400);
    expect((await open(linkIn(await lines()))).status).toBe(200);
    await late.stop();
  });

  test('its page works without script, and its script is the only one', async () => {
    const page = await openBrowser().go(`${trivet.origin}/oauth/link`);
    const [script = ''] = [...page.text.matchAll(/<script>([^<]*)<\/script>/g)].map(([, text]) => text);
    const hash = new Bun.CryptoHasher('sha256').update(script).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}';`);
    expect(script).toContain('history.replaceState');
    expect(page.text).toContain('name="code"');
    const style = /<style>([^<]*)<\/style>/.exec(page.text)?.[1] ?? '';
    const styleHash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${styleHash}';`);
  });
});

describe('an invitation', () => {
  test('leads through the provider to its organization and role', async () => {
    const invited = (await call('invite-user', { orgId: 1, role: 'reader' })) as {
      link: string;
      code: string;
    };
    expect(invited.link).toBe(`${trivet.origin}/oauth/link#${invited.code}`);
    const browser = openBrowser();
    const asked = await open(invited.link, browser);
    expect(asked.text).toContain('<strong>reader</strong>');
    const done = await consentAs(browser, asked, 'bob@example.org');
    expect([done.status, done.text.includes('You are a reader')]).toEqual([200, true]);
    expect(await rolesOf('bob@example.org')).toEqual(['reader']);
    expect((await open(invited.link)).status).toBe(400);
  });

  test('of the same code by tool and by link works once', async () => {
    const { link, code } = (await call('invite-user', { orgId: 1 })) as { link: string; code: string };
    const browser = openBrowser();
    const asked = await open(link, browser);
    const { accessToken } = await trivet.signIn('carl@example.org');
    expect((await trivet.post('/api/tools/accept-invitation', { code }, accessToken)).status).toBe(200);
    expect((await consentAs(browser, asked, 'dora@example.org')).status).toBe(403);
    expect(await rolesOf('dora@example.org')).toEqual([]);
  });

  test('that the person does not want stays open', async () => {
    const { link } = (await call('invite-user', { orgId: 1 })) as { link: string };
    const browser = openBrowser();
    await browser.submit(await open(link, browser), { choice: 'cancel' });
    expect((await open(link)).status).toBe(200);
  });

  /** @see "That code is not valid, or no longer", to somebody who had typed none, and nothing led on. */
  test('that ended while the person signed in says so, and what to do', async () => {
    const invited = (await call('invite-user', { orgId: 1 })) as { link: string; invitationId: number };
    const browser = openBrowser();
    const asked = await open(invited.link, browser);
    await call('revoke-invitation', { orgId: 1, invitationId: invited.invitationId });
    const done = await consentAs(browser, asked, 'finn@example.org');
    const opened = await open(invited.link);
    expect([done.status, opened.status]).toEqual([403, 400]);
    for (const { text } of [done, opened]) {
      expect(text).toContain('It was used or revoked, has expired, or is not whole.');
      expect(text).toContain('If you have used it, go on in the console.');
      expect(text).toContain('ask whoever gave it to you for another');
      expect(text).toContain('<form action="/console/">');
    }
  });

  /** @see "Start again from the program": there was none. */
  test('whose page was open for too long is to be opened again', async () => {
    const { link } = (await call('invite-user', { orgId: 1 })) as { link: string };
    const browser = openBrowser();
    const asked = await open(link, browser);
    clock.advance(30 * 60_000);
    const late = await browser.submit(asked, { choice: 'with dev' });
    expect(late.status).toBe(400);
    expect(late.text).toContain('Open your link again');
    expect((await consentAs(browser, await open(link, browser), 'gil@example.org')).status).toBe(200);
  });

  test.each(['', 'x', 'x'.repeat(24)])('with the code "%s" is none', async (code) => {
    expect((await open(`${trivet.origin}/oauth/link#${code}`)).status).toBe(400);
  });
});

/** @see Whoever came back in the morning met "Start again from the program", on a page without a way on. */
test('a sign-in page of the console that was open for long leads to the page that was asked for', async () => {
  const browser = openBrowser();
  const asked = await browser.go(`${trivet.origin}/console/sign-in?next=/console/people?invite`);
  clock.advance(9 * 60 * 60_000);
  // It asks for the sign-in once more, unless there is a session by now.
  const late = await browser.submit(asked, { choice: 'with dev' });
  expect([late.status, `${late.url.pathname}${late.url.search}`]).toEqual([200, '/console/people?invite']);
});

describe('a link that signs a user in', () => {
  const { host } = trivet.kernel;
  const codeOf = ({ url }: { url: string }) => new URL(url).hash.slice(1);

  test('works once, also for twenty at the same time', async () => {
    const link = await signInLink(host, { userId: 1, path: '/console/sign-in' });
    expect(link).toEqual({
      url: expect.stringMatching(/\/console\/sign-in#[\w-]{43}$/),
      expiresAt: clock.now() + 30 * 60_000,
    });
    const used = await Promise.all(Array.from({ length: 20 }, () => useSignInLink(host, codeOf(link))));
    expect(used.filter((userId) => userId === 1)).toHaveLength(1);
    expect(used.filter((userId) => userId === null)).toHaveLength(19);
  });

  test('ends after 30 minutes, and is for active users', async () => {
    const link = await signInLink(host, { userId: 1, path: '/console/sign-in' });
    clock.advance(30 * 60_000);
    expect(await useSignInLink(host, codeOf(link))).toBeNull();
    const unknown = await signInLink(host, { userId: 999, path: '/console/sign-in' });
    expect(await useSignInLink(host, codeOf(unknown))).toBeNull();
    expect(await useSignInLink(host, 'x')).toBeNull();
  });

  test('of an account that was merged meanwhile signs in the one that stayed', async () => {
    const [kept, merged] = await Promise.all(
      ['kept', 'merged'].map(async (name) =>
        Number(decodeJwt((await trivet.signIn(`${name}@example.org`)).accessToken).sub),
      ),
    );
    const link = await signInLink(host, { userId: merged ?? 0, path: '/console/sign-in' });
    await call('merge-users', { userId: kept, duplicateId: merged });
    expect(await useSignInLink(host, codeOf(link))).toBe(kept ?? 0);
  });

  /** @see A link that was made before outlived the sign-out, and opened again for who was disabled meanwhile. */
  test.each<[string, (userId: number) => Promise<unknown>]>([
    ['is signed out everywhere', (userId) => call('revoke-session', { userId })],
    ['leaves the last organization', (userId) => call('remove-member', { orgId: 1, userId })],
    [
      'is disabled, also if enabled again',
      async (userId) => {
        await call('set-user-status', { userId, status: 'disabled' });
        await call('set-user-status', { userId, status: 'active' });
      },
    ],
  ])('ends when its user %s, and those of others do not', async (title, end) => {
    const { accessToken } = await trivet.signIn(`${title.replaceAll(/\W/g, '.')}@example.org`);
    const { code } = (await call('invite-user', { orgId: 1 })) as { code: string };
    await trivet.post('/api/tools/accept-invitation', { code }, accessToken);
    const userId = Number(decodeJwt(accessToken).sub);
    const linkFor = (id: number) => signInLink(host, { userId: id, path: '/console/sign-in' });
    const [own, other] = [await linkFor(userId), await linkFor(1)];
    await end(userId);
    expect([await useSignInLink(host, codeOf(own)), await useSignInLink(host, codeOf(other))]).toEqual([
      null,
      1,
    ]);
    expect(await useSignInLink(host, codeOf(await linkFor(userId)))).toBe(userId);
  });

  test('is no code of a client', async () => {
    const link = await signInLink(host, { userId: 1, path: '/console/sign-in' });
    const response = await trivet.fetch('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'trivet-cli',
        code: codeOf(link),
        redirect_uri: 'http://127.0.0.1:1/callback',
        code_verifier: 'x'.repeat(43),
      }),
    });
    expect(((await response.json()) as { error: string }).error).toBe('invalid_grant');
  });
});
