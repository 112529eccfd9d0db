import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* A section that is deleted: what goes with it, and what brings it back. */

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
let projectId: number;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  await world.must('bulk-add-tests', { projectId, tests: [{ testName: 'Elsewhere' }] });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, `/console/projects/${projectId}/tests`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const testsNow = async (query: string) =>
  (await world.must('get-tests', { projectId, query }))['tests'] as ReadonlyArray<object>;

test('a section is deleted with its tests, and Undo brings them back', async () => {
  const { page } = person;
  const sectionId = Number(
    (await world.must('add-section', { projectId, sectionName: 'Gone' }))['sectionId'],
  );
  await world.must('bulk-add-tests', { projectId, tests: [{ testName: 'In it', sectionId }] });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByRole('button', { name: 'Actions for Gone' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete section' }).click();
  await page.getByText('Gone was deleted, with 1 test.').waitFor();
  expect(await testsNow('name:"In it"')).toEqual([]);
  const row = page.getByRole('treegrid', { name: 'Sections' }).getByRole('row', { name: 'Gone' });
  // The tree is read again: before that, its old row would be taken for the one that has come back.
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  expect((await testsNow('name:"In it"')).length).toBe(1);
  person.expectNoComplaint();
  await world.must('delete-section', { sectionId, withContents: true });
  // A link to a section that somebody has deleted says so, and leads on.
  await page.goto(`${world.origin}/console/projects/${projectId}/tests?section=${sectionId}`);
  for (const text of ['This section is deleted', '0 tests']) await page.getByText(text).waitFor();
  await page.getByRole('button', { name: 'All tests', exact: true }).last().click();
  await page.getByRole('grid', { name: 'Tests' }).waitFor();
  person.expectNoComplaint('status of 400');
});

/** @see The tests that somebody put into a section while its deletion was asked about went with it, although it was said to be empty. */
test('a section that was empty is not deleted with what somebody has put into it meanwhile', async () => {
  const { page } = person;
  const { sectionId } = await world.must('add-section', { projectId, sectionName: 'Filled' });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests`);
  await page.getByRole('button', { name: 'Actions for Filled' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('It is empty.').waitFor();
  await world.must('bulk-add-tests', { projectId, tests: [{ testName: 'Just put there', sectionId }] });
  await page.getByRole('button', { name: 'Delete section' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  expect((await testsNow('name:"Just put there"')).length).toBe(1);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await world.must('delete-section', { sectionId, withContents: true });
  person.expectNoComplaint('status of 409');
});
