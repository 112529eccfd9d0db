import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { newPerson, nextFrames, openChromium, type Person } from './browser.ts';
import { exampleIds, openPage, pages, type Ids } from './every-pages.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

let browser: Browser;
let world: ConsoleWorld;
let ids: Ids;
beforeAll(async () => {
  browser = await openChromium();
  world = await openWorld(['--dev', '--demo']);
  ids = await exampleIds(world);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const choose = (person: Person, tag: string) =>
  person.context.addInitScript((language) => localStorage.setItem('trivet-language', language), tag);

/** What a person reads on the page: texts and the attributes that are read aloud. Texts that their box does not show whole, or
 * that something else lies over, are cut. */
const readPage = (page: Page, texts: readonly string[] = []) =>
  page.evaluate((known) => {
    const accented = /[áçéíñöšüýÅÇÉÖŠÜ~]/;
    const catalogue = new Set(known);
    const own = { test: (text: string) => (known.length > 0 ? catalogue.has(text) : accented.test(text)) };
    const [foreign, cut] = [new Set<string>(), new Set<string>()];
    const read = (text: string) => {
      if (/[A-Za-z]{2,}/.test(text) && !own.test(text)) foreign.add(text);
    };
    const isCut = (node: Node, from: HTMLElement) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      const inner = range.getBoundingClientRect();
      for (let box: HTMLElement | null = from; box && box !== document.body; box = box.parentElement) {
        if (!['hidden', 'clip'].includes(getComputedStyle(box).overflowX)) continue;
        const outer = box.getBoundingClientRect();
        // What is there for screen readers only is one pixel wide.
        return inner.width > 0 && outer.width > 1 && inner.right > outer.right + 1;
      }
      return false;
    };
    /** Whether another element lies over the end of a text. A scrolled table has columns over others, and a hint of a key lets clicks through. */
    const isCovered = (node: Node, from: HTMLElement) => {
      if (
        from.closest('td, th, kbd, svg') ||
        !from.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      )
        return false;
      const range = document.createRange();
      range.selectNodeContents(node);
      const { right, top, bottom, width } = range.getBoundingClientRect();
      const [x, y] = [right - 2, (top + bottom) / 2];
      if (width < 3) return false;
      for (let box: HTMLElement | null = from; box; box = box.parentElement) {
        const outer = box.getBoundingClientRect();
        const isInside = x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom;
        if (getComputedStyle(box).overflow !== 'visible' && !isInside) return false;
      }
      const there = document.elementFromPoint(x, y);
      return there !== null && !from.contains(there) && !there.contains(from);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? '';
      const parent = node.parentElement;
      if (!parent || parent.closest('script, style, code, pre, noscript, textarea')) continue;
      read(text);
      if (own.test(text) && (isCut(node, parent) || isCovered(node, parent))) cut.add(text);
    }
    for (const attribute of ['aria-label', 'title', 'placeholder', 'alt'])
      for (const element of document.querySelectorAll(`[${attribute}]`))
        read(element.getAttribute(attribute) ?? '');
    return { foreign: [...foreign], cut: [...cut] };
  }, texts);

/** Texts that are the same in every language: names, examples of what is typed, and what `Intl` and react-aria write. */
const same = [
  /^(?:Trivet|CTA|TOOLTIP|NUDGE_UI|NUDGE_ACTION)$/,
  /^Europe\/Berlin$|^SHOP-12, or https:|^https:\/\/jira\.example|^\{"plan"/,
  /^(?:yesterday|tomorrow|(?:last|next) \w+|in \d+ \w+|\d+ \w+ ago)$/,
  /^\d{1,2} \p{L}+ \d{4}(?:, \d\d:\d\d)?$/u,
  /^Click to start dragging\.$/,
];

describe('the pseudo language, in which each text is longer and has other letters', () => {
  let person: Person;
  let answers = '';
  beforeAll(async () => {
    person = await newPerson(browser, world.origin);
    await choose(person, 'en-XA');
    person.page.on('response', (response) => {
      if ((response.headers()['content-type'] ?? '').includes('json'))
        void response.text().then(
          (text) => (answers += text),
          () => undefined,
        );
    });
    await world.signIn(person);
  }, 60_000);

  test.each(pages.filter(([name]) => name !== 'design'))('%s', async (_, address) => {
    const { page } = person;
    await openPage(person, world, address(ids));
    const { foreign, cut } = await readPage(page);
    const isRecord = (text: string) =>
      text
        // A name may be told from others of its kind by the time, which Intl writes.
        .replace(/, \d{1,2} \p{L}+ \d{4}, \d\d:\d\d$/u, '')
        .split(/ > | · |, |^· |^▶ | [<>]= | \(\d+\)/)
        .every((part) => answers.includes(JSON.stringify(part).slice(1, -1)));
    const notInTheCatalogue = () =>
      foreign.filter((text) => !isRecord(text) && !same.some((one) => one.test(text)));
    // The page may show an answer before this test has read it.
    for (let tries = 0; tries < 20 && notInTheCatalogue().length > 0; tries++) await Bun.sleep(50);
    expect({ notInTheCatalogue: notInTheCatalogue(), cut }).toEqual({ notInTheCatalogue: [], cut: [] });
    await page.setViewportSize({ width: 360, height: 740 });
    await nextFrames(page);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(sideways).toBe(0);
    person.expectNoComplaint();
  });
});

describe('German', () => {
  let german: Person;
  let germanTexts: ReadonlySet<string>;
  const limits = [
    { value: 1, unit: 'days', words: '2 je Tag' },
    { value: 7, unit: 'days', words: '2 je 7 Tage' },
    { value: 1, unit: 'hours', words: '2 je Stunde' },
  ];
  beforeAll(async () => {
    for (const { words, ...window } of limits)
      await world.must('create-behaviour-tag', {
        behaviourTagName: words,
        exposureRule: { window: { limit: 2, ...window } },
      });
    german = await newPerson(browser, world.origin, { locale: 'de-DE' });
    await world.signIn(german);
    const texts: Record<string, unknown> = await Bun.file(
      join(import.meta.dir, '..', '..', 'modules', 'console', 'app', 'texts', 'de.json'),
    ).json();
    germanTexts = new Set(Object.values(texts).filter((text) => typeof text === 'string'));
  }, 60_000);

  test.each(pages.filter(([name]) => name !== 'design'))('%s shows nothing cut', async (_, address) => {
    const { page } = german;
    await openPage(german, world, address(ids));
    expect((await readPage(page, [...germanTexts])).cut).toEqual([]);
  });

  test('a limit of a behaviour tag is a German sentence', async () => {
    const { page } = german;
    await openPage(german, world, 'behaviour-tags');
    for (const { words } of limits) {
      const row = page.getByRole('row', { name: words });
      expect(await row.getByRole('cell').nth(1).innerText()).toBe(words);
    }
  });

  /** @see "alle CTAs des Mandanten default verbergen?": in German, what is hidden comes first. */
  test('the question of the kill switch, and its way back, begin with a capital', async () => {
    const { page } = german;
    const begins = (text: string | null | undefined) => expect(text).toMatch(/^\p{Lu}/u);
    await openPage(german, world, 'ctas');
    await page.getByRole('button', { name: 'Notschalter…' }).click();
    const dialog = page.getByRole('dialog');
    begins(await dialog.getByRole('heading').textContent());
    await dialog.getByRole('button', { name: 'CTAs verbergen' }).click();
    const back = page.getByRole('button', { name: /alle CTAs/ });
    begins(await back.textContent());
    await back.click();
    begins(await dialog.getByRole('heading').textContent());
    await dialog.getByRole('button', { name: 'CTAs zeigen' }).click();
    await back.waitFor({ state: 'detached' });
  });

  test('a role is a German word: of a member, in an invitation, in the audit log', async () => {
    const { page } = german;
    await openPage(german, world, 'people');
    const members = page.getByRole('region', { name: /^Mitglieder von/ });
    const rolesIn = async () => [
      ...new Set(await members.locator('tbody td:nth-child(3)').allTextContents()),
    ];
    expect((await rolesIn()).toSorted()).toEqual(['Administrator', 'Leser', 'Mitglied']);
    await openPage(german, world, 'audit?event=role_changed');
    const log = page.getByRole('region', { name: 'Audit-Protokoll' });
    await log.getByText('Administrator', { exact: true }).first().waitFor();
    expect(await log.getByText(/^(?:admin|member|reader)$/).count()).toBe(0);
    await world.must('invite-user', { orgId: 1, role: 'reader' });
    await openPage(german, world, 'people?tab=invitations');
    await page.getByRole('cell', { name: 'Leser', exact: true }).waitFor();
    german.expectNoComplaint();
  });

  test('what remains of a person who was erased is told in German', async () => {
    const { page } = german;
    await world.member('leaver@example.org');
    await openPage(german, world, 'people');
    // Who joined since is read with the page.
    await page.reload();
    await page.getByRole('button', { name: 'Aktionen für leaver@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Nutzer löschen…' }).click();
    const asked = page.getByRole('textbox', { name: /^Geben Sie zur Bestätigung die Nutzer-Id/ });
    await asked.fill(
      /\d+$|\d+(?= ein)/.exec(await page.locator('[role=dialog] label').innerText())?.[0] ?? '',
    );
    await page.keyboard.press('Enter');
    await page.getByText('Was bleibt:').waitFor();
    await page.getByText(/^Die Id in Einträgen, .* bis sie gelöscht werden\.$/).waitFor();
    await page.locator('[role=dialog] .row.end button').click();
    german.expectNoComplaint();
  });

  test.each(['people', 'audit', 'sessions'])(
    'in a window of 1024 pixels the last column of %s is whole, and its buttons can be reached',
    async (address) => {
      const { page } = german;
      await page.setViewportSize({ width: 1024, height: 768 });
      await openPage(german, world, address);
      const cut = await page.locator('.table-frame').evaluateAll((frames) =>
        frames.flatMap((frame) => {
          const { right } = frame.getBoundingClientRect();
          return [...frame.querySelectorAll('td:last-child, td:last-child button')]
            .filter((one) => one.getBoundingClientRect().right > right + 1)
            .map((one) => one.textContent);
        }),
      );
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(cut).toEqual([]);
    },
  );

  test.each([
    ['projects/1/settings', 'aktiv'],
    ['settings', 'Vorgabe'],
    ['ctas', 'Zeitplan'],
  ])(
    'no word of a record is shown as it is stored, nor a head as if it were a button: %s',
    async (address, word) => {
      await openPage(german, world, address);
      const { page } = german;
      await page.locator('main').getByText(word, { exact: true }).first().waitFor();
      expect(
        await page
          .locator('main')
          .getByText(/^(?:active|default|not set)$/)
          .count(),
      ).toBe(0);
    },
  );

  test('what is proposed, and what others said of it, is German', async () => {
    const { page } = german;
    const created = await world.must('propose-test-change', { projectId: 1, set: { testName: 'Brand new' } });
    await world.must('propose-test-change', { projectId: 1, testId: 7, delete: true });
    await openPage(german, world, 'projects/1/reviews');
    await page.getByRole('cell', { name: 'Test löschen', exact: true }).waitFor();
    await openPage(german, world, `projects/1/reviews/${String(created['reviewId'])}`);
    await page.getByText('schlägt vor: Test anlegen').waitFor();
    await page.getByRole('button', { name: 'Genehmigen' }).click();
    await page.getByText('hat zugestimmt').waitFor();
    german.expectNoComplaint();
  });

  test('what changed in a project is named by the labels of the forms', async () => {
    await world.must('update-test', { testId: 12, testName: 'Renamed', estimateSeconds: 95 });
    await openPage(german, world, 'audit?project=1');
    await german.page.getByRole('cell', { name: 'Name, Schätzung in Sekunden' }).waitFor();
    german.expectNoComplaint();
  });

  test('quotation marks, and what a chart is called for those who hear it, are German', async () => {
    const { page } = german;
    await openPage(german, world, 'projects/1/insights');
    await page.getByRole('img', { name: /^Erfolgsquote je Tag: / }).waitFor();
    await openPage(german, world, 'ctas/1?tab=experiment');
    await page.getByText('„free-delivery“').first().waitFor();
    german.expectNoComplaint();
  });

  test('the tags of a call to action cover none of its figures', async () => {
    const { page } = german;
    await openPage(german, world, 'ctas');
    const overlaps = await page.locator('.table tbody tr').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const cells = [...row.children].map((cell) => cell.getBoundingClientRect());
        return cells.filter(({ left }, at) => at > 0 && left < (cells[at - 1]?.right ?? 0) - 1);
      }),
    );
    expect(overlaps).toEqual([]);
  });

  test('is shown to a German browser, with its numbers, and can be chosen and left', async () => {
    const person = await newPerson(browser, world.origin, { locale: 'de-DE' });
    const { page } = person;
    await world.signIn(person);
    await page.goto(`${world.origin}/console/projects/1/tests`);
    await page.getByRole('link', { name: 'Meilensteine' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
    await page.getByRole('link', { name: 'Auswertungen' }).click();
    await page.getByText('Von allen 300 Tests').waitFor();
    await person.expectAccessible();
    await page.getByRole('button', { name: 'Konto und Befehle' }).click();
    await page.getByRole('menuitem', { name: 'Darstellung' }).click();
    await page.getByRole('button', { name: /Sprache/ }).click();
    await page.getByRole('option', { name: 'English' }).click();
    await page.getByRole('link', { name: 'Milestones' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Milestones' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
    person.expectNoComplaint();
  });

  test('a refusal of the server and an amount are German sentences', async () => {
    const person = await newPerson(browser, world.origin, { locale: 'de-DE' });
    const { page } = person;
    await world.signIn(person);
    await page.goto(`${world.origin}/console/projects/1/tests/99999999`);
    await page.getByText('Er wurde vielleicht gelöscht').first().waitFor();
    await page.goto(`${world.origin}/console/projects/1/tests`);
    await page.getByText('300 Tests').first().waitFor();
    person.expectNoComplaint('404');
  });
});
