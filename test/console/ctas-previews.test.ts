import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  const template = JSON.stringify({
    title: hostile,
    text: hostile,
    image: hostile,
    button: hostile,
    x: hostile,
  });
  await world.must('create-nudge-preview', { id: 'attack', template, ttl: 0 });
  await world.must('create-nudge-preview', { id: 'html', template: hostile });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, '/console/previews');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('a template is created, seen in a phone, edited under its id and deleted', async () => {
  const { page } = person;
  await page.getByRole('button', { name: 'Create preview' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Id').fill('spring');
  await dialog
    .getByLabel('Template')
    .fill('{"title": "Spring sale", "message": "All is half", "cta": "Look"}');
  await dialog.getByRole('region', { name: 'Preview in a phone' }).getByText('Spring sale').waitFor();
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Create preview' }).click();
  await page.waitForURL(/preview=spring/);
  const phone = page.getByRole('region', { name: 'Preview in a phone' });
  await phone.getByText('All is half').waitFor();
  await person.expectAccessible();

  await page.getByLabel('Link of the app').fill('https://shop.example/#home');
  expect(await page.getByLabel('Link to the preview').inputValue()).toBe(
    'https://shop.example/?trivet-preview=spring#home',
  );
  await page.getByRole('img', { name: 'a code to scan' }).waitFor();
  await person.expectAccessible();

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Template').fill('Just a text');
  await dialog.getByRole('button', { name: 'Save preview' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await phone.getByText('Just a text').waitFor();
  expect(await world.must('get-nudge-preview', { id: 'spring' })).toMatchObject({ template: 'Just a text' });

  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete preview' }).click();
  await page.getByText('The preview was deleted.').waitFor();
  expect((await world.must('list-nudge-previews', {}))['total']).toBe(2);
  person.expectNoComplaint();
});

test('a template is never HTML', async () => {
  const { page } = person;
  const phone = page.getByRole('region', { name: 'Preview in a phone' });
  await page.getByRole('button', { name: 'attack' }).click();
  await phone.getByText(hostile).nth(3).waitFor();
  await page.getByRole('button', { name: 'html' }).click();
  await phone.getByText(hostile).waitFor();
  expect(await phone.getByRole('img').count()).toBe(0);
  await person.expectAccessible();
  person.expectNoComplaint();
});

/** @see Editing deleted a preview first: one whose new template was refused was gone. */
test('a refused edit leaves the preview as it was; one that has gone meanwhile is made again', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  const templateOf = async () => (await world.must('get-nudge-preview', { id: 'kept' }))['template'];
  await world.must('create-nudge-preview', { id: 'kept', template: 'Old', ttl: 0 });
  await page.goto(`${world.origin}/console/previews?preview=kept`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Template').fill('x'.repeat(512 * 1024 + 1));
  await dialog.getByRole('button', { name: 'Save preview' }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await templateOf()).toBe('Old');

  await world.must('delete-nudge-preview', { id: 'kept' });
  await dialog.getByLabel('Template').fill('New');
  await dialog.getByRole('button', { name: 'Save preview' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page
    .getByText('The preview had expired or was deleted meanwhile. It was made again.')
    .first()
    .waitFor();
  expect(await templateOf()).toBe('New');
  person.expectNoComplaint('status of 400', 'status of 404');
});

/** @see The address alone answers null for a preview of any tenant but the first. */
test('a preview of another tenant says with which header apps fetch it', async () => {
  const { page } = person;
  await world.must('create-nudge-preview', { tenantId: 'shop', id: 'spring', template: 'All is half' });
  const address = `${world.origin}/cta/nudge/preview/spring`;
  const dataOf = async (headers: Record<string, string>) =>
    ((await (await fetch(address, { headers })).json()) as { data: object | null }).data;
  expect([await dataOf({}), (await dataOf({ 'x-tenant-id': 'shop' })) === null]).toEqual([null, false]);
  await page.goto(`${world.origin}/console/previews?tenant=shop&preview=spring`);
  await page.getByText(`An app fetches it from ${address} with the header x-tenant-id: shop`).waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

/** @see Of two people who edited one preview, the second replaced the template of the first, and neither heard of it. */
test('what somebody else changed in a preview is shown before it is replaced', async () => {
  const { page } = person;
  const dialog = page.getByRole('dialog');
  const stored = () => world.must('get-nudge-preview', { id: 'both' });
  const save = () => dialog.getByRole('button', { name: 'Save preview' }).click();
  const edit = async (typed: string) => {
    await page.goto(`${world.origin}/console/previews?tenant=default&preview=both`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.getByLabel('Template').fill(typed);
  };
  await world.must('create-nudge-preview', { id: 'both', template: 'Before', ttl: 0 });
  await edit('His');
  await world.must('update-nudge-preview', { id: 'both', template: 'Hers' });
  await save();
  await dialog.getByText('Somebody else has changed the template meanwhile').waitFor();
  await dialog.getByText('Hers', { exact: true }).waitFor();
  expect(await dialog.getByLabel('Template').inputValue()).toBe('His');
  expect(await stored()).toMatchObject({ template: 'Hers' });
  await person.expectAccessible();
  await save();
  await dialog.waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ template: 'His', ttl: null });

  await edit('His again');
  await world.must('update-nudge-preview', { id: 'both', ttl: 86_400 });
  await save();
  await dialog.waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ template: 'His again', ttl: 86_400 });
  await world.must('delete-nudge-preview', { id: 'both' });
  person.expectNoComplaint();
});
