import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { engine } from '../../core/db/query/engine.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';
const bob = 'bob@example.org';

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--guests'])]);
  ada = await newPerson(browser, world.origin);
  // The User-Agent of a browser is foreign text, too.
  await ada.page.setExtraHTTPHeaders({ 'user-agent': hostile });
  await world.signIn(ada, '/console/people');
  await world.link(bob);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

interface Member {
  readonly userId: number;
  readonly email: string;
  readonly role: string;
  readonly status: string;
}

/** Opens a page of the person's own, from the menu of the account. */
async function openOwn(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /account and commands/ }).click();
  await page.getByRole('menuitem', { name }).click();
}

async function memberNow(email: string): Promise<Member | undefined> {
  const { members } = await world.must('list-members', { orgId: 1 });
  return (members as readonly Member[]).find((member) => member.email === email);
}

async function idOfMember(email: string): Promise<number> {
  const member = await memberNow(email);
  if (!member) throw new Error(`${email} is no member`);
  return member.userId;
}

async function choose(action: string): Promise<void> {
  await ada.page.getByRole('button', { name: `Actions for ${bob}` }).click();
  await ada.page.getByRole('menuitem', { name: action }).click();
}

const confirm = (name: string) => ada.page.getByRole('dialog').getByRole('button', { name }).click();

test('a member gets another role, is disabled and enabled', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/people`);
  await page.getByRole('button', { name: `Actions for ${bob}` }).waitFor();
  await ada.expectAccessible();
  await choose('Change role…');
  await page.getByRole('button', { name: /Role/ }).click();
  await page.getByRole('option', { name: /^Member/ }).click();
  await ada.expectAccessible();
  await confirm('Change role');
  await page.getByText(`${bob} is now member.`).waitFor();
  expect(await memberNow(bob)).toMatchObject({ role: 'member', status: 'active' });
  await choose('Disable…');
  await confirm('Disable user');
  await page.getByText('disabled', { exact: true }).waitFor();
  expect(await memberNow(bob)).toMatchObject({ status: 'disabled' });
  await choose('Enable…');
  await confirm('Enable user');
  await page.getByText(`${bob} can sign in again.`).waitFor();
  expect(await memberNow(bob)).toMatchObject({ status: 'active' });
  ada.expectNoComplaint();
});

test('a refusal is shown where it arose, and what was typed stays', async () => {
  const { page } = ada;
  await choose('Merge another account into it…');
  await page.getByLabel('User id of the account that ends').fill('999');
  await page.getByText('No member of your organizations has this id.').waitFor();
  await confirm('Merge accounts');
  await page.getByRole('alert').getByText('There is no user 999.').waitFor();
  expect(await page.getByLabel('User id of the account that ends').inputValue()).toBe('999');
  await page.getByRole('button', { name: 'Cancel' }).click();
  ada.expectNoComplaint('status of 404');
});

test('an invitation is a link that is shown once, and can be revoked', async () => {
  const { page } = ada;
  await page.getByRole('tab', { name: 'Invitations' }).click();
  await page.getByText('No open invitation').waitFor();
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByText('nothing is sent').waitFor();
  await confirm('Create invitation link');
  const link = page.getByRole('textbox', { name: 'Link' });
  await link.waitFor();
  expect(await link.inputValue()).toStartWith(world.origin);
  await ada.expectAccessible();
  await confirm('Done');
  const listed = await world.must('list-invitations', { orgId: 1 });
  expect(listed).toMatchObject({ total: 1, invitations: [{ role: 'member' }] });
  await page.getByRole('button', { name: /Revoke invitation/ }).click();
  await confirm('Revoke invitation');
  await page.getByText('No open invitation').waitFor();
  expect((await world.must('list-invitations', { orgId: 1 }))['total']).toBe(0);
  ada.expectNoComplaint();
});

test('the account of a guest is found by its number, and gets claims', async () => {
  const { page } = ada;
  const answer = await fetch(`${world.origin}/v1/auth/guest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"resources": []}',
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  const userId = Number(decodeJwt(accessToken).sub);
  await page.getByRole('link', { name: 'People' }).click();
  await page.getByRole('tab', { name: 'Accounts' }).click();
  await page.getByLabel('User id').fill(String(userId));
  await page.getByRole('button', { name: 'Show account' }).click();
  await page.getByRole('heading', { name: `Guest ${userId}` }).waitFor();
  await page.getByText('guest', { exact: true }).waitFor();
  await ada.expectAccessible();
  const claims = page.getByLabel('Claims');
  await claims.fill('{plan}');
  await page.getByRole('button', { name: 'Save claims' }).click();
  await page.getByText('This is not JSON').waitFor();
  await claims.fill(JSON.stringify({ sub: '1' }));
  await page.getByRole('button', { name: 'Save claims' }).click();
  await page.getByText('claims.sub is reserved').waitFor();
  await claims.fill(JSON.stringify({ plan: hostile }));
  await page.getByRole('button', { name: 'Save claims' }).click();
  await page.getByText('The next tokens of this user have these claims.').waitFor();
  expect(await world.must('get-account', { userId })).toMatchObject({
    isGuest: true,
    claims: { plan: hostile },
  });
  ada.expectNoComplaint('status of 400');
});

test('a token has the chosen scopes and is shown once', async () => {
  const { page } = ada;
  await world.must('create-project', { orgId: 1, projectName: 'Shop' });
  await page.reload();
  await openOwn(page, 'Tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Name').fill(hostile);
  // If nothing is ticked, nothing is allowed.
  await page.getByText('It may use nothing yet.').waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).isDisabled()).toBe(
    true,
  );
  // A project is offered its areas only.
  await page.getByRole('dialog').getByRole('button', { name: 'Project' }).click();
  await page.getByRole('option', { name: 'Shop', exact: true }).click();
  await page.getByLabel('Tests and runs', { exact: true }).waitFor();
  expect(await page.getByLabel('Calls to action', { exact: true }).count()).toBe(0);
  // A task ticks what it needs; another choice can be made of it.
  await page.getByRole('button', { name: 'Task' }).click();
  await page.getByRole('option', { name: 'Something reads tests and results' }).click();
  await page.getByText(/It may use Tests and runs \(only reading\).*only in one project/).waitFor();
  await page.getByText('What it may use', { exact: true }).click();
  await page.getByText('read-only: it changes nothing').click();
  await ada.expectAccessible();
  await confirm('Create token');
  const secret = page.getByRole('textbox', { name: /^Token/ });
  const token = await secret.inputValue();
  await confirm('Done');
  await page.getByRole('cell', { name: hostile, exact: true }).waitFor();
  await page.getByText('Only Shop', { exact: true }).waitFor();
  await ada.expectAccessible();
  const asked = (tool: string) =>
    fetch(`${world.origin}/api/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ orgId: 1, projectName: 'x' }),
    });
  expect((await asked('create-project')).status).toBe(403);
  expect(await page.getByText(token).count()).toBe(0);
  await page.getByRole('button', { name: /^Revoke/ }).click();
  await confirm('Revoke token');
  await page.getByText('No token yet').waitFor();
  expect((await asked('get-orgs-list')).status).toBe(401);
  ada.expectNoComplaint();
});

/** @see Whoever chose everything before the server had said what there is chose nothing, and saw no reason. */
test('what a token may use is offered once it is known', async () => {
  const { page } = ada;
  const held = Promise.withResolvers<void>();
  await page.route('**/api/tools', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${world.origin}/console/tokens?new=1`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('soon');
  expect(await dialog.getByText('Everything that you may use').count()).toBe(0);
  held.resolve();
  await dialog.getByText('Everything that you may use').click();
  expect(await dialog.getByRole('button', { name: 'Create token' }).isEnabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.unroute('**/api/tools');
});

// The executable uses the clock of the machine, so only the row of the session can be aged.
test.skipIf(engine() !== 'sqlite')('who signed in long ago signs in again for a token', async () => {
  const { page } = ada;
  const age = (ms: number) => {
    using stored = new Database(join(world.data, 'trivet.db'));
    stored.run('UPDATE auth_sessions SET created_at = created_at - ?', [ms]);
  };
  age(11 * 60_000);
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Name').fill('late');
  await page.getByText('Everything that you may use').click();
  await confirm('Create token');
  await page.getByRole('link', { name: 'Sign in again' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('late');
  expect(await page.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
    '/console/sign-in?next=%2Fconsole%2Ftokens',
  );
  await page.getByRole('button', { name: 'Cancel' }).click();
  age(-11 * 60_000);
  ada.expectNoComplaint('status of 403');
});

test('sessions are listed; an administrator ends those of a member', async () => {
  const { page } = ada;
  const other = await newPerson(browser, world.origin);
  await world.signIn(other, '/console/people', bob);
  await other.page.getByRole('heading', { name: 'People' }).waitFor();
  await other.expectAccessible();
  await openOwn(page, 'Sessions');
  await page.getByText(hostile).waitFor();
  await ada.expectAccessible();
  const userId = await idOfMember(bob);
  await page.goto(`${world.origin}/console/sessions?user=${userId}`);
  await page.getByRole('heading', { name: `Sessions of ${bob}` }).waitFor();
  await page.getByRole('button', { name: /^Revoke Console/ }).click();
  await confirm('Revoke session');
  await page.getByText('No session').waitFor();
  expect((await world.must('list-sessions', { userId }))['total']).toBe(0);
  await openOwn(other.page, 'Tokens');
  await other.page.waitForURL(/\/console\/sign-in/);
  await other.context.close();
  ada.expectNoComplaint();
});

test('a choice in the filters of the audit log keeps the focus and the days that are typed; Clear empties all', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/audit`);
  const since = page.getByLabel('Since (UTC)');
  await since.fill('2020-01-01');
  await page.getByRole('button', { name: 'Clear' }).click();
  expect(await since.inputValue()).toBe('');
  await since.fill('2020-01-01');
  const event = page.getByRole('button', { name: /Event/ });
  await event.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Signed in' }).press('Enter');
  await page.waitForURL(/event=sign_in/);
  expect(await since.inputValue()).toBe('2020-01-01');
  expect(new URL(page.url()).searchParams.get('since')).toBe('2020-01-01');
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('Signed in'));
  await page.goBack();
  await page.waitForURL((url) => url.search === '');
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>('.audit-filters input[type="date"]')?.value === '',
  );
  ada.expectNoComplaint();
});

test('the audit log is filtered by the address, and an entry shows its details', async () => {
  const { page } = ada;
  const { projectId } = await world.must('create-project', { orgId: 1, projectName: hostile });
  await page.goto(`${world.origin}/console/audit`);
  await page.getByRole('button', { name: /Event/ }).click();
  await page.getByRole('option', { name: 'Operation' }).click();
  await page.waitForURL(/event=operation/);
  await page.getByRole('button', { name: /What was done/ }).click();
  await page.getByRole('option', { name: 'created a project', exact: true }).click();
  await page.waitForURL(/operation=create-project/);
  await page
    .getByRole('button', { name: /^Details of entry/ })
    .first()
    .click();
  await page.getByText('credential').waitFor();
  await ada.expectAccessible();
  await page.getByLabel('Until (UTC)').fill('2020-01-01');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('No entry').waitFor();
  await page.goto(`${world.origin}/console/audit?project=${Number(projectId)}`);
  await page.getByRole('heading', { name: `Activity in ${hostile}` }).waitFor();
  await page.getByRole('button', { name: /^Details: created a project/ }).click();
  await page.getByText(`Name: nothing → ${hostile}`).waitFor();
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('the activity of a project takes back what somebody did long ago, e.g. a section that was deleted', async () => {
  const { page } = ada;
  const { projectId } = await world.must('create-project', { orgId: 1, projectName: 'Office' });
  const { sectionId } = await world.must('add-section', { projectId, sectionName: 'Laser' });
  await world.must('create-test', { projectId, testName: 'Print', sectionId });
  await world.must('delete-section', { sectionId, withContents: true });
  await world.must('create-test', { projectId, testName: 'Later' });
  const inSection = async () =>
    (await world.must('get-tests', { projectId, query: '-section:none' }))['total'];
  await page.goto(`${world.origin}/console/audit?project=${Number(projectId)}`);
  await page.getByRole('button', { name: /^Details: deleted a section/ }).click();
  expect(await inSection()).toBe(0);
  await page.getByRole('button', { name: 'Take it back' }).click();
  await page.getByText('It was taken back.').first().waitFor();
  expect(await inSection()).toBe(1);
  await page.getByRole('button', { name: 'Redo' }).click();
  await page.getByText('It is done again.').first().waitFor();
  expect(await inSection()).toBe(0);
  // A project has no state before it was created.
  await page.getByRole('button', { name: /^Details: created a project/ }).click();
  await page.getByText('Name: nothing → Office').waitFor();
  expect(await page.getByRole('button', { name: 'Take it back' }).count()).toBe(1);
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('settings, signing keys and providers are shown', async () => {
  const { page } = ada;
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByLabel('Search settings').fill('port listen');
  await page.getByRole('status').getByText(/^1 of/).waitFor();
  await page.getByRole('button', { name: 'How to change port' }).click();
  await page.getByText('Change the flag --port').waitFor();
  await ada.expectAccessible();
  await page.getByRole('tab', { name: 'Signing keys' }).click();
  await page.getByText('Signs tokens.').waitFor();
  await ada.expectAccessible();
  await page.getByRole('tab', { name: 'Identity providers' }).click();
  await page.getByRole('region', { name: 'dev' }).waitFor();
  await ada.expectAccessible();
  ada.expectNoComplaint();
});

test('the health of the server is shown, and a backup is downloaded', async () => {
  const { page } = ada;
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText('Ready', { exact: true }).waitFor();
  // Data is named in words, not by the tables of the database.
  const data = await page.getByRole('region', { name: 'Data' }).innerText();
  expect(data).toContain('Memberships');
  expect(data).not.toMatch(/[a-z]_[a-z]/);
  await ada.expectAccessible();
  if (engine() === 'sqlite') {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download a backup' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.gz$/);
    expect([...readFileSync(await download.path()).subarray(0, 2)]).toEqual([0x1f, 0x8b]);
    await page.getByText('The backup was downloaded.').waitFor();
  } else await page.getByText('pg_dump').waitFor();
  ada.expectNoComplaint();
});

test('who does not administer the server is told so at its pages, and asks for nothing there', async () => {
  const other = await newPerson(browser, world.origin);
  await world.member('eve@example.org');
  await world.signIn(other, '/console/health', 'eve@example.org');
  await other.page.getByRole('heading', { name: 'Only for administrators of the server' }).waitFor();
  await other.page.goto(`${world.origin}/console/settings`);
  await other.page.getByRole('heading', { name: 'Only for administrators of the server' }).waitFor();
  other.expectNoComplaint();
  await other.context.close();
});

test('a user is erased, and what remains is said', async () => {
  const { page } = ada;
  const userId = await idOfMember(bob);
  await page.getByRole('link', { name: 'People' }).click();
  await choose('Erase…');
  expect(await page.getByRole('button', { name: 'Erase user' }).isDisabled()).toBe(true);
  await page.getByLabel(/Type the user id/).fill(String(userId));
  await ada.expectAccessible();
  await confirm('Erase user');
  await page.getByRole('heading', { name: `User ${userId} was erased` }).waitFor();
  await confirm('Close');
  await page.getByText(bob).waitFor({ state: 'detached' });
  expect(await memberNow(bob)).toBeUndefined();
  ada.expectNoComplaint();
});
