import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { CaseResult, playCases, PublishedCase } from '../sdk/case-runner.ts';
import { expectAsPublished, runnerScript } from '../sdk/runner-script.ts';
import { root } from '../imports.ts';
import { openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* The app SDK as the executable serves it, in a page of another origin without a bundler. Other engines: test/sdk/engines.test.ts. */
declare const window: Window & { readonly runner: { readonly playCases: typeof playCases } };

let browser: Browser;
let world: ConsoleWorld;
let page: Page;
/** The app's own server: another origin. */
const app = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    new Response('<!doctype html><title>An app</title>', { headers: { 'content-type': 'text/html' } }),
});
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  page = await browser.newPage();
  await page.goto(app.url.href);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await Promise.all([world.stop(), app.stop(true)]);
});

const textOf = async (path: string) => (await fetch(`${world.origin}${path}`)).text();

/** @returns whether the browser runs the script with this integrity. */
const loads = (integrity: string) =>
  page.evaluate(
    ([src, expected]) =>
      new Promise<boolean>((resolve) => {
        const script = document.createElement('script');
        Object.assign(script, { type: 'module', crossOrigin: 'anonymous', src, integrity: expected });
        script.addEventListener('load', () => resolve(true));
        script.addEventListener('error', () => resolve(false));
        document.head.append(script);
      }),
    [`${world.origin}/sdk/trivet.js?${integrity.length}`, integrity] as const,
  );

test('the executable serves what is in the package, and a page checks its integrity', async () => {
  expect(await textOf('/sdk/trivet.js')).toBe(
    await Bun.file(join(root, 'sdk', 'dist', 'trivet.min.js')).text(),
  );
  const integrity = (await textOf('/sdk/trivet.js.sri')).trim();
  expect(await loads(integrity)).toBe(true);
  expect(await loads(`sha384-${'A'.repeat(64)} `)).toBe(false);
});

test('it plays the cases that the page fetches from the server', async () => {
  await page.addScriptTag({ content: await runnerScript() });
  const results = await page.evaluate(async (origin) => {
    const { createTrivet } = (await import(`${origin}/sdk/trivet.js`)) as {
      createTrivet: Parameters<typeof playCases>[0];
    };
    const { cases } = (await (await fetch(`${origin}/sdk/cases.json`)).json()) as {
      cases: readonly PublishedCase[];
    };
    return window.runner.playCases(createTrivet, cases);
  }, world.origin);
  expectAsPublished(results as readonly CaseResult[]);
}, 60_000);
