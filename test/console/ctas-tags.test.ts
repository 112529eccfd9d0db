import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';
const rule = { stateToAction: {}, stateTransition: {}, actions: [] };

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  for (const name of ['First', 'Second', hostile]) await world.must('create-cta', { name, rule });
  await world.must('set-cta-status', { ctaId: '3', status: 'LIVE' });
  await world.must('create-behaviour-tag', { behaviourTagName: hostile });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, '/console/behaviour-tags');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const menu = async (tag: string, item: string) => {
  await person.page.getByRole('button', { name: `Actions for ${tag}` }).click();
  await person.page.getByRole('menuitem', { name: item }).click();
};
const tag = () => world.must('get-behaviour-tag', { behaviourTagName: 'offers' });

test('a behaviour tag gets limits and a relation, and says what may surprise', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create behaviour tag' }).click();
  await dialog.getByLabel('Name').fill('offers');
  await dialog.getByLabel('In a session').fill('1');
  await dialog.getByLabel('In a window of time').fill('two');
  await dialog.getByRole('button', { name: 'Create behaviour tag' }).click();
  await dialog.getByRole('alert').getByText('exposureRule.window.limit').waitFor();
  await dialog.getByLabel('In a window of time').fill('2');
  await dialog.getByRole('button', { name: /Relation/ }).click();
  await page.getByRole('option', { name: 'The first that is shown hides the rest' }).click();
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Create behaviour tag' }).click();
  await page.getByText('offers was saved, and may surprise:').waitFor();
  await page.getByRole('cell', { name: '1 in a session, 2 in a day' }).waitFor();
  await person.expectAccessible();

  await menu('offers', 'Edit…');
  await dialog.getByLabel('In a session').fill('');
  await dialog.getByRole('button', { name: /Relation/ }).click();
  await page.getByRole('option', { name: 'Some hide others: choose them' }).click();
  await dialog.getByRole('group', { name: 'Once one of these was shown' }).getByText('First').click();
  await dialog.getByRole('group', { name: 'These are hidden' }).getByText('Second').click();
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Save behaviour tag' }).click();
  await page.getByRole('cell', { name: 'CTA 1 hides CTA 2' }).waitFor();
  expect(await tag()).toMatchObject({
    exposureRule: { window: { limit: 2, unit: 'days', value: 1 } },
    ctaRelation: { shownCta: { rule: 'LIST', ctaList: ['1'] }, hideCta: { rule: 'LIST', ctaList: ['2'] } },
    version: 2,
  });
});

/** @see What was typed before went out with the present version: it took back what somebody else had stored meanwhile. */
test('what was typed before somebody else changed the tag does not replace their change', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  await menu('offers', 'Edit…');
  await dialog.getByLabel('Ever').fill('9');
  const { exposureRule, ctaRelation, version } = await tag();
  const theirs = { ...(exposureRule as object), session: { limit: 4 } };
  await world.must('update-behaviour-tag', {
    behaviourTagName: 'offers',
    version,
    exposureRule: theirs,
    ctaRelation,
  });
  await dialog.getByRole('button', { name: 'Save behaviour tag' }).click();
  await dialog.getByRole('alert').waitFor();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('cell', { name: /4 in a session/ }).waitFor();
  await menu('offers', 'Edit…');
  await dialog.getByText('Somebody has changed this tag since you typed this.').waitFor();
  expect(await dialog.getByLabel('Ever').inputValue()).toBe('9');
  await dialog.getByRole('button', { name: 'Save behaviour tag' }).click();
  await dialog.getByRole('alert').waitFor();
  expect((await tag())['exposureRule']).toEqual(theirs);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await menu('offers', 'Edit…');
  expect(await dialog.getByLabel('In a session').inputValue()).toBe('4');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  person.expectNoComplaint('status of 409', 'status of 400');
});

test('CTAs are put under a tag and taken out; only drafts and paused ones', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  const under = async () => {
    const { ctas } = await world.must('list-ctas', { behaviourTagName: 'offers' });
    return (ctas as Array<{ ctaId: string }>).map(({ ctaId }) => ctaId);
  };
  await menu('offers', 'CTAs under it…');
  await dialog.getByText('First').click();
  await dialog.getByText('Second').click();
  expect(await dialog.getByRole('checkbox').nth(2).isDisabled()).toBe(true);
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Put 2 under it' }).click();
  await page.getByText('The CTAs under offers were changed.').waitFor();
  expect(await under()).toEqual(['1', '2']);
  await menu('offers', 'CTAs under it…');
  await dialog.getByText('First').click();
  await dialog.getByRole('button', { name: 'take 1 out' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await under()).toEqual(['2']);
});

test('a tag is hidden, and deleted once no CTA needs it', async () => {
  const { page } = person;
  await menu('offers', 'Hide its CTAs…');
  await page.getByRole('button', { name: 'Hide CTAs' }).click();
  await page.getByText('Apps get none of the CTAs under the behaviour tag offers').first().waitFor();
  expect(await tag()).toMatchObject({ killedAt: expect.any(Number) });
  await menu('offers', 'Delete…');
  await page.getByRole('button', { name: 'Delete behaviour tag' }).click();
  await page.getByRole('alert').getByText('Take it from these CTAs first.').waitFor();
  await person.expectAccessible();
  await world.must('unlink-behaviour-tag', { ctaIds: ['2'] });
  await page.getByRole('button', { name: 'Delete behaviour tag' }).click();
  await page.getByText('The behaviour tag offers was deleted.').waitFor();
  expect((await world.must('list-behaviour-tags', {}))['total']).toBe(1);
  person.expectNoComplaint('status of 400', 'status of 409');
});

test('Home says that the kill switch hides what is live', async () => {
  const { page } = person;
  await world.must('set-cta-status', { ctaId: '2', status: 'LIVE' });
  await world.must('set-cta-kill-switch', { killed: true });
  await page.goto(`${world.origin}/console/`);
  const live = page.getByRole('region', { name: 'Live calls to action' });
  await live.getByText('Apps get none of all CTAs of tenant').waitFor();
  await person.expectAccessible();
  await live.getByRole('button', { name: 'Show all CTAs again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Show CTAs' }).click();
  await live.getByText('Apps get none').waitFor({ state: 'detached' });
  person.expectNoComplaint();
});
