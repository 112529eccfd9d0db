import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { newPerson, nextFrames, openChromium, type Person } from './browser.ts';
import { exampleIds, openPage, pages, type Ids } from './every-pages.ts';
import { writeHostileData } from './hostile-data.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * Checks every page, with the data of the example and with hostile data: one h1, no complaint of the browser, no finding of axe in either
 * scheme, and no sideways scroll on a telephone. `TRIVET_WRITE_SCREENSHOTS=1` writes docs/screenshots.
 */

const screenshots =
  process.env['TRIVET_WRITE_SCREENSHOTS'] === '1'
    ? join(import.meta.dir, '..', '..', 'docs', 'screenshots')
    : undefined;

let browser: Browser;
beforeAll(async () => {
  browser = await openChromium();
  if (screenshots !== undefined) mkdirSync(screenshots, { recursive: true });
}, 60_000);
afterAll(() => browser.close());

const worlds: ReadonlyArray<readonly [string, readonly string[], (world: ConsoleWorld) => Promise<Ids>]> = [
  ['the example', ['--dev', '--demo'], exampleIds],
  ['hostile data', ['--dev'], writeHostileData],
];

/** In a page: texts that end beyond the edge of the window, besides what scrolls or says that it is cut, and columns after the first. */
function textsCutOff(): readonly string[] {
  const isReached = (from: Element): boolean => {
    for (let one: Element | null = from; one !== null; one = one.parentElement) {
      const { overflowX, textOverflow, position } = getComputedStyle(one);
      if (position === 'absolute' && one.getBoundingClientRect().width <= 2) return true;
      if (textOverflow === 'ellipsis' && overflowX !== 'visible') return true;
      const isTable = one.classList.contains('table-frame');
      if (isTable) return from.closest('td')?.previousElementSibling !== null;
      if (one.tagName !== 'MAIN' && (overflowX === 'auto' || overflowX === 'scroll')) return true;
    }
    return false;
  };
  const walker = document.createTreeWalker(
    document.querySelector('main') ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  const found: string[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const right = Math.max(0, ...[...range.getClientRects()].map((rect) => rect.right));
    if (right > innerWidth && node.parentElement && !isReached(node.parentElement))
      found.push(`${node.parentElement.className}: ${node.textContent}`);
  }
  return found.slice(0, 3);
}

describe.each(worlds)('%s', (name, args, fill) => {
  let world: ConsoleWorld;
  let ids: Ids;
  let person: Person;
  const dialogs: string[] = [];
  /** No page may show a tool name. */
  let toolNames: readonly string[];
  beforeAll(async () => {
    world = await openWorld(args);
    ids = await fill(world);
    const listed = await fetch(`${world.origin}/api/tools`, {
      headers: { authorization: `Bearer ${world.token}` },
    });
    const { tools } = (await listed.json()) as { readonly tools: ReadonlyArray<{ readonly name: string }> };
    toolNames = tools.map(({ name: tool }) => tool);
    expect(toolNames.length).toBeGreaterThan(90);
    person = await newPerson(browser, world.origin);
    person.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await world.signIn(person);
  }, 120_000);
  afterAll(() => world.stop());

  test.each(pages)('%s', async (picture, address) => {
    const { page } = person;
    await openPage(person, world, address(ids));
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.title()).toEndWith('– Trivet');
    if (name === 'the example') await person.expectAccessible();
    if (name === 'the example') {
      // Numbers are aligned with their column head, and all rows with one line have the same height.
      const tables = await page.evaluate(() =>
        [...document.querySelectorAll('table.table')].flatMap((table) => {
          const heads = [...table.querySelectorAll('thead th')];
          const aligned = [...table.querySelectorAll('tbody tr:not(.table-detail)')].flatMap((row) =>
            [...row.children].flatMap((cell, index) => {
              const head = heads[index];
              if (!head || cell.classList.contains('number') === head.classList.contains('number')) return [];
              return [`${head.textContent}: ${cell.textContent}`];
            }),
          );
          const low = [...table.querySelectorAll('tr')]
            .map((row) => Math.round(row.getBoundingClientRect().height))
            .filter((height) => height < 32);
          return [...aligned.slice(0, 3), ...low.slice(0, 3)];
        }),
      );
      expect(tables).toEqual([]);
      const text = await page.evaluate(() => document.body.innerText);
      expect(toolNames.filter((tool) => new RegExp(`(?<![\\w-])${tool}(?![\\w-])`).test(text))).toEqual([]);
    }
    if (screenshots !== undefined && name === 'the example')
      await page.screenshot({ path: join(screenshots, `${picture}.png`) });
    await page.setViewportSize({ width: 360, height: 740 });
    try {
      await nextFrames(page);
      const sideways = await page.evaluate(() => {
        const main = document.querySelector('main');
        const inMain = main === null ? 0 : main.scrollWidth - main.clientWidth;
        return { window: document.documentElement.scrollWidth - innerWidth, inMain };
      });
      expect(sideways).toEqual({ window: 0, inMain: 0 });
      expect(await page.evaluate(textsCutOff)).toEqual([]);
    } finally {
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    person.expectNoComplaint();
    expect(dialogs).toEqual([]);
  });
});
