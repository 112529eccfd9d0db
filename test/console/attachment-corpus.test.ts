import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { attachmentCorpus, type ArmedAs, type HostileFile } from './attachment-corpus.ts';
import { newPerson, openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * Hostile files are attached, and opened by the real route within the session of a person: as a page, in frames, as an image, a script, a
 * style sheet and a service worker of a page of the console. Nothing of them runs, asks the server for anything, or opens a dialog.
 *
 * Mutation note: 20 of the 29 files were seen to fail when files are sent in place with their claimed type, without the policy and nosniff;
 * the others Chromium itself does not take for what they claim.
 */

let browser: Browser;
let world: ConsoleWorld;
let context: BrowserContext;
let page: Page;
let projectId = 0;
const events: string[] = [];
const addresses = new Map<HostileFile, string>();

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  ({ context, page } = await newPerson(browser, world.origin));
  await world.signIn({ context, page, expectNoComplaint: () => {}, expectAccessible: async () => {} });
  await context.exposeBinding('ran', () => void events.push('a script ran'));
  context.on('page', (opened) => watch(opened));
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/ran') events.push('a request');
  });
  watch(page);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

function watch(opened: Page): void {
  opened.on('dialog', (dialog) => {
    events.push('a dialog');
    void dialog.dismiss();
  });
}

/** Attaches a file in a project of its own: the same bytes keep the type that they have in a project. */
async function attached(file: HostileFile): Promise<string> {
  const known = addresses.get(file);
  if (known !== undefined) return known;
  const project = await world.must('create-project', { orgId: 1, projectName: file.what });
  projectId = Number(project['projectId']);
  const { testId } = await world.must('create-test', { projectId, testName: file.what });
  const answer = await fetch(
    `${world.origin}/api/attachments?projectId=${projectId}&testId=${String(testId)}`,
    {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${world.token}`,
        'x-file-name': `UTF-8''${encodeURIComponent(file.name)}`,
        ...(file.claimed === '' ? {} : { 'content-type': file.claimed }),
      },
      body: new Uint8Array(file.bytes),
    },
  );
  const { attachmentId } = (await answer.json()) as { attachmentId: number };
  const address = `${world.origin}/api/attachments/${attachmentId}`;
  addresses.set(file, address);
  return address;
}

const settle = () => Bun.sleep(60);

const quoted = (text: string): string => JSON.stringify(text);

/** A page of the same origin without any policy, which loads the address in every way: more than a hole in the console would allow. */
async function embed(address: string): Promise<Page> {
  const embedding = await context.newPage();
  const holes = [
    `<iframe src=${quoted(address)}></iframe><img src=${quoted(address)}><object data=${quoted(address)}></object>`,
    `<embed src=${quoted(address)}><link rel=stylesheet href=${quoted(address)}><script src=${quoted(address)}></script>`,
    `<script type=module src=${quoted(address)}></script>`,
    `<script>navigator.serviceWorker.register(${quoted(address)}).then(() => { window.marker = 2 }, () => {})</script>`,
    `<script>try { new Worker(${quoted(address)}) } catch {}</script>`,
  ];
  await embedding.route(`${world.origin}/holes`, (route) =>
    route.fulfill({ body: `<!doctype html><body>${holes.join('')}`, contentType: 'text/html' }),
  );
  const answers: number[] = [];
  embedding.on('response', (response) => {
    if (response.url() === address) answers.push(response.status());
  });
  await embedding.goto(`${world.origin}/holes`);
  await settle();
  // The session of the person reached the file.
  expect(answers).toContain(200);
  expect(answers).not.toContain(401);
  return embedding;
}

/** The same bytes from a server that believes the file. */
async function openBelieved({ bytes }: HostileFile, { as, type }: ArmedAs): Promise<void> {
  const address = `${world.origin}/believed`;
  const loader = `${world.origin}/loader`;
  const tag =
    as === 'style' ? `<link rel=stylesheet href="${address}">` : `<script src="${address}"></script>`;
  const trial = await context.newPage();
  await trial.route(address, (route) => route.fulfill({ body: bytes, contentType: type }));
  await trial.route(loader, (route) => route.fulfill({ body: `<body>${tag}`, contentType: 'text/html' }));
  await trial.goto(as === 'document' ? address : loader);
  await settle();
  await trial.close();
}

const armed = attachmentCorpus.flatMap((file) =>
  file.armed ? [[file.what, file, file.armed] as const] : [],
);

test.each(armed)('%s runs something if a server believes it', async (_what, file, as) => {
  events.length = 0;
  await openBelieved(file, as);
  expect(events).not.toEqual([]);
});

describe.each(attachmentCorpus.map((file) => [file.what, file] as const))('%s', (_what, file) => {
  test('is sent as a download, or as the image that it is', async () => {
    const address = await attached(file);
    for (const range of [undefined, `bytes=${Math.floor(file.bytes.length / 2)}-`]) {
      const answer = await fetch(address, {
        headers: { authorization: `Bearer ${world.token}`, ...(range === undefined ? {} : { range }) },
      });
      expect(answer.status).toBe(range === undefined ? 200 : 206);
      const disposition = answer.headers.get('content-disposition') ?? '';
      expect({
        type: answer.headers.get('content-type'),
        disposition: disposition.split(';')[0],
        isOneName: /^\w+; filename="[\w.-]+"; filename\*=UTF-8''[\w.!~%-]+$/.test(disposition),
        policy: answer.headers.get('content-security-policy'),
        sniff: answer.headers.get('x-content-type-options'),
      }).toEqual({
        type: file.type,
        disposition: file.type.startsWith('image/') ? 'inline' : 'attachment',
        isOneName: true,
        policy: "default-src 'none'; sandbox; frame-ancestors 'none'",
        sniff: 'nosniff',
      });
      const whole = Buffer.from(await answer.arrayBuffer());
      if (range === undefined) expect(whole.equals(file.bytes)).toBe(true);
    }
  });

  test('runs nothing, opened as a page and within a page of the console', async () => {
    const address = await attached(file);
    events.length = 0;
    await page.evaluate((url) => {
      const link = Object.assign(document.createElement('a'), { href: url, target: '_blank', rel: 'opener' });
      document.body.append(link);
    }, address);
    const [opened, answer] = await Promise.all([
      context.waitForEvent('page'),
      context.waitForEvent('response', (response) => response.url() === address),
      page.evaluate(() => document.querySelector<HTMLAnchorElement>('body > a:last-child')?.click()),
    ]);
    expect(answer.status()).toBe(200);
    await settle();
    // A download leaves the new window empty, or closes it.
    if (file.type.startsWith('image/'))
      expect(await opened.evaluate(() => document.contentType)).toBe(file.type);
    else expect(opened.url()).not.toBe(address);
    await opened.close();
    const embedding = await embed(address);
    const state = await embedding.evaluate(() => ({
      marker: 'marker' in globalThis,
      background: getComputedStyle(document.documentElement).backgroundColor,
    }));
    await embedding.close();
    expect(state).toEqual({ marker: false, background: 'rgba(0, 0, 0, 0)' });
    expect(await page.evaluate(() => 'marker' in globalThis)).toBe(false);
    expect(events).toEqual([]);
  });
});

test('without a session nobody reads one', async () => {
  for (const address of addresses.values()) expect((await fetch(address)).status).toBe(401);
});
