import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { compiled, createToken } from '../executable.ts';
import { engine } from '../../core/db/query/engine.ts';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/*
 * The whole way of a change that an agent makes: an administrator asks for reviews of agents, an agent changes a test over MCP, a lead sees
 * who and what, approves and merges.
 */

let browser: Browser;
let world: ConsoleWorld;
let admin: Person;
let lead: Person;
let agent: Client;
let projectId: number;
let testId: number;

beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const made = await world.must('create-test', {
    projectId,
    testName: 'Pay',
    testDescription: 'With a card',
    steps: [{ action: 'Open' }, { action: 'Pay', expected: 'Thanks' }],
  });
  testId = Number(made['testId']);
  agent = new Client({ name: 'claude-code', title: 'Claude Code', version: '2.0' });
  const bearer = { headers: { authorization: `Bearer ${await agentToken()}` } };
  const address = new URL(`${world.origin}/mcp?toolsets=testmgmt,extra`);
  await agent.connect(new StreamableHTTPClientTransport(address, { requestInit: bearer }) as never);
  [admin, lead] = [await newPerson(browser, world.origin), await newPerson(browser, world.origin)];
  await world.signIn(admin, `/console/projects/${projectId}/settings`);
  await world.signIn(lead, `/console/projects/${projectId}/tests`, 'lin@example.org');
}, 60_000);
afterAll(async () => {
  await agent.close();
  await browser.close();
  await world.stop();
});

/** The token of a member whose agent writes. */
async function agentToken(): Promise<string> {
  if (engine() === 'postgres') return world.token;
  await world.member('bob@example.org');
  return createToken(compiled, ['--data', world.data], 'bob@example.org');
}

const details = () => world.must('get-test-details', { projectId, testId });
const badge = (person: Person) =>
  person.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Reviews/ });

async function byAgent(tool: string, input: Record<string, unknown>) {
  const answer = await agent.callTool({ name: tool, arguments: input });
  return answer.structuredContent as {
    readonly written: false;
    readonly message: string;
    readonly reviews: ReadonlyArray<{ readonly reviewId: number }>;
  };
}

/** How it looks on a telephone: nothing is wider than the window. */
async function onTelephone(person: Person, picture: string): Promise<void> {
  const { page } = person;
  await page.setViewportSize({ width: 390, height: 844 });
  try {
    const sideways = await page.evaluate(() => {
      const main = document.querySelector('main');
      return [
        document.documentElement.scrollWidth - innerWidth,
        main ? main.scrollWidth - main.clientWidth : 0,
      ];
    });
    expect([picture, sideways]).toEqual([picture, [0, 0]]);
    const directory = process.env['TRIVET_PHONE_PICTURES'];
    if (directory !== undefined) await page.screenshot({ path: `${directory}/${picture}.png` });
  } finally {
    await page.setViewportSize({ width: 1280, height: 800 });
  }
}

test('an administrator asks for reviews of what agents write', async () => {
  const { page } = admin;
  await page.getByRole('radio', { name: /^Nobody’s/ }).waitFor();
  await page.getByText('Those of agents', { exact: true }).click();
  await page.getByText('The setting was saved.').waitFor();
  expect(await world.must('get-project-detail', { projectId })).toMatchObject({ review: 'agents' });
  await admin.expectAccessible();
  await onTelephone(admin, 'review-setting');
  admin.expectNoComplaint();
});

test('what an agent changes is a proposal with its name, which a lead approves and merges', async () => {
  const answer = await byAgent('update-test', {
    testId,
    testName: 'Pay by card',
    steps: [{ action: 'Open' }, { action: 'Pay now', expected: 'Thanks' }, { action: 'Leave' }],
  });
  expect(answer.message).toStartWith(`Proposed, not written: review ${answer.reviews[0]?.reviewId}.`);
  expect(await details()).toMatchObject({ testName: 'Pay', version: 1 });

  const { page } = lead;
  await page.reload();
  await badge(lead).getByText('1', { exact: true }).waitFor();
  await badge(lead).click();
  const row = page.getByRole('row').filter({ hasText: 'Claude Code' });
  await row.getByText('Name, Steps').waitFor();
  await lead.expectAccessible();
  await onTelephone(lead, 'reviews');
  await row.getByRole('link', { name: 'Pay' }).click();
  await page.getByText(/, via Claude Code proposes to change the test/).waitFor();
  const changes = page.getByRole('region', { name: 'What it changes' });
  for (const [kind, text] of [
    ['del', 'Pay'],
    ['ins', 'Pay by card'],
    ['del', '2. Pay\nExpected: Thanks'],
    ['ins', '2. Pay now\nExpected: Thanks'],
    ['ins', '3. Leave'],
  ] as const)
    await changes.locator(kind).getByText(text, { exact: true }).first().waitFor();
  await lead.expectAccessible();
  await onTelephone(lead, 'review');
  expect(await page.getByRole('button', { name: 'Merge' }).count()).toBe(0);
  await page.getByLabel('Comment').fill('Clearer now');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('region', { name: 'Verdicts' }).getByText('Clearer now').waitFor();
  await page.getByRole('button', { name: 'Merge' }).click();
  await page.getByText('Merged into Pay.').waitFor();
  expect(await details()).toMatchObject({
    testName: 'Pay by card',
    version: 2,
    steps: [{}, { action: 'Pay now' }, { action: 'Leave' }],
  });
  await onTelephone(lead, 'review-merged');
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${testId}`);
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByText(/of .*, via Claude Code/).waitFor();
  await page.getByRole('button', { name: 'What changed in version 2' }).click();
  await page.locator('.difference ins').first().waitFor();
  await onTelephone(lead, 'versions');
  await page.getByRole('link', { name: /^Proposal \d/ }).click();
  await page.getByRole('heading', { level: 1, name: /^Proposal/ }).waitFor();
  lead.expectNoComplaint();
});

test('a verdict about a proposal that changed meanwhile is refused, and the page shows what is there now', async () => {
  const first = await byAgent('update-test', { testId, testDescription: 'With any card' });
  const reviewId = first.reviews[0]?.reviewId ?? 0;
  const { page } = lead;
  await page.goto(`${world.origin}/console/projects/${projectId}/reviews/${reviewId}`);
  await page.locator('.difference ins').getByText('With any card').waitFor();
  // The page asks for news every two seconds: the press comes first.
  await page.route('**/api/tools/get-review', () => {});
  await byAgent('propose-test-change', {
    projectId,
    testId,
    reviewId,
    set: { testDescription: 'Without a card' },
  });
  await page.getByRole('button', { name: 'Approve' }).click();
  await page
    .getByRole('alert')
    .getByText(/changed after you read it/)
    .waitFor();
  expect(await world.must('get-review', { reviewId })).toMatchObject({ state: 'open' });
  await page.unroute('**/api/tools/get-review');
  await page.reload();
  await page.locator('.difference ins').getByText('Without a card').waitFor();
  await page.getByLabel('Comment').fill('No');
  await page.getByRole('button', { name: 'Request changes' }).click();
  await page
    .getByText(/requested changes/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.locator('.badge').getByText('declined', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Decline' }).count()).toBe(0);
  lead.expectNoComplaint('status of 409');
});

test('with everybody’s changes reviewed, the form proposes, and a conflict is shown before the merge', async () => {
  await world.must('edit-project', { projectId, review: 'all' });
  const { page } = lead;
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${testId}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Propose change' }).waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Pay with a card');
  await lead.expectAccessible();
  await page.getByRole('button', { name: 'Propose change' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).click();
  await page.getByText('You proposed it, so somebody else approves it.').waitFor();
  expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  await world.must('edit-project', { projectId, review: 'off' });
  await world.must('update-test', { testId, testName: 'Pay somehow' });
  await admin.page.goto(page.url());
  await admin.page.getByText('The test was changed since, in the same place: name.').waitFor();
  await admin.page.getByRole('button', { name: 'Approve' }).click();
  const merging = admin.page.getByRole('button', { name: 'Merge' });
  await merging.waitFor();
  expect(await merging.isDisabled()).toBe(true);
  await onTelephone(admin, 'review-conflict');
  lead.expectNoComplaint();
  admin.expectNoComplaint();
});

test('a member proposes instead by choice, and an agent proposes a deletion', async () => {
  const { page } = lead;
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${testId}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Description').fill('By choice');
  await page.getByRole('button', { name: 'Propose instead' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).waitFor();
  expect(await details()).toMatchObject({ testDescription: 'With a card' });
  await onTelephone(lead, 'undo-toast');
  await world.must('edit-project', { projectId, review: 'agents' });
  const { reviews } = await byAgent('delete-test', { projectId, testId });
  await page.goto(`${world.origin}/console/projects/${projectId}/reviews/${reviews[0]?.reviewId}`);
  await page.getByText(/proposes to delete the test/).waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Merge' }).click();
  await page.getByText(/^Merged into/).waitFor();
  expect((await world.must('get-tests', { projectId }))['total']).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(/^Undone/).waitFor();
  expect((await world.must('get-tests', { projectId }))['total']).toBe(1);
  lead.expectNoComplaint();
});

test('a comment that one types can still be read when somebody else merges the proposal meanwhile', async () => {
  const { page } = admin;
  const set = { testName: 'Pay later' };
  const { reviewId } = await world.must('propose-test-change', { projectId, set });
  await page.goto(`${world.origin}/console/projects/${projectId}/reviews/${String(reviewId)}`);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('approved', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Merge' }).waitFor();
  await page.getByLabel('Comment').fill('Ask the bank first');
  await world.must('merge-test-change', { reviewId });
  await page.getByText('there is nothing to decide any more').waitFor();
  expect(await page.getByLabel('Comment').last().inputValue()).toBe('Ask the bank first');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByText('there is nothing to decide any more').waitFor({ state: 'detached' });
  admin.expectNoComplaint();
});

/** @see After each verdict by key the focus was nowhere: the next Tab began at the top of the page. */
test('the focus stays at the verdict that was pressed, and is in the page after the last one', async () => {
  const { page } = lead;
  const set = { testDescription: 'By key' };
  const { reviewId } = await world.must('propose-test-change', { projectId, testId, set });
  await page.goto(`${world.origin}/console/projects/${projectId}/reviews/${String(reviewId)}`);
  const focused = () =>
    page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent}`);
  for (const [name, said] of [
    ['Request changes', 'changes requested'],
    ['Approve', 'approved'],
  ] as const) {
    await page.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Proposal' }).getByText(said, { exact: true }).waitFor();
    expect(await focused()).toBe(`BUTTON ${name}`);
  }
  await page.getByRole('button', { name: 'Merge' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Decide' }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.tagName === 'MAIN');
  lead.expectNoComplaint();
});

/** @see The author could only withdraw: whoever proposed again had two proposals side by side, and typed everything a second time. */
test('whose proposal needs changes changes it, and it stays one proposal', async () => {
  const { page } = lead;
  const { testId: other } = await world.must('create-test', {
    projectId,
    testName: 'Cancel',
    preconditions: 'An order',
    estimateSeconds: 60,
  });
  const path = `${world.origin}/console/projects/${projectId}/tests/${String(other)}`;
  await page.goto(path);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Cancel an order');
  await page.getByLabel('Estimate').fill('2 m');
  await page.getByRole('button', { name: 'Propose instead' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).click();
  await page.getByText('You proposed it, so somebody else approves it.').waitFor();
  const review = page.url();
  await admin.page.goto(review);
  await admin.page.getByLabel('Comment').fill('Which order?');
  await admin.page.getByRole('button', { name: 'Request changes' }).click();
  await page.getByText('Changes were requested. Change the proposal').waitFor();
  expect(await admin.page.getByRole('link', { name: 'Change the proposal' }).count()).toBe(0);

  // Whoever edits the test instead learns of the proposal.
  await page.goto(path);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByText('You have proposed a change of this test').getByRole('link').click();
  await page.waitForURL(review);
  const changing = page.getByRole('link', { name: 'Change the proposal' });
  await changing.click();
  await page.getByRole('button', { name: 'Propose change' }).waitFor();
  // Nothing was typed, so nothing is kept.
  await page.goto(review);
  await changing.click();
  await page.getByRole('button', { name: 'Propose change' }).waitFor();
  expect(await page.getByText('You typed this before').count()).toBe(0);
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Cancel an order');
  expect(await page.getByLabel('Estimate').inputValue()).toBe('2 m');
  await lead.expectAccessible();
  await page.getByLabel('Name', { exact: true }).fill('Cancel a paid order');
  await page.getByLabel('Why').fill('One that is paid');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Cancel a paid order');
  await page.getByRole('button', { name: 'Propose change' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).click();
  await page.waitForURL(review);
  const verdicts = page.getByRole('region', { name: 'Verdicts' });
  await verdicts.getByText('of an earlier proposal').waitFor();
  await page.getByRole('region', { name: 'Proposal' }).getByText('One that is paid').waitFor();
  const found = await world.must('list-reviews', { projectId, testId: other });
  expect(found).toMatchObject({
    total: 1,
    reviews: [{ state: 'open', fields: ['testName', 'estimateSeconds'] }],
  });
  expect(await world.must('get-test-details', { projectId, testId: other })).toMatchObject({
    testName: 'Cancel',
  });
  lead.expectNoComplaint();
});

/** @see The proposal had the present version as its base: merged, it took back what somebody else had changed, and showed no conflict. */
test('what somebody else changed while the form was open is in the proposal, or asked about', async () => {
  const { page } = lead;
  const { testId: other } = await world.must('create-test', {
    projectId,
    testName: 'Ship',
    steps: [{ action: 'Pack' }, { action: 'Send' }],
  });
  const set = async () => {
    const listed = await world.must('list-reviews', { projectId, testId: other });
    const [review] = listed['reviews'] as ReadonlyArray<{ readonly reviewId: number }>;
    const { changes } = await world.must('get-review', { reviewId: review?.reviewId });
    return (changes as ReadonlyArray<{ field: string; to: unknown }>).map(({ field, to }) => [field, to]);
  };
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${String(other)}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Step 2', { exact: true }).fill('Send it today');
  await page.getByLabel('Name', { exact: true }).fill('Ship an order');
  await world.must('update-test', { testId: other, steps: [{ action: 'Pack it' }, { action: 'Send' }] });
  await page.getByRole('button', { name: 'Propose instead' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).waitFor();
  expect(await set()).toEqual([
    ['testName', 'Ship an order'],
    ['steps', [{ action: 'Pack it' }, { action: 'Send it today' }]],
  ]);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ship two orders');
  await world.must('update-test', { testId: other, testName: 'Ship all' });
  await page.getByRole('button', { name: 'Propose instead' }).click();
  await page.getByText('Both of you changed: Name.').waitFor();
  await lead.expectAccessible();
  expect(await set()).toContainEqual(['testName', 'Ship an order']);
  await page.getByRole('button', { name: 'Replace it with mine' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  expect(await set()).toEqual([['testName', 'Ship two orders']]);
  expect(await world.must('get-test-details', { projectId, testId: other })).toMatchObject({
    testName: 'Ship all',
  });
  lead.expectNoComplaint();
});

/** @see A double click on a busy page made two proposals, and two verdicts with the same comment. */
test('a double click proposes once, and decides once', async () => {
  const { page } = lead;
  const { testId: other } = await world.must('create-test', { projectId, testName: 'Refund' });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${String(other)}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Refund in part');
  await page.getByRole('button', { name: 'Propose instead' }).dblclick();
  await page.getByRole('button', { name: 'Show proposal' }).waitFor();
  const found = await world.must('list-reviews', { projectId, testId: other });
  expect(found).toMatchObject({ total: 1 });
  const [review] = found['reviews'] as ReadonlyArray<{ readonly reviewId: number }>;
  await admin.page.goto(`${world.origin}/console/projects/${projectId}/reviews/${review?.reviewId}`);
  await admin.page.getByLabel('Comment').fill('Once');
  await admin.page.getByRole('button', { name: 'Approve' }).dblclick();
  await admin.page.getByRole('button', { name: 'Merge' }).waitFor();
  const decided = await world.must('get-review', { reviewId: review?.reviewId });
  expect(decided['verdicts']).toMatchObject([{ verdict: 'approve', comment: 'Once' }]);
  lead.expectNoComplaint();
  admin.expectNoComplaint();
});

/** @see Only the tool could ask somebody in particular: in the console everybody was asked, always. */
test('whoever proposes asks somebody, and asks everybody again when the proposal is changed', async () => {
  const { page } = lead;
  await world.must('edit-project', { projectId, review: 'all' });
  await world.member('mia@example.org');
  const { total: before } = await world.must('list-reviews', { projectId });
  await page.goto(`${world.origin}/console/projects/${projectId}/tests/${testId}`);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Preconditions').fill('A card');
  const ask = page.getByRole('group', { name: 'Ask' });
  await ask.getByText('mia@example.org').click();
  expect(await ask.getByText('lin@example.org').count()).toBe(0);
  await lead.expectAccessible();
  await page.getByRole('button', { name: 'Propose change' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).click();
  const proposal = page.getByRole('region', { name: 'Proposal' });
  await proposal.getByText('Reviewers').waitFor();
  await proposal.getByText('mia@example.org').waitFor();
  await page.getByRole('link', { name: 'Change the proposal' }).click();
  expect(await ask.getByRole('checkbox', { name: 'mia@example.org' }).isChecked()).toBe(true);
  await ask.getByText('mia@example.org').click();
  await page.getByRole('button', { name: 'Propose change' }).click();
  await page.getByRole('button', { name: 'Show proposal' }).click();
  await proposal.getByText('Reviewers').waitFor({ state: 'detached' });
  expect(await world.must('list-reviews', { projectId })).toMatchObject({ total: Number(before) + 1 });
  await world.must('edit-project', { projectId, review: 'agents' });
  lead.expectNoComplaint();
});
