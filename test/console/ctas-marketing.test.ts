import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { localText } from '../../modules/console/app/pages/rule-editor/cta-words.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* CTAs for whoever knows no JSON: figures in the list, names for states, a template in fields beside a phone, durations, a schedule. */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  person = await newPerson(browser, world.origin, { width: 1440, height: 900 });
  await world.signIn(person, '/console/ctas');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('the list says how many users are eligible, saw it, acted and converted', async () => {
  const { page } = person;
  const row = page.getByRole('row', { name: /Welcome voucher/ });
  await row
    .getByText(/^\d+ \(\d+ %\)$/)
    .first()
    .waitFor();
  const heads = await page
    .getByRole('region', { name: 'CTAs', exact: true })
    .getByRole('columnheader')
    .allInnerTexts();
  expect(heads).toEqual(expect.arrayContaining(['Eligible', 'Saw', 'Clicked', 'Acted', 'Converted']));
  const { users, goals } = (await world.must('get-cta-metrics', { ctaId: '1' })) as {
    users: { saw: number; clicked: number; acted: number };
    goals: Array<{ conversions: number }>;
  };
  const text = (await row.innerText()).replaceAll(',', '');
  for (const figure of [users.saw, users.clicked, users.acted, goals[0]?.conversions ?? 0])
    expect(text).toMatch(new RegExp(`\\b${figure}\\b`));
  // A draft reached nobody.
  expect(await page.getByRole('row', { name: /Try the new checkout/ }).innerText()).toContain('–');
  await person.expectAccessible();
  person.expectNoComplaint();
});

/** @see It did not say which CTAs it hides: of a behaviour tag nobody knows them by heart. */
test('the kill switch is in sight on the list and on the page of a CTA, and names what is live', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Kill switch…' }).waitFor();
  await page.getByRole('link', { name: 'Welcome voucher' }).click();
  await page.getByRole('button', { name: 'Kill switch…' }).click();
  const all = page.getByRole('dialog', { name: 'Hide all CTAs of tenant default?' });
  await all.getByText(/^3 CTAs are live now: .*Forgotten cart/).waitFor();
  await all.getByRole('button', { name: /Which CTAs/ }).click();
  await page.getByRole('option', { name: 'Under the behaviour tag cart-nudges' }).click();
  const { ctas } = await world.must('list-ctas', { status: 'LIVE', behaviourTagName: 'cart-nudges' });
  const names = (ctas as Array<{ name: string }>).map(({ name }) => name).join(', ');
  await page.getByRole('dialog').getByText(`live now: ${names}`).waitFor();
  await person.expectAccessible();
  await page.keyboard.press('Escape');
});

test('states have names in the form, the drawing and the funnel', async () => {
  const { page } = person;
  const tab = (name: string) =>
    page.getByRole('tablist', { name: 'About the CTA' }).getByRole('tab', { name }).click();
  await tab('Diagram');
  await page.getByRole('button', { name: /^State 0: Start/ }).waitFor();
  const shows = page.getByRole('button', { name: /^State \d: Shows “/ }).first();
  await page
    .getByText(/^[\d,]+ users$/)
    .first()
    .waitFor();
  await shows.click();
  await page.getByRole('heading', { level: 2, name: /^State \d: Shows “/ }).waitFor();
  await tab('Figures');
  await page
    .getByRole('region', { name: 'Users per state' })
    .getByText(/^Shows “/)
    .first()
    .waitFor();
  await tab('Editor');
  await page
    .getByText(/^Shows “/)
    .first()
    .waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('a template is written in fields beside a phone, a delay as "2 h", and the JSON is a tab', async () => {
  const { page } = person;
  const made = await world.must('create-cta', {
    name: 'Spring',
    rule: {
      stateTransition: { home_opened: { '0': [{ transitionTo: '1' }] } },
      stateToAction: { '1': 'show' },
      actions: [
        { actionId: 'show', type: 'POPUP', template: { headline: 'Old', cta: { label: 'Go', link: '/x' } } },
      ],
    },
  });
  await page.goto(`${world.origin}/console/ctas/${String(made['ctaId'])}`);
  const phone = page.getByRole('region', { name: 'Preview in a phone' });
  await phone.getByText('Old').waitFor();
  await page.getByLabel('Title', { exact: true }).fill('Spring sale');
  await phone.getByText('Spring sale').waitFor();
  await page.getByLabel('Text', { exact: true }).fill('All is half');
  await page.getByLabel('Button', { exact: true }).fill('Look');
  await page.getByLabel('Picture', { exact: true }).fill('https://shop.example/spring.png');
  for (const text of ['All is half', 'Look', 'https://shop.example/spring.png'])
    await phone.getByText(text, { exact: true }).waitFor();
  const delay = page.getByLabel('Delay', { exact: true });
  await delay.fill('2');
  await page.getByText('Write a number and its unit, e.g. 2 h or 1 d 12 h.').waitFor();
  await delay.fill('2 hours');
  await page.getByLabel('Life of a state machine').fill('30 d');
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText('Version 2 was saved.').waitFor();
  expect(await world.must('get-cta', { ctaId: String(made['ctaId']) })).toMatchObject({
    rule: {
      stateMachineTTL: 30 * 86_400_000,
      actions: [
        {
          config: { triggerDelay: 7_200_000 },
          // What the app calls its parts, and what the fields do not know, stays.
          template: {
            headline: 'Spring sale',
            text: 'All is half',
            cta: { label: 'Look', link: '/x' },
            image: 'https://shop.example/spring.png',
          },
        },
      ],
    },
  });
  await page.reload();
  expect(await page.getByLabel('Delay', { exact: true }).inputValue()).toBe('2 h');
  expect(await page.getByLabel('Life of a state machine').inputValue()).toBe('30 d');
  await page.getByRole('tablist', { name: 'Template' }).getByRole('tab', { name: 'JSON' }).click();
  const json = page.getByRole('textbox', { name: 'Template' });
  expect(JSON.parse(await json.inputValue())).toMatchObject({ headline: 'Spring sale' });
  await json.fill('{"title": "From JSON"}');
  await phone.getByText('From JSON').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  person.expectNoComplaint();
});

test('Schedule asks for the date', async () => {
  const { page } = person;
  const ctaId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule: Spring' });
  const schedule = dialog.getByRole('button', { name: 'Schedule' });
  expect(await schedule.isDisabled()).toBe(true);
  await dialog.getByLabel('Start').fill('2020-01-01T08:00');
  await dialog.getByText('Choose a time that is still to come.').waitFor();
  const start = Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 86_400_000;
  await dialog.getByLabel('Start').fill(localText(start));
  await dialog.getByLabel('End').fill(localText(start - 3_600_000));
  await dialog.getByText('Choose a time after the start.').waitFor();
  await person.expectAccessible();
  await dialog.getByLabel('End').fill('');
  await schedule.click();
  await dialog.waitFor({ state: 'detached' });
  expect(await world.must('get-cta', { ctaId })).toMatchObject({
    status: 'SCHEDULED',
    startTime: start,
    endTime: null,
  });
  await page.getByText('Starts', { exact: false }).first().waitFor();
  person.expectNoComplaint();
});

/** @see The end became 23:59:00, and the CTA had another version. */
test('Schedule keeps the seconds of an end that nobody changed', async () => {
  const { page } = person;
  const ctaId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await world.must('set-cta-status', { ctaId, status: 'DRAFT' });
  const { version, startTime } = await world.must('get-cta', { ctaId });
  const endTime = Math.floor(Number(startTime) / 60_000) * 60_000 + 7 * 86_400_000 + 59_999;
  await world.must('update-cta', { ctaId, version, endTime });
  await page.reload();
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule: Spring' });
  await dialog.getByRole('button', { name: 'Schedule' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await world.must('get-cta', { ctaId })).toMatchObject({
    status: 'SCHEDULED',
    version: Number(version) + 1,
    endTime,
  });
  person.expectNoComplaint();
});

/** @see The field became empty with the first digit, so the CTA was saved without an end. */
test('the year of an end can be typed over in the editor', async () => {
  const { page } = person;
  const { ctaId } = (await world.must('clone-cta', { ctaId: '8', name: 'Next year' })) as { ctaId: string };
  const { version } = await world.must('get-cta', { ctaId });
  const year = new Date().getFullYear() + 1;
  const endTime = new Date(year, 4, 10, 9).getTime();
  await world.must('update-cta', { ctaId, version, endTime });
  await page.goto(`${world.origin}/console/ctas/${ctaId}`);
  const end = page.getByLabel('End', { exact: true });
  await end.focus();
  // Past the month and the day.
  for (const key of ['ArrowRight', 'ArrowRight', ...String(year + 1)]) await page.keyboard.press(key);
  expect(await end.inputValue()).toBe(`${year + 1}-05-10T09:00`);
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText(/^Version \d+ was saved/).waitFor();
  const saved = await world.must('get-cta', { ctaId });
  expect(saved['endTime']).toBe(new Date(year + 1, 4, 10, 9).getTime());
  person.expectNoComplaint();
});

/** @see "Version 3 was saved", and the field was empty: a browser reports nothing while a part is missing, and the CTA had no end. */
test('an end without its time is not saved as no end', async () => {
  const { page } = person;
  const end = page.getByLabel('End', { exact: true });
  const { version } = await world.must('get-cta', { ctaId: page.url().split('/').at(-1) ?? '' });
  await end.focus();
  // Past the date, to the hour.
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Backspace']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText('The date or the time was missing. Type both.').waitFor();
  await page.getByText('"End" must be a whole number.').waitFor();
  await end.focus();
  await page.keyboard.type(`0511${new Date().getFullYear() + 1}1100A`);
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText(`Version ${Number(version) + 1} was saved`).waitFor();
  expect(await end.inputValue()).toEndWith('-05-11T11:00');
  person.expectNoComplaint('status of 400');
});

/** @see A browser takes six digits for a year, so those of the hour became part of it, and no date was there at the end. */
test('a date and its time can be typed in one go', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Schedule', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule: Next year' });
  const start = dialog.getByLabel('Start');
  await start.focus();
  const year = new Date().getFullYear() + 1;
  await page.keyboard.type(`0510${year}0900A`);
  expect(await start.inputValue()).toBe(`${year}-05-10T09:00`);
  await page.keyboard.press('Escape');
  person.expectNoComplaint();
});

/** @see A CTA that apps had already stood there as "Scheduled · Starts in 2 minutes", with a button back to a draft. */
test('a CTA whose start comes is live on the page and in the list, without a reload', async () => {
  const { page } = person;
  const list = await person.context.newPage();
  const { ctaId } = (await world.must('clone-cta', { ctaId: '8', name: 'Starts soon' })) as { ctaId: string };
  const { version } = await world.must('get-cta', { ctaId });
  const startTime = Date.now() + 6_000;
  await world.must('update-cta', { ctaId, version, startTime, endTime: startTime + 3_600_000 });
  await world.must('set-cta-status', { ctaId, status: 'SCHEDULED' });
  await Promise.all([
    page.goto(`${world.origin}/console/ctas/${ctaId}`),
    list.goto(`${world.origin}/console/ctas?search=soon`),
  ]);
  await page.getByRole('button', { name: 'Back to draft' }).waitFor();
  await list.getByRole('row', { name: /Starts soon.*Scheduled/ }).waitFor();
  await page.getByRole('button', { name: 'Conclude', exact: true }).waitFor({ timeout: 25_000 });
  await page.getByText(/^Started just now, ends in/).waitFor();
  await list.getByRole('row', { name: /Starts soon.*Live/ }).waitFor({ timeout: 25_000 });
  await list.close();
  person.expectNoComplaint();
});
