import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { cookiesOf, openWorld, type ConsoleWorld } from './world.ts';

/*
 * The attacks of a hostile page, of a stranger with an old link, and of a member of another organization. Requests are made as the
 * attacker's browser would make them: with the person's cookie.
 */

let browser: Browser;
let world: ConsoleWorld;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  await world.must('create-project', { orgId: 1, projectName: 'Secret' });
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

/** Opens the sign-in page, as a browser does before it sends the form. */
async function opened(query = ''): Promise<string> {
  return cookiesOf(await fetch(`${world.origin}/console/sign-in${query}`));
}

interface Form {
  readonly cookie?: string;
  readonly origin?: string;
  readonly next?: string;
}

const sendCode = (code: string, { cookie = '', origin = world.origin, next }: Form) =>
  fetch(`${world.origin}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ code, ...(next !== undefined && { next }) }),
  });

const codeOf = (link: string): string => new URL(link).hash.slice(1);

const signedIn = (email?: string): Promise<string> => world.cookie(email);

const rememberedIn = (page: Page) => page.evaluate(() => JSON.stringify(localStorage));

/** A member opens a project, a tenant and the link of an app; then the session ends by itself. @returns what the browser remembers. */
async function memberUses(person: Person): Promise<string> {
  const { page } = person;
  await world.signIn(person);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Secret');
  await page.getByRole('option', { name: 'Secret: runs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.evaluate(() => {
    localStorage.setItem('trivet-tenants', '["secret-tenant"]');
    localStorage.setItem('trivet-app-link', 'secret-app://open');
  });
  await person.context.clearCookies();
  return rememberedIn(page);
}

const own = () => ({ origin: world.origin, 'x-trivet-console': '1' });

describe('a page of another site cannot act for the person (CSRF)', () => {
  const attempts: ReadonlyArray<readonly [string, () => Record<string, string>, number]> = [
    ['a page of ours', own, 200],
    ['a page that shows somebody else', () => ({ ...own(), 'x-trivet-console': 'user 999999' }), 401],
    ['a page that says nonsense', () => ({ ...own(), 'x-trivet-console': 'user 1e0' }), 401],
    ['without the header', () => ({ origin: world.origin }), 401],
    ['another origin', () => ({ ...own(), origin: 'https://evil.example' }), 403],
    ['the origin of a sandboxed frame', () => ({ ...own(), origin: 'null' }), 403],
    ['another site, by Sec-Fetch-Site', () => ({ ...own(), 'sec-fetch-site': 'cross-site' }), 403],
    ['a neighbour host', () => ({ ...own(), 'sec-fetch-site': 'same-site' }), 403],
    ['without any word on where from', () => ({ 'x-trivet-console': '1' }), 403],
    ['a foreign Host (DNS rebinding)', () => ({ ...own(), host: 'evil.example' }), 403],
  ];
  test.each(attempts)('%s', async (_, headers, status) => {
    const before = (await world.must('get-projects', { orgId: 1 }))['total'];
    const answer = await fetch(`${world.origin}/api/tools/create-project`, {
      method: 'POST',
      headers: { cookie: await signedIn(), 'content-type': 'application/json', ...headers() },
      body: JSON.stringify({ orgId: 1, projectName: 'Made by somebody' }),
    });
    expect(answer.status).toBe(status);
    expect((await world.must('get-projects', { orgId: 1 }))['total']).toBe(
      Number(before) + (status === 200 ? 1 : 0),
    );
  });

  test.each([
    ['/console/me', 'GET'],
    ['/console/backup', 'GET'],
    ['/console/run-changes?projectId=1&runId=1', 'GET'],
    ['/console/sign-out', 'POST'],
  ])('%s %s also wants the header and the origin', async (path, method) => {
    const cookie = await signedIn();
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`${world.origin}${path}`, { method, headers: { cookie, ...headers } })).status;
    expect(await statusWith({ origin: world.origin })).toBe(403);
    expect(await statusWith({ ...own(), origin: 'https://evil.example' })).toBe(403);
    expect(await statusWith({ ...own(), 'sec-fetch-site': 'cross-site' })).toBe(403);
  });

  test('the cookie is no credential for /mcp, and a preflight of another origin is refused', async () => {
    const cookie = await signedIn();
    const mcp = await fetch(`${world.origin}/mcp`, {
      method: 'POST',
      headers: { cookie, ...own() },
      body: '{}',
    });
    expect(mcp.status).toBe(401);
    const preflight = await fetch(`${world.origin}/api/tools/create-project`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-trivet-console',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('nobody signs another person in (login CSRF) or keeps a session that was theirs (fixation)', () => {
  test('the form of another site', async () => {
    const code = codeOf(await world.link());
    const cookie = await opened();
    for (const [origin, sent] of [
      ['https://evil.example', cookie],
      ['null', cookie],
      [world.origin, ''],
    ] as const) {
      const answer = await sendCode(code, { origin, cookie: sent });
      expect([answer.status, cookiesOf(answer)]).toEqual([expect.any(Number), '']);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    // None of this used up the link.
    expect((await sendCode(code, { cookie })).status).toBe(303);
  });

  test('a planted cookie is worth nothing, before and after', async () => {
    const attacker = await signedIn('mallory@example.org');
    const planted = 'trivet-console=planted.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const browserCookie = await opened();
    for (const before of [attacker, planted]) {
      const answer = await sendCode(codeOf(await world.link('victim@example.org')), {
        cookie: `${browserCookie}; ${before}`,
      });
      const session = cookiesOf(answer);
      expect(session).toContain('trivet-console=');
      expect(session).not.toBe(before);
    }
    const me = await fetch(`${world.origin}/console/me`, { headers: { cookie: planted, ...own() } });
    expect(me.status).toBe(401);
  });

  test('a link works once; a made-up one never', async () => {
    const cookie = await opened();
    const code = codeOf(await world.link());
    expect((await sendCode(code, { cookie })).status).toBe(303);
    for (const used of [code, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', '']) {
      const answer = await sendCode(used, { cookie });
      expect([answer.status, cookiesOf(answer)]).toEqual([400, '']);
    }
  });

  test('the cookie: no script, no other site, no other host; a proof that cannot be made', async () => {
    const answer = await sendCode(codeOf(await world.link()), { cookie: await opened() });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^trivet-console=[\w-]+\.[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    const value = cookiesOf(answer);
    const flipped = `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`;
    for (const forged of [flipped, value.split('.')[0] ?? '', `${value}x`]) {
      const me = await fetch(`${world.origin}/console/me`, { headers: { cookie: forged, ...own() } });
      expect(me.status).toBe(401);
    }
  });

  test('signing out ends the session, and so does revoking it', async () => {
    const meWith = async (cookie: string) =>
      (await fetch(`${world.origin}/console/me`, { headers: { cookie, ...own() } })).status;
    const first = await signedIn();
    expect(await meWith(first)).toBe(200);
    await fetch(`${world.origin}/console/sign-out`, { method: 'POST', headers: { cookie: first, ...own() } });
    expect(await meWith(first)).toBe(401);
    const second = await signedIn();
    const sessionId = /trivet-console=([^.]+)/.exec(second)?.[1];
    const listed = await fetch(`${world.origin}/api/tools/list-sessions`, {
      method: 'POST',
      headers: { cookie: second, 'content-type': 'application/json', ...own() },
      body: '{}',
    });
    const { sessions } = (await listed.json()) as { sessions: Array<{ sessionId: string; client: string }> };
    expect(sessions.find((one) => one.sessionId === sessionId)?.client).toBe('console');
    await fetch(`${world.origin}/api/tools/revoke-session`, {
      method: 'POST',
      headers: { cookie: second, 'content-type': 'application/json', ...own() },
      body: JSON.stringify({ sessionId }),
    });
    expect(await meWith(second)).toBe(401);
  });
});

test.each([
  ['/console/projects/1/tests?query=a%20b', '/console/projects/1/tests?query=a%20b'],
  ['https://evil.example/', '/console/'],
  ['//evil.example/console/', '/console/'],
  ['/\\evil.example', '/console/'],
  ['/console/..//evil.example', '/console/'],
  ['/console/%2e%2e//evil.example', '/console/'],
  ['javascript:alert(1)//console/', '/console/'],
  ['/oauth/authorize?client_id=x', '/console/'],
  ['/console/sign-in', '/console/'],
])('after the sign-in, next=%s leads to %s (open redirect)', async (next, leads) => {
  const cookie = await opened(`?next=${encodeURIComponent(next)}`);
  const answer = await sendCode(codeOf(await world.link()), { cookie, next });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, leads]);
});

test('behind TLS the cookie is __Host- and Secure', async () => {
  const secure = await openWorld(['--public-url', 'https://trivet.example']);
  const page = await fetch(`${secure.origin}/console/sign-in`, {
    redirect: 'manual',
    headers: { host: 'trivet.example' },
  });
  const code = new URL(await secure.link()).hash.slice(1);
  const answer = await fetch(`${secure.origin}/console/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      host: 'trivet.example',
      origin: 'https://trivet.example',
      cookie: cookiesOf(page),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ code }),
  });
  expect(answer.headers.getSetCookie()[0]).toMatch(
    /^__Host-trivet-console=\S+; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Strict$/,
  );
  await secure.stop();
});

test('another organization’s address shows nothing of it, nor does a browser that a member of it used', async () => {
  const stranger = await newPerson(browser, world.origin);
  const before = await memberUses(stranger);
  expect(before).toContain('Secret');
  const other = await world.must('create-organization', { orgName: 'Another' });
  const invitation = await world.must('invite-user', { orgId: other['orgId'], role: 'admin' });
  await world.must('get-projects', { orgId: 1 });
  // A user of this machine's provider who belongs only to the other organization.
  const { page } = stranger;
  await page.goto(`${world.origin}/oauth/link#${String(invitation['code'])}`);
  await page.getByRole('button', { name: /Continue with/ }).click();
  await page.getByLabel('E-mail address').fill('stranger@example.org');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You are an administrator').waitFor();
  await page.goto(`${world.origin}/console/sign-in`);
  await page.getByRole('button', { name: /Continue with/ }).click();
  await page.getByLabel('E-mail address').fill('stranger@example.org');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.goto(`${world.origin}/console/projects/1/tests`);
  await page.getByRole('alert').first().waitFor();
  expect(await page.content()).not.toContain('Secret');
  await page.goto(`${world.origin}/console/projects/1/runs/1`);
  await page.getByRole('alert').first().waitFor();
  stranger.expectNoComplaint('status of 404');
  await page.goto(`${world.origin}/console/`);
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option').first().waitFor();
  const shown = `${await page.content()} ${await rememberedIn(page)}`;
  expect(['Secret', 'secret-tenant', 'secret-app'].filter((name) => shown.includes(name))).toEqual([]);
  // The return from the provider works only once.
  const returned = await page.request.get(`${world.origin}/oauth/callback?state=used&code=x`);
  expect(returned.status()).toBeGreaterThanOrEqual(400);
});

test('signing out leaves nothing of what was opened in the browser', async () => {
  const person = await newPerson(browser, world.origin);
  await memberUses(person);
  await world.signIn(person);
  await person.page.keyboard.press('Control+k');
  await person.page.keyboard.type('Sign out');
  await person.page.getByRole('option', { name: 'Sign out' }).click();
  await person.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await rememberedIn(person.page)).not.toMatch(/secret/i);
});

// Chromium without a window keeps no page for its Back button, so the test says what a browser that has kept one says.
test('a page that the Back button brings back asks who is there, and shows nothing after the session', async () => {
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  await world.signIn(person, '/console/projects/1/tests');
  const back = () =>
    page.evaluate(() => void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await page.getByRole('heading', { level: 1, name: 'Tests' }).waitFor();
  await page.evaluate(() => void document.body.setAttribute('data-kept', 'yes'));
  await back();
  await page.waitForFunction(() => !document.body.hasAttribute('data-kept'));
  await page.getByRole('heading', { level: 1, name: 'Tests' }).waitFor();
  await person.context.clearCookies();
  await back();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('after signing out the Back button shows no attachment from the cache of the browser', async () => {
  const { testId } = await world.must('create-test', { projectId: 1, testName: 'Pay' });
  const { attachmentId } = await world.must('add-attachment', {
    projectId: 1,
    testId,
    fileName: 'card.gif',
    mediaType: 'image/gif',
    base64: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  });
  const person = await newPerson(browser, world.origin);
  const { page, context } = person;
  await world.signIn(person);
  await page.evaluate((id) => location.assign(`/api/attachments/${id}`), Number(attachmentId));
  await page.waitForURL('**/api/attachments/*');
  const type = () => page.evaluate(() => document.contentType);
  expect(await type()).toBe('image/gif');
  await page.goto(`${world.origin}/console/sign-in`);
  await context.clearCookies();
  await page.goBack();
  expect(await type()).toBe('application/json');
});

test('no page can be shown inside another (clickjacking)', async () => {
  for (const path of ['/console/', '/console/projects/1/tests', '/console/sign-in']) {
    const { headers } = await fetch(`${world.origin}${path}`);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  }
});

test('the page trusts no text: its policy', async () => {
  const { headers } = await fetch(`${world.origin}/console/`);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; " +
      "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  );
});
