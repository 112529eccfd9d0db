import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Locator } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* High contrast of Windows (`forced-colors`) drops every filled surface: what is ticked, chosen, pressed and counted is seen all the same. */

let browser: Browser;
let world: ConsoleWorld;
let sven: Person;

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  sven = await newPerson(browser, world.origin);
  await sven.page.emulateMedia({ forcedColors: 'active' });
  await world.signIn(sven, '/console/projects/1/tests', 'sven.lindqvist@shop.example');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const styleOf = (of: Locator, names: readonly string[], pseudo?: string) =>
  of.evaluate(
    (element, [wanted, part]) => {
      const style = getComputedStyle(element, part);
      return wanted.map((name) => style.getPropertyValue(name)).join('; ');
    },
    [names, pseudo] as const,
  );

test('a box is ticked or empty', async () => {
  const { page } = sven;
  const boxes = page.locator('.select-box input');
  await boxes.first().click();
  await page.getByText('1 selected').waitFor();
  expect(await styleOf(boxes.first(), ['appearance'])).toBe('auto');
  const all = page.locator('.bulk .check').first();
  const mark = all.locator('.check-box > *');
  const box = all.locator('.check-box');
  expect(await styleOf(mark, ['visibility'])).toBe('hidden');
  const [edge, within] = (await styleOf(box, ['border-top-color', 'background-color'])).split('; ');
  expect(edge).not.toBe(within);
  const empty = await styleOf(box, ['background-color', 'color']);
  await all.click();
  await page.locator('.bulk .check[data-selected] .check-box > *').waitFor();
  expect(await styleOf(box, ['background-color', 'color'])).not.toBe(empty);
  const [fill, ink] = (await styleOf(box, ['background-color', 'color'])).split('; ');
  expect(fill).not.toBe(ink);
});

test('a run: the counts have their words, one tab, one status and one row are marked, and bars have colours', async () => {
  const { page } = sven;
  await page.goto(`${world.origin}/console/projects/1/runs/50`);
  await page.getByRole('grid', { name: 'Tests of the run' }).waitFor();
  await page.locator('.status-button').first().waitFor();
  for (const word of await page.locator('.run-count-word').all())
    expect((await word.boundingBox())?.width).toBeGreaterThan(20);
  const dots = await Promise.all(
    (await page.locator('.run-counts button').all()).map((button) =>
      styleOf(button, ['background-color'], '::before'),
    ),
  );
  expect(new Set(dots).size).toBe(5);
  const tab = ['border-bottom-width', 'border-bottom-color'];
  const chosen = await styleOf(page.locator('.tab[data-selected]').first(), tab);
  expect(chosen).not.toBe(await styleOf(page.locator('.tab:not([data-selected])').first(), tab));
  const pressed = page.locator('.status-button[aria-pressed="true"]');
  expect(await styleOf(pressed, ['background-color'])).not.toBe(
    await styleOf(page.locator('.status-button[aria-pressed="false"]').first(), ['background-color']),
  );
  expect(await styleOf(page.locator('.grid-row[aria-current="true"]'), ['outline-style'])).toBe('solid');
  expect(await styleOf(page.locator('.grid-row:not([aria-current])').first(), ['outline-style'])).toBe(
    'none',
  );
  const [passed, failed] = await Promise.all(
    ['passed', 'failed'].map((one) =>
      styleOf(page.locator(`.run-head .bar > .of-${one}`), ['background-color']),
    ),
  );
  expect(passed).not.toBe(failed);
  const strip = page.locator('.result-strip a').first();
  expect(await styleOf(strip, ['background-color'], '::before')).not.toBe(
    await styleOf(strip, ['background-color']),
  );
});

test('the overview: the bars of the trend are seen', async () => {
  const { page } = sven;
  await page.goto(`${world.origin}/console/projects/1/overview`);
  const bar = page.locator('.trend-bar').first();
  await bar.waitFor();
  expect(await styleOf(bar, ['background-color'])).not.toBe(
    await styleOf(page.locator('body'), ['background-color']),
  );
  sven.expectNoComplaint();
});
