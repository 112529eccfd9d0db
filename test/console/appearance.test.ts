import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { newPerson, nextFrames, openChromium } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * How the console looks: the typeface, the icons, what a person chooses, and the page of all components compared with stored pictures.
 * `TRIVET_WRITE_SCREENSHOTS=1` stores them again.
 */

let browser: Browser;
let world: ConsoleWorld;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const pictures = join(import.meta.dir, 'pictures');
const isWriting = process.env['TRIVET_WRITE_SCREENSHOTS'] === '1';

/** The share of pixels that differ by more than antialiasing does. They are compared by the browser, which reads pictures anyway. */
const differing = (page: Page, before: Buffer, now: Buffer): Promise<number> =>
  page.evaluate(
    async ([a, b]) => {
      const pixels = async (data: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        if (!context) throw new Error('no canvas');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [one, other] = await Promise.all([pixels(a), pixels(b)]);
      if (one.width !== other.width || Math.abs(one.height - other.height) > 2) return 1;
      const length = Math.min(one.data.length, other.data.length);
      let count = 0;
      for (let at = 0; at < length; at += 4) {
        const distance = [0, 1, 2].reduce(
          (sum, channel) => sum + Math.abs((one.data[at + channel] ?? 0) - (other.data[at + channel] ?? 0)),
          0,
        );
        if (distance > 120) count++;
      }
      return (count * 4) / length;
    },
    [before.toString('base64'), now.toString('base64')] as const,
  );

test.each([1440, 768, 390])(
  'every component looks as in the stored picture, in both schemes, %p wide',
  async (width) => {
    const person = await newPerson(browser, world.origin, { width, height: 900 });
    const { page } = person;
    await world.signIn(person, '/console/design');
    await page.getByRole('heading', { level: 1, name: 'Design system' }).waitFor();
    // What draws Markdown is loaded later, once in each scheme.
    await page.locator('main .markdown code').nth(1).waitFor();
    await page.evaluate(async () => {
      await document.fonts.ready;
      // The typeface of code is that of the system, and the skeletons breathe.
      for (const one of document.querySelectorAll<HTMLElement>('code, kbd, .mono, .skeleton, .copy-field'))
        one.style.visibility = 'hidden';
      // The page scrolls in a part of it: all of it is to be seen.
      for (const one of document.querySelectorAll<HTMLElement>('html, body, #root, .shell, .main')) {
        one.style.height = 'auto';
        one.style.overflow = 'visible';
      }
    });
    await nextFrames(page);
    const now = await page.locator('main').screenshot({ animations: 'disabled' });
    const file = join(pictures, `design-${width}.png`);
    if (isWriting || !existsSync(file)) {
      mkdirSync(pictures, { recursive: true });
      writeFileSync(file, now);
    }
    const empty = await person.context.newPage();
    const share = await differing(empty, readFileSync(file), now);
    // Where it differs, the new picture stands beside the old one.
    if (share > 0.003) writeFileSync(join(pictures, `design-${width}.new.png`), now);
    expect(share).toBeLessThanOrEqual(0.003);
    await person.context.close();
  },
);

test('the typeface is that of the executable, also for languages of Europe', async () => {
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  await world.signIn(person, '/console/');
  const loaded = await page.evaluate(async () => {
    const texts = ['Test', 'Łódź ğŞő', 'Ελληνικά', 'Проверка'];
    const fonts = await Promise.all(texts.map((text) => document.fonts.load('14px Inter', text)));
    return { loaded: fonts.map((all) => all.length), family: getComputedStyle(document.body).fontFamily };
  });
  expect(loaded).toEqual({ loaded: [1, 2, 1, 1], family: expect.stringMatching(/^Inter\b/) });
  const bytes = await page.evaluate(async () => {
    const names = performance.getEntriesByType('resource').map(({ name }) => name);
    const files = names.filter((name) => name.endsWith('.woff2'));
    const sizes = await Promise.all(
      files.map(async (file) => (await (await fetch(file)).arrayBuffer()).byteLength),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  });
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(110_000);
  person.expectNoComplaint();
  await person.context.close();
});

test('colours, rows and the navigation are as the person chose, also after the page is loaded again', async () => {
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  await world.signIn(person, '/console/projects/1/tests');
  const row = page.locator('[data-test-id]').first();
  await row.waitFor();
  const looks = () =>
    page.evaluate(() => ({
      row: document.querySelector('[data-test-id]')?.getBoundingClientRect().height,
      side: document.querySelector('.side')?.getBoundingClientRect().width,
      surface: getComputedStyle(document.body).backgroundColor,
    }));
  expect(await looks()).toEqual({ row: 32, side: 220, surface: 'rgb(255, 255, 255)' });
  await page.getByRole('button', { name: /account and commands/ }).click();
  await page.getByRole('menuitem', { name: 'Appearance' }).click();
  const choose = async (label: RegExp, option: string) => {
    await page.getByRole('dialog').getByRole('button', { name: label }).click();
    await page.getByRole('option', { name: option }).click();
  };
  await choose(/Colours/, 'Dark');
  await choose(/Rows of tables/, 'Comfortable');
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Show icons only' }).click();
  const chosen = { row: 40, side: 56, surface: 'rgb(20, 23, 28)' };
  await nextFrames(page);
  // For who wants less motion, colours change at once: a transition of each element computes all styles three times.
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((one) => getComputedStyle(one).transitionDuration !== '0s')
        .length,
  );
  expect(moving).toBe(0);
  expect(await looks()).toEqual(chosen);
  await page.reload();
  await row.waitFor();
  expect(await looks()).toEqual(chosen);
  // An icon alone has its name.
  await page.getByRole('link', { name: 'Milestones' }).click();
  await page.getByRole('heading', { level: 1, name: 'Milestones' }).waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Show the names of the pages' }).click();
  person.expectNoComplaint();
  await person.context.close();
});

test('the project is chosen above the navigation, and stays in every area', async () => {
  const { projectId } = await world.must('create-project', { orgId: 1, projectName: 'Warehouse' });
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  await world.signIn(person, '/console/projects/1/runs');
  await page.getByRole('button', { name: 'Online shop, choose another project' }).click();
  await page.getByRole('menuitem', { name: 'Warehouse' }).click();
  // At the same page of the other project.
  await page.waitForURL(`**/console/projects/${projectId}/runs`);
  const switcher = page.getByRole('button', { name: 'Warehouse, choose another project' });
  await switcher.waitFor();
  await page.getByRole('link', { name: 'Cohorts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Cohorts' }).waitFor();
  await switcher.waitFor();
  await page.getByRole('link', { name: 'Insights' }).waitFor();
  await page.goto(`${world.origin}/console/people`);
  await switcher.waitFor();
  person.expectNoComplaint();
  await person.context.close();
});

test('no button is a glyph alone', async () => {
  const person = await newPerson(browser, world.origin);
  const { page } = person;
  await world.signIn(person);
  for (const path of ['projects/1/tests/4', 'projects/1/runs', 'ctas', 'projects/1/settings', 'design']) {
    await page.goto(`${world.origin}/console/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await nextFrames(page);
    const glyphs = await page.evaluate(() =>
      [...document.querySelectorAll('button, [role=button]')]
        .map((button) => (button.textContent ?? '').trim())
        .filter((text) => text !== '' && !/[\p{L}\p{N}]/u.test(text)),
    );
    expect([path, glyphs]).toEqual([path, []]);
  }
  await person.context.close();
});
