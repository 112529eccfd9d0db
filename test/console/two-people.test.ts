import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { firstRule } from '../../modules/console/app/pages/rule-editor/cta-words.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* What somebody meets whose role, project, link or record another person changes while their window is open. */

let browser: Browser;
let world: ConsoleWorld;
let bob: Person;
let bobId = 0;
let projectId = 0;
let testId = 0;
let runId = 0;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  testId = Number((await world.must('create-test', { projectId, testName: 'Redeem' }))['testId']);
  await world.must('create-field', { projectId, key: 'device', name: 'Device', of: 'result', kind: 'text' });
  const run = await world.must('create-run', { projectId, runName: 'Release', testIds: [testId] });
  runId = Number(run['runId']);
  await world.member('bob@example.org');
  bob = await newPerson(browser, world.origin);
  await world.signIn(bob, `/console/projects/${projectId}/tests/${testId}`, 'bob@example.org');
  const { users } = (await world.must('get-all-users', { orgId: 1 })) as {
    users: ReadonlyArray<{ readonly userId: number; readonly email: string | null }>;
  };
  bobId = users.find(({ email }) => email === 'bob@example.org')?.userId ?? 0;
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const setRole = (role: string) => world.must('set-user-role', { orgId: 1, userId: bobId, role });
const setActive = (isActive: boolean) => world.must('update-project-status', { projectId, isActive });

/** @see The page said "the run was locked", and the text that was typed into the form of a test was gone after a reload. */
test('what a member typed can be read when an administrator makes them a reader, and is stored when they are a member again', async () => {
  const { page } = bob;
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('An hour of work');
  await page.waitForTimeout(700);
  await setRole('reader');
  await page.reload();
  await page.getByLabel('Description').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('An hour of work');
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByText('This needs the role "member"').waitFor();
  await setRole('member');
  await page.getByRole('button', { name: 'Save test' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}?test=${testId}`);
  await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('It says 500');
  await page.getByLabel('Device').fill('an old telephone');
  await page.waitForTimeout(700);
  await setRole('reader');
  await page.reload();
  await page.getByText('It is not stored: you can only read this project now.').waitFor();
  await page.getByText('They are not stored: you can only read this project now.').waitFor();
  expect(await page.getByRole('textbox', { name: 'Comment', exact: true }).inputValue()).toBe('It says 500');
  await setRole('member');
  bob.expectNoComplaint('status of 403');
});

/** @see Only the tools could end a link once its project was inactive, and a link that somebody else had ended stayed in the list. */
test('a link to a report is ended by either of two people, also when the project is inactive', async () => {
  const { page } = bob;
  const share = async () => {
    await page.getByRole('button', { name: 'report of the run' }).click();
    await page.getByRole('menuitem', { name: 'Share…' }).click();
  };
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${runId}`);
  await share();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByRole('button', { name: 'End link 1' }).waitFor();
  await world.must('revoke-share-link', { shareLinkId: 1 });
  await dialog.getByRole('button', { name: 'End link 1' }).click();
  await dialog.getByText('Nobody has a link to this run.').waitFor();
  expect(await dialog.getByLabel('Link', { exact: true }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByRole('button', { name: 'End link 2' }).waitFor();
  await dialog.getByLabel('Link', { exact: true }).waitFor();
  await world.must('revoke-share-link', { shareLinkId: 2 });
  // Nobody should copy what leads nowhere.
  await dialog.getByText('Nobody has a link to this run.').waitFor();
  await page.getByText('Somebody else has ended the link.').first().waitFor();
  expect(await dialog.getByLabel('Link', { exact: true }).count()).toBe(0);
  const { url } = await world.must('create-share-link', { runId });
  await setActive(false);
  await page.reload();
  await share();
  await dialog.getByRole('button', { name: 'End link 3' }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Make a link' }).count()).toBe(0);
  expect((await fetch(String(url))).status).toBe(200);
  await dialog.getByRole('button', { name: 'End link 3' }).click();
  await dialog.getByText('Nobody has a link to this run.').waitFor();
  expect((await fetch(String(url))).status).toBe(404);
  await setActive(true);
  bob.expectNoComplaint('status of 404');
});

/** @see "Save CTA" was off without a reason, below a form that still had what was typed. */
test('the form of a CTA says why nothing can be saved to somebody who became a reader', async () => {
  const { page } = bob;
  const { ctaId } = await world.must('create-cta', { name: 'Welcome', rule: firstRule });
  await page.goto(`${world.origin}/console/ctas/${String(ctaId)}`);
  await page.getByLabel('Description').first().fill('An hour of work');
  await page.waitForTimeout(700);
  await setRole('reader');
  await page.reload();
  const changes = page.getByRole('region', { name: 'Changes' });
  await changes.getByText('you can only read CTAs now').waitFor();
  expect(await changes.getByRole('button', { name: 'Save CTA' }).isDisabled()).toBe(true);
  expect(await page.getByLabel('Description').first().inputValue()).toBe('An hour of work');
  await setRole('member');
  await page.reload();
  await changes.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText('Version 2 was saved.').first().waitFor();
  bob.expectNoComplaint();
});

/** @see "Clear the selection and tick the others again": two hundred were ticked, and somebody else had deleted one of them. */
test('a change of many tests goes on without those that somebody else has deleted', async () => {
  const { page } = bob;
  const list = await world.must('create-project', { orgId: 1, projectName: 'Many' });
  const many = { projectId: Number(list['projectId']) };
  const names = Array.from({ length: 6 }, (_, index) => `Pay ${index + 1}`);
  const ids: number[] = [];
  for (const testName of names)
    ids.push(Number((await world.must('create-test', { ...many, testName }))['testId']));
  const [first, second, third, fourth] = ids;
  await page.goto(
    `${world.origin}/console/projects/${many.projectId}/tests?selected=${ids.slice(0, 5).join(',')}`,
  );
  const bar = page.getByRole('region', { name: 'Selected tests' });
  await bar.getByText('5 selected').waitFor();
  await bar.getByRole('button', { name: /Set field/ }).click();
  await page.getByRole('option', { name: 'Priority' }).click();
  await bar.getByRole('button', { name: /Value of Priority/ }).click();
  await page.getByRole('option', { name: 'High' }).click();
  await world.must('update-test', { testId: first, testName: 'Pay by card' });
  await world.must('delete-test', { ...many, testId: second });
  await bar.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('1 test is deleted by now and no longer selected.').first().waitFor();
  await bar.getByText('4 selected').waitFor();
  await bar.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('4 tests were changed.').first().waitFor();
  const changed = await world.must('get-tests', { ...many, query: 'priority:High sort:id' });
  expect(changed).toMatchObject({ total: 4, tests: [{ testName: 'Pay by card' }, {}, {}, {}] });
  await world.must('bulk-delete-tests', { ...many, testIds: [third, fourth] });
  await bar.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete tests' }).click();
  await dialog.getByText('2 tests are deleted by now and no longer selected.').waitFor();
  await dialog.getByRole('heading', { name: 'Delete 2 tests?' }).waitFor();
  await dialog.getByRole('button', { name: 'Delete tests' }).click();
  await page.getByText('2 tests were deleted.').first().waitFor();
  expect(await world.must('get-tests', many)).toMatchObject({ total: 1, tests: [{ testName: 'Pay 6' }] });
  bob.expectNoComplaint('status of 404', 'status of 400', 'status of 409');
});
