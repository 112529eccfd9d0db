import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { mailServer } from '../mail-server.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Letters in a browser: a project is followed, an invitation is sent, and a kind of letters is switched off. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let mail: Awaited<ReturnType<typeof mailServer>>;
let projectId = 0;
beforeAll(async () => {
  mail = await mailServer();
  const smtp = ['--smtp-url', mail.url, '--smtp-tls', 'none', '--smtp-from', 'trivet@example.org'];
  [browser, world] = await Promise.all([
    openChromium(),
    openWorld((origin) => ['--dev', '--public-url', origin, ...smtp]),
  ]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/runs`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
  await mail.stop();
});

test('a project is followed with a button, and the page Letters ends it', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByText('Letters about this project go to ada@example.org.').first().waitFor();
  await page.getByRole('button', { name: 'Following' }).waitFor();
  await page.getByRole('link', { name: 'Milestones' }).click();
  await page.getByRole('button', { name: 'Following' }).waitFor();
  await ada.expectAccessible();
  await page.goto(`${world.origin}/console/letters`);
  await page.getByText('Letters go to ada@example.org.').waitFor();
  await page.getByText('Runs in which tests newly fail').click();
  await page.getByText('The setting was saved.').first().waitFor();
  expect(await page.getByRole('checkbox', { name: 'Runs in which tests newly fail' }).isChecked()).toBe(
    false,
  );
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Do not follow Shop any more' }).click();
  await page.getByText('You follow no project').waitFor();
  // With all kinds switched off, following leads to no letter: no address is named.
  const milestones = page.getByRole('checkbox', { name: 'Milestones that are due tomorrow or overdue' });
  await milestones.focus();
  await page.keyboard.press('Space');
  for (let tries = 0; tries < 100 && (await milestones.isChecked()); tries++) await Bun.sleep(50);
  await page.goto(`${world.origin}/console/projects/${projectId}/runs`);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await page.getByText('You follow this project, but all letters to you are switched off').first().waitFor();
});

test('an invitation goes to an address, and its letter leads to the page that accepts it', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/people?tab=invitations`);
  await page.getByRole('button', { name: 'Invite a person' }).first().click();
  await page.getByLabel('E-mail address').fill('bob@example.org');
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText('The link is on its way by e-mail.').waitFor();
  for (let tries = 0; tries < 200 && mail.letters.length === 0; tries++) await Bun.sleep(50);
  const text = mail.letters[0]?.mail.text ?? '';
  const bob = await newPerson(browser, world.origin);
  await bob.page.goto(/https?:\S+\/oauth\/link#\S+/.exec(text)?.[0] ?? '');
  await bob.page.getByText('becomes a member of').waitFor();
  await bob.page.goto(/No more letters of this kind: (\S+)/.exec(text)?.[1] ?? '');
  await bob.page.getByRole('button', { name: 'Send me no more of them' }).click();
  await bob.page.getByRole('heading', { name: 'No more letters of this kind' }).waitFor();
});
