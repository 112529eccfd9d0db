import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* What stands beside a test and its result: links, files, quarantine, failures by message, coverage of requirements. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId: number;
let runId: number;
let testIds: number[];

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const linkTemplates = [
    {
      prefix: 'SHOP-',
      url: 'https://jira.example/browse/{key}',
      newIssueUrl: 'https://jira.example/new?t={title}&d={body}',
    },
  ];
  await world.must('edit-project', { projectId, linkTemplates });
  const names = ['Open', 'Search', 'Pay'].map((testName) => ({ testName }));
  const { tests } = await world.must('bulk-add-tests', { projectId, tests: names });
  testIds = (tests as Array<{ testId: number }>).map(({ testId }) => testId);
  runId = Number((await world.must('create-run', { projectId, runName: 'CI', testIds }))['runId']);
  const testResults = testIds
    .slice(0, 2)
    .map((testId, n) => ({ testId, status: 'failed', comment: `timeout of ${n} s` }));
  await world.must('run-update-test-status', { projectId, runId, testResults });
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/tests/${testIds[0]}`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('an administrator says where keys lead', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/settings`);
  const templates = page.getByRole('region', { name: 'Links to other systems' });
  await templates.getByRole('button', { name: 'Add an address' }).click();
  await templates.getByLabel('Prefix', { exact: true }).last().fill('WIKI-');
  await templates.getByLabel('Address', { exact: true }).last().fill('javascript:alert(1)');
  await templates.getByRole('button', { name: 'Save addresses' }).click();
  await templates.getByRole('alert').waitFor();
  await templates.getByLabel('Address', { exact: true }).last().fill('https://wiki.example/{key}');
  await templates.getByRole('button', { name: 'Save addresses' }).click();
  await page.getByText('The addresses were saved.').waitFor();
  await ada.expectAccessible();
  const { linkTemplates } = await world.must('get-project-detail', { projectId });
  const wiki = { prefix: 'WIKI-', url: 'https://wiki.example/{key}' };
  expect((linkTemplates as object[])[1]).toEqual(wiki);
  // Somebody else adds one while this person changes another.
  const added = { prefix: 'CRM-', url: 'https://crm.example/{key}' };
  await world.must('edit-project', { projectId, linkTemplates: [...(linkTemplates as object[]), added] });
  await templates.getByLabel('Address', { exact: true }).last().fill('https://wiki.example/of/{key}');
  await templates.getByRole('button', { name: 'Save addresses' }).click();
  await templates
    .getByText('https://crm.example/{key}')
    .or(templates.locator('[value="CRM-"]'))
    .first()
    .waitFor();
  expect(
    ((await world.must('get-project-detail', { projectId }))['linkTemplates'] as object[]).slice(1),
  ).toEqual([{ ...wiki, url: 'https://wiki.example/of/{key}' }, added]);
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${testIds[0]}`);
  ada.expectNoComplaint('status of 400');
});

test('a test is linked, and the link is removed', async () => {
  const { page } = ada;
  const links = page.getByRole('region', { name: 'Links' });
  await links.getByLabel('Key or address').fill('SHOP-12');
  await links.getByRole('button', { name: 'Link', exact: true }).click();
  await links.getByRole('link', { name: 'SHOP-12' }).waitFor();
  expect(await links.getByRole('link', { name: 'SHOP-12' }).getAttribute('href')).toBe(
    'https://jira.example/browse/SHOP-12',
  );
  await links.getByLabel('Key or address').fill('WIKI-1');
  await page.keyboard.press('Enter');
  await links.getByRole('button', { name: 'Remove the link WIKI-1' }).click();
  await links.getByText('WIKI-1').waitFor({ state: 'detached' });
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

/** @see Enter did nothing while the link before was on its way. */
test('two links are entered one after the other while the server is slow', async () => {
  const { page } = ada;
  const links = page.getByRole('region', { name: 'Links' });
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/tools/add-links', async (route) => {
    await answered.promise;
    await route.continue();
  });
  for (const key of ['FIRST-1', 'SECOND-2']) {
    await links.getByLabel('Key or address').fill(key);
    await page.keyboard.press('Enter');
  }
  answered.resolve();
  for (const key of ['FIRST-1', 'SECOND-2']) {
    await links.getByRole('button', { name: `Remove the link ${key}` }).click();
    await links.getByText(key).waitFor({ state: 'detached' });
  }
  expect(await links.getByLabel('Key or address').inputValue()).toBe('');
  await page.unroute('**/api/tools/add-links');
  ada.expectNoComplaint();
});

test('files are attached by button, by pasting and by dropping, opened and deleted', async () => {
  const { page } = ada;
  const files = page.getByRole('region', { name: 'Files' });
  await files.locator('input[type=file]').setInputFiles({
    name: 'naïve.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('evidence'),
  });
  await files.getByRole('link', { name: 'naïve.txt' }).waitFor();
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await page.evaluate((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const data = (name: string) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name, { type: 'image/png' }));
      return transfer;
    };
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data('pasted.png'), bubbles: true }));
  }, png);
  const picture = files.getByRole('link', { name: 'Open pasted.png' }).locator('img');
  await picture.waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('.evidence-image')?.naturalWidth === 1,
  );
  await files.evaluate((panel) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['dropped'], 'dropped.log', { type: 'text/plain' }));
    panel.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await files.getByRole('link', { name: 'dropped.log' }).waitFor();
  await files.getByRole('button', { name: 'Delete the file dropped.log' }).click();
  await page.getByRole('button', { name: 'Delete file', exact: true }).click();
  await files.getByRole('link', { name: 'dropped.log' }).waitFor({ state: 'detached' });
  const { attachments } = await world.must('list-attachments', { projectId, testId: testIds[0] });
  expect((attachments as Array<{ fileName: string }>).map(({ fileName }) => fileName)).toEqual([
    'naïve.txt',
    'pasted.png',
  ]);
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

/** @see A file or a link that was gone already stayed in the list, and the message named its number and no next step. */
test('what somebody else has deleted leaves the list, and the page says so', async () => {
  const { page } = ada;
  const files = page.getByRole('region', { name: 'Files' });
  const links = page.getByRole('region', { name: 'Links' });
  const upload = { name: 'gone.txt', mimeType: 'text/plain', buffer: Buffer.from('gone') };
  await files.locator('input[type=file]').setInputFiles(upload);
  await files.getByRole('button', { name: 'Delete the file gone.txt' }).waitFor();
  await links.getByLabel('Key or address').fill('SHOP-99');
  await page.keyboard.press('Enter');
  await links.getByRole('button', { name: 'Remove the link SHOP-99' }).waitFor();
  const testId = testIds[0];
  const { attachments } = await world.must('list-attachments', { projectId, testId });
  const file = (attachments as Array<{ fileName: string; attachmentId: number }>).find(
    ({ fileName }) => fileName === 'gone.txt',
  );
  await world.must('delete-attachment', { projectId, attachmentId: file?.attachmentId });
  await world.must('remove-links', { projectId, testIds: [testId], key: 'SHOP-99' });
  await files.getByRole('button', { name: 'Delete the file gone.txt' }).click();
  await page.getByRole('button', { name: 'Delete file', exact: true }).click();
  await page.getByText('gone.txt was already deleted.').waitFor();
  await files.getByText('gone.txt').waitFor({ state: 'detached' });
  await links.getByRole('button', { name: 'Remove the link SHOP-99' }).click();
  await page.getByText('SHOP-99 was already removed.').waitFor();
  await links.getByText('SHOP-99').waitFor({ state: 'detached' });
  ada.expectNoComplaint('status of 404');
});

/**
 * @see One empty file kept all that were chosen with it from being attached, and the message named none of them. Cells of a spreadsheet, which
 * have a picture of themselves in the clipboard, were attached as that picture, also from a comment, whose text was lost.
 */
test('a refused file is named and keeps no other one; text that has a picture beside it is text', async () => {
  const { page } = ada;
  const files = page.getByRole('region', { name: 'Files' });
  const text = (name: string, content: string) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(content),
  });
  await files
    .locator('input[type=file]')
    .setInputFiles([text('before.txt', '1'), text('empty.txt', ''), text('after.txt', '2')]);
  await files.getByRole('link', { name: 'after.txt' }).waitFor();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText('2 files were attached.').waitFor();
  await messages.getByText('empty.txt: The file is empty.').waitFor();
  await ada.expectAccessible();
  for (const name of ['before.txt', 'after.txt']) {
    await files.getByRole('button', { name: `Delete the file ${name}` }).click();
    await page.getByRole('button', { name: 'Delete file', exact: true }).click();
    await files.getByRole('link', { name }).waitFor({ state: 'detached' });
  }
  const isTaken = await page.evaluate(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'Open the shop');
    clipboardData.setData('text/html', '<table><tr><td>Open the shop</td></tr></table>');
    clipboardData.items.add(new File(['a picture'], 'image.png', { type: 'image/png' }));
    const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.body.dispatchEvent(paste);
    return paste.defaultPrevented;
  });
  expect(isTaken).toBe(false);
  await page.reload();
  await files.getByRole('link', { name: 'naïve.txt' }).waitFor();
  expect(await files.getByRole('link', { name: 'image.png' }).count()).toBe(0);
  ada.expectNoComplaint('status of 400');
});

/** @see A file that missed the panel was opened by the browser in place of the console. */
test('a file that is dropped beside the panel is neither attached nor opened', async () => {
  const { page } = ada;
  const taken = await page.getByRole('heading', { level: 1 }).evaluate((heading) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['dropped'], 'beside.log', { type: 'text/plain' }));
    return ['dragover', 'drop'].map((type) => {
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      heading.dispatchEvent(event);
      return event.defaultPrevented;
    });
  });
  expect(taken).toEqual([true, true]);
  const { attachments } = await world.must('list-attachments', { projectId, testId: testIds[0] });
  expect((attachments as Array<{ fileName: string }>).map(({ fileName }) => fileName)).not.toContain(
    'beside.log',
  );
});

test('a test is put into quarantine, and out of it', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Actions for Open' }).click();
  await page.getByRole('menuitem', { name: 'Put into quarantine…' }).click();
  await page.getByLabel('Why').fill('The clock of the runner');
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Put into quarantine', exact: true }).click();
  const note = page.getByRole('note', { name: 'Quarantine' });
  await note.getByText('The clock of the runner').waitFor();
  expect(await world.must('list-quarantined', { projectId })).toMatchObject({ total: 1 });
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Actions for Open' }).click();
  await page.getByRole('menuitem', { name: 'End the quarantine' }).click();
  await note.waitFor({ state: 'detached' });
  ada.expectNoComplaint();
});

test('failures of one message are linked at once, and a new issue is filled in', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}?view=failures`);
  await page.getByRole('link', { name: '2 tests' }).waitFor();
  await page.getByText('timeout of 0 s').first().waitFor();
  await page.getByRole('button', { name: 'Link a defect…' }).click();
  await page.getByRole('dialog').getByLabel('Key or address').fill('SHOP-77');
  await page.getByRole('button', { name: 'Link', exact: true }).last().click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { links } = await world.must('list-links', { projectId, runId });
  expect((links as Array<{ key: string }>).map(({ key }) => key)).toEqual(['SHOP-77', 'SHOP-77']);
  const panel = page.getByRole('region', { name: 'Selected test' });
  await panel.getByRole('link', { name: 'SHOP-77' }).waitFor();
  const issue = await panel.getByRole('link', { name: 'New issue about this failure' }).getAttribute('href');
  expect(new URL(issue ?? '').searchParams.get('t')).toBe('Open fails');
  expect(new URL(issue ?? '').searchParams.get('d')).toContain('timeout of 0 s\n\nRun: CI\n\nhttp');
  await page.getByRole('link', { name: '2 tests' }).click();
  await page.waitForURL(/query=group/);
  ada.expectNoComplaint();
});

test('the page Coverage counts the tests of a requirement and leads to them', async () => {
  const { page } = ada;
  await page.getByRole('link', { name: 'Coverage' }).click();
  await page.getByRole('heading', { level: 1, name: 'Coverage' }).waitFor();
  await page.getByRole('link', { name: 'SHOP-12' }).waitFor();
  await ada.expectAccessible();
  await page
    .getByRole('region', { name: 'Coverage of requirements' })
    .getByRole('link', { name: '1' })
    .last()
    .click();
  await page.waitForURL(/query=req/);
  await page.getByRole('grid').getByText('Open').waitFor();
  ada.expectNoComplaint();
});
