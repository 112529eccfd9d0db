import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { setRole } from '../people/member-store.ts';
import { oauthRequests } from '../base/schema.ts';
import {
  authorizeUrl,
  consentAs,
  hiddenFields,
  newProof,
  openBrowser,
  postForm,
  registered,
  tickedBoxes,
} from '../testing/browser.ts';

/*
 * What a person leaves a program of what it asks for, and how a program asks for more later. Mutation note: seen to fail when narrowed
 * takes words that were not asked for, and when nothing ticked means everything.
 */
const web = 'https://client.example/callback';
const clock = stillClock();
let trivet: TestKernel;
let client: string;
beforeAll(async () => {
  trivet = await startTestKernel({ clock, settings: { 'rate-oauth': '0' } });
  client = await registered(trivet, web);
});
afterAll(() => trivet.stop());

/** Asks for a scope, and answers with these boxes. @returns the page after the consent, or the scope of the token. */
async function consented(asked: string | undefined, boxes: Readonly<Record<string, string>>) {
  const { verifier, challenge } = newProof();
  const browser = openBrowser(web);
  const page = await browser.go(
    authorizeUrl(trivet, challenge, { client_id: client, redirect_uri: web, scope: asked }),
  );
  const body = new URLSearchParams({ ...hiddenFields(page.text), ...boxes, choice: 'with dev' });
  const shown = { ...page, text: page.text.replaceAll(' checked>', '>') };
  const atDev = await browser.submit(shown, Object.fromEntries(body));
  if (atDev.status !== 200) return { page, refused: atDev };
  const { left } = await browser.submit(atDev, { email: 'ann@example.org' });
  const answer = await postForm(trivet, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: client,
    code: left?.searchParams.get('code') ?? '',
    redirect_uri: web,
    code_verifier: verifier,
  });
  const { scope, access_token: token } = (await answer.json()) as { scope: string; access_token: string };
  return { page, scope, token };
}

const allow = (...words: readonly string[]) =>
  Object.fromEntries(words.map((word) => [`allow-${word}`, 'yes']));

describe('the boxes', () => {
  test('show what is asked for, ticked, and whether it may only read, not ticked', async () => {
    const { page } = await consented('testmgmt cta:read admin', allow('testmgmt'));
    expect(Object.keys(tickedBoxes(page.text))).toEqual(['allow-cta:read', 'allow-testmgmt', 'allow-admin']);
    expect(page.text).toContain('name="allow-read-only" value="yes">');
  });

  test('who asks for nothing asks for test management alone', async () => {
    const { page, scope } = await consented(undefined, allow('testmgmt'));
    expect(Object.keys(tickedBoxes(page.text))).toEqual(['allow-testmgmt']);
    expect(scope).toBe('testmgmt');
  });

  test.each([
    ['testmgmt cta', allow('testmgmt'), 'testmgmt'],
    ['testmgmt cta', allow('testmgmt', 'cta', 'read-only'), 'cta testmgmt read-only'],
    // A page that was changed, or a program that pressed the button.
    ['testmgmt', allow('testmgmt', 'admin', 'auth', 'all'), 'testmgmt'],
    ['all', {}, 'all'],
    ['all', allow('read-only'), 'read-only'],
    ['all read-only', {}, 'read-only'],
  ])('asked for %s, answered %j', async (asked, boxes, scope) => {
    expect((await consented(asked, boxes)).scope).toBe(scope);
  });

  /** @see A program that asked to read everything got everything, writes included, and the page said so. */
  test('reading everything is said, and nothing beyond it is offered', async () => {
    const { page, token = '' } = await consented('all read-only', allow('testmgmt', 'all'));
    expect(page.text).toContain('Read everything');
    expect(page.text).not.toContain('managing people');
    expect(tickedBoxes(page.text)).toEqual({});
    const write = await trivet.post('/api/tools/set-letter-setting', { kind: 'x', isOn: true }, token);
    expect([write.status, (write.body['error'] as { code: string }).code]).toEqual([403, 'READ_ONLY']);
    expect((await trivet.post('/api/tools/list-sessions', {}, token)).status).toBe(200);
  });

  test('nothing ticked is nothing allowed: a page says so, and nothing is stored', async () => {
    const stored = async () => (await trivet.kernel.host.db.q.select().from(oauthRequests)).length;
    const before = await stored();
    for (const boxes of [{}, allow('read-only'), allow('admin')]) {
      const { refused } = await consented('testmgmt cta', boxes);
      expect([refused?.status, refused?.text.includes('Nothing is ticked')]).toEqual([400, true]);
    }
    expect(await stored()).toBe(before);
  });
});

describe('a device', () => {
  test('gets what the person leaves', async () => {
    const asked = (await (
      await postForm(trivet, '/oauth/device_authorization', { client_id: client, scope: 'testmgmt cta' })
    ).json()) as { device_code: string; user_code: string };
    const browser = openBrowser();
    const enter = await browser.go(`${trivet.origin}/oauth/device`);
    const page = await browser.submit(enter, { user_code: asked.user_code });
    await consentAs(
      browser,
      { ...page, text: page.text.replace('name="allow-testmgmt" value="yes" checked>', '>') },
      'ann@example.org',
    );
    const answer = await postForm(trivet, '/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: client,
      device_code: asked.device_code,
    });
    expect(((await answer.json()) as { scope: string }).scope).toBe('cta');
  });
});

describe('a step up (MCP, authorization: 403 insufficient_scope)', () => {
  const send = async (token: string, path: string, message: object) => {
    const { status, headers } = await trivet.fetch(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
    return [
      status,
      /scope="([^"]*)", error="insufficient_scope"/.exec(headers.get('www-authenticate') ?? '')?.[1],
    ];
  };
  const called = (name: string, input: object = {}) => ({
    method: 'tools/call',
    params: { name, arguments: input },
  });

  test('names what the token has and what is missing', async () => {
    const { token = '' } = await consented('testmgmt:read', allow('testmgmt:read'));
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      sub: string;
    };
    await trivet.kernel.host.db.tx((q) => setRole(q, 1, Number(sub), 'admin', clock.now()));
    const list = { method: 'tools/list' };
    expect(await send(token, '/mcp', list)).toEqual([200, undefined]);
    expect(await send(token, '/mcp', called('get-orgs-list'))).toEqual([200, undefined]);
    expect(await send(token, '/mcp', called('create-project', { orgId: 1, projectName: 'x' }))).toEqual([
      403,
      'testmgmt',
    ]);
    expect(await send(token, '/mcp?toolsets=cta', list)).toEqual([403, 'testmgmt:read cta']);
    expect(await send(token, '/mcp?toolsets=cta', called('list-ctas'))).toEqual([403, 'testmgmt:read cta']);
    expect(await send(token, '/mcp?toolsets=testmgmt,cta', list)).toEqual([200, undefined]);
  });

  test('the first challenge names the toolsets of the address', async () => {
    const challenge = async (path: string) =>
      (await trivet.fetch(path, { method: 'POST', body: '{}' })).headers.get('www-authenticate');
    expect(await challenge('/mcp')).toContain('scope="testmgmt"');
    expect(await challenge('/mcp?toolsets=cta,auth')).toContain('scope="cta auth"');
  });
});
