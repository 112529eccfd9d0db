import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/** @see Escape, or a click beside the dialog, closed it: a token or a link that is shown once was gone without a question. */
let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let runAddress: string;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  const { projectId } = await world.must('create-project', { orgId: 1, projectName: 'Shop' });
  const { testId } = await world.must('create-test', { projectId, testName: 'Pay' });
  const { runId } = await world.must('create-run', { projectId, runName: 'CI', testIds: [testId] });
  runAddress = `projects/${String(projectId)}/runs/${String(runId)}`;
  ada = await newPerson(browser, world.origin);
  await ada.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: world.origin });
  await world.signIn(ada, '/console/tokens');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const press = (name: string) => ada.page.getByRole('button', { name, exact: true }).click();

const secrets: ReadonlyArray<
  readonly [what: string, address: () => string, make: () => Promise<void>, leave: string]
> = [
  [
    'token',
    () => 'tokens',
    async () => {
      await ada.page.getByRole('main').getByRole('button', { name: 'Create token' }).click();
      await ada.page.getByRole('dialog').getByLabel('Name').fill(`CI ${Date.now()}`);
      await ada.page.getByRole('dialog').getByText('Tests and runs', { exact: true }).click();
      await ada.page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    },
    'Done',
  ],
  [
    'invitation',
    () => 'people?tab=invitations',
    async () => {
      await press('Invite a person');
      await press('Create invitation link');
    },
    'Done',
  ],
  [
    'link to a report',
    () => runAddress,
    async () => {
      await ada.page.getByRole('button', { name: 'report of the run' }).click();
      await ada.page.getByRole('menuitem', { name: 'Share…' }).click();
      await press('Make a link');
    },
    'Close',
  ],
];

test.each(secrets)(
  'a %s stays until it was copied, or is closed by a button',
  async (_, address, make, leave) => {
    const { page } = ada;
    await page.goto(`${world.origin}/console/${address()}`);
    await make();
    const secret = page.getByRole('dialog').getByRole('textbox', { name: /^(?:Token|Link)/ });
    const shown = await secret.inputValue();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByText('It is not copied yet').waitFor();
    await page.mouse.click(5, 5);
    await Bun.sleep(300);
    expect(await secret.inputValue()).toBe(shown);
    await ada.expectAccessible();
    await press('Copy');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await make();
    await secret.waitFor();
    await page.getByRole('dialog').getByRole('button', { name: leave, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    ada.expectNoComplaint();
  },
);
