import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/* Planning in a browser: a milestone with its progress, tests that are assigned, and what a person has to do. */

let browser: Browser;
let world: ConsoleWorld;
let ada: Person;
let projectId = 0;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  projectId = Number((await world.must('create-project', { orgId: 1, projectName: 'Shop' }))['projectId']);
  const names = ['Pay with a card', 'Pay with a voucher'].map((testName) => ({ testName }));
  await world.must('bulk-add-tests', { projectId, tests: names });
  ada = await newPerson(browser, world.origin);
  await world.signIn(ada, `/console/projects/${projectId}/milestones`);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('a milestone is created, filled with work, and closed', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Create milestone' }).first().click();
  await page.getByLabel('Name').fill('1.4');
  await page.getByLabel('First day').fill('2020-02-28');
  await page.getByLabel('Last day').fill('2020-01-31');
  await page.getByRole('dialog').getByRole('button', { name: 'Create milestone' }).click();
  await page.getByText('"Last day" is before "First day".').first().waitFor();
  await page.getByLabel('First day').fill('');
  await page.getByRole('dialog').getByRole('button', { name: 'Create milestone' }).click();
  await page.getByRole('link', { name: '1.4' }).waitFor();
  await page.getByText('overdue by').waitFor();
  await ada.expectAccessible();

  const { milestones } = await world.must('get-milestones', { projectId });
  const milestoneId = (milestones as Array<{ milestoneId: number }>)[0]?.milestoneId;
  const run = { projectId, runName: 'Release', query: '', milestoneId, dueOn: '2020-01-30' };
  const made = (await world.must('create-run-from-query', run))['run'] as { runId: number };

  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${made.runId}`);
  await page.getByRole('button', { name: 'Assign, assign tests' }).click();
  await page.getByRole('menuitem', { name: '2 tests of the list…' }).click();
  await page.getByRole('dialog').getByText('ada@example.org').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click();
  await page.getByText('2 tests were assigned.').first().waitFor();

  await page.getByRole('link', { name: 'My work' }).click();
  await page.getByRole('link', { name: 'Pay with a card' }).waitFor();
  await page.getByText('overdue by').waitFor();
  await page.getByText('2 tests', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: /^Pay with/ }).count()).toBe(2);
  await ada.expectAccessible();

  // What is done waits no longer: the run is open still, and its tests are still those of the person.
  const waiting = page.getByTitle('1 open run with tests of yours');
  await waiting.waitFor();
  await page.goto(`${world.origin}/console/`);
  await page.getByRole('row', { name: 'Release Shop 2 overdue' }).waitFor();
  const testResults = [1, 2].map((testId) => ({ testId, status: 'passed' }));
  await world.must('run-update-test-status', { projectId, runId: made.runId, testResults });
  await page.goto(`${world.origin}/console/projects/${projectId}/my-work`);
  await page.getByText('No test waits for you').waitFor();
  await page.getByRole('link', { name: 'Milestones' }).waitFor();
  expect(await waiting.count()).toBe(0);

  await page.getByRole('link', { name: 'Milestones' }).click();
  await page.getByRole('button', { name: 'actions for 1.4' }).click();
  await page.getByRole('menuitem', { name: 'Close…' }).click();
  await page.getByText('1 run is not locked').waitFor();
  await page.getByRole('button', { name: 'Close milestone' }).click();
  await page.getByText('1.4 is closed.').first().waitFor();
  expect(await world.must('get-milestones', { projectId })).toMatchObject({
    milestones: [{ status: 'closed', progress: { runs: 1, total: 2 } }],
  });
  ada.expectNoComplaint('400');
});

/** @see The link to the workload of a milestone showed that of another one as soon as the milestone was closed. */
test('the workload of a milestone stays at its link after the milestone was closed', async () => {
  const { page } = ada;
  const { milestones } = await world.must('get-milestones', { projectId, status: 'closed' });
  const milestoneId = (milestones as Array<{ milestoneId: number }>)[0]?.milestoneId;
  await page.goto(
    `${world.origin}/console/projects/${projectId}/plans?view=workload&of=milestone-${milestoneId}`,
  );
  await page.getByRole('button', { name: 'Milestone 1.4' }).waitFor({ timeout: 10_000 });
  await page.getByRole('row', { name: 'ada@example.org 0 2' }).waitFor({ timeout: 10_000 });
});

/** @see A milestone could only be closed, and only a plan could take one: both were tools. */
test('a milestone is edited, a run gets it and a last day, and the deletion of it is taken back', async () => {
  const { page } = ada;
  const dialog = page.getByRole('dialog');
  const choose = async (label: string, name: string) => {
    await dialog.getByRole('button', { name: new RegExp(`${label}$`) }).click();
    await page.getByRole('option', { name, exact: true }).click();
  };
  const menu = async (of: string, name: string) => {
    await page.getByRole('button', { name: of }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await world.must('create-milestone', { projectId, name: '2.0' });
  const child = await world.must('create-milestone', { projectId, name: '2.0 beta', dueOn: '2020-03-01' });
  await page.goto(`${world.origin}/console/projects/${projectId}/milestones`);
  await menu('actions for 2.0 beta', 'Edit…');
  await dialog.getByLabel('Name').fill('2.0 first beta');
  await dialog.getByLabel('Last day').fill('');
  await choose('Part of', '2.0');
  await ada.expectAccessible();
  await dialog.getByRole('button', { name: 'Save milestone' }).click();
  await page.getByText('2.0 first beta is saved.').first().waitFor();
  const stored = async () =>
    (
      (await world.must('get-milestones', { projectId }))['milestones'] as Array<Record<string, unknown>>
    ).find(({ milestoneId }) => milestoneId === child['milestoneId']);
  expect(await stored()).toMatchObject({
    name: '2.0 first beta',
    dueOn: null,
    parentMilestoneId: expect.any(Number),
  });

  await page.goto(`${world.origin}/console/projects/${projectId}/runs?new`);
  await dialog.getByLabel('Name').fill('Beta tests');
  await choose('Milestone', '2.0 first beta');
  await dialog.getByLabel('Last day').fill('2031-05-01');
  await dialog.getByRole('button', { name: 'Create run of 2 tests' }).click();
  await page.getByRole('heading', { level: 1, name: 'Beta tests' }).waitFor();
  await page.getByText('· due in ').waitFor();
  const runId = Number(/runs\/(\d+)/.exec(page.url())?.[1]);
  expect(await world.must('run-detail', { projectId, runId })).toMatchObject({
    milestoneId: child['milestoneId'],
    dueOn: '2031-05-01',
  });
  await menu('actions for the run', 'Edit…');
  await choose('Milestone', 'None');
  await dialog.getByLabel('Last day').fill('2031-05-02');
  await ada.expectAccessible();
  await dialog.getByRole('button', { name: 'Save run' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await world.must('run-detail', { projectId, runId })).toMatchObject({
    runName: 'Beta tests',
    milestoneId: null,
    dueOn: '2031-05-02',
  });

  await page.goto(`${world.origin}/console/projects/${projectId}/milestones`);
  await menu('actions for 2.0 first beta', 'Delete…');
  await dialog.getByRole('button', { name: 'Delete milestone' }).click();
  await page.getByText('2.0 first beta was deleted.').first().waitFor();
  expect(await stored()).toBeUndefined();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: '2.0 first beta' }).waitFor();
  ada.expectNoComplaint();
});

/** @see The page of such a plan failed for ever: its runs have no configurations. */
test('a plan without configurations is made, shown and closed', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/plans`);
  await page.getByRole('button', { name: 'Create plan' }).first().click();
  await page.getByLabel('Name').first().fill('Without any');
  await page.getByRole('button', { name: 'Create plan of 1 run' }).click();
  await page.getByRole('heading', { level: 1, name: 'Without any' }).waitFor();
  await page
    .getByRole('region', { name: 'Runs of the plan' })
    .getByRole('cell', { name: '–' })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Close…' }).click();
  await page.getByRole('button', { name: 'Close plan' }).click();
  await page.getByText('closed', { exact: true }).waitFor();
  ada.expectNoComplaint();
});

test('the runs of a closed plan are not overdue: their results are final', async () => {
  const { page } = ada;
  const { plan } = await world.must('create-plan', {
    projectId,
    name: 'Long ago',
    dueOn: '2020-01-02',
    entries: [{ query: 'Pay' }],
  });
  const { planId } = plan as { planId: number };
  await page.goto(`${world.origin}/console/projects/${projectId}/plans/${planId}`);
  const runs = page.getByRole('region', { name: 'Runs of the plan' });
  await runs.getByText(/^overdue by/).waitFor();
  await world.must('close-plan', { projectId, planId });
  await runs.getByText('2 Jan 2020').waitFor();
  expect(await runs.getByText(/^overdue by/).count()).toBe(0);
  ada.expectNoComplaint();
});

/** @see A value that got another name was taken from all runs, for ever and without a question. */
test('a value of a configuration is renamed and keeps its runs; a removed one is said to leave them', async () => {
  const { page } = ada;
  await world.must('create-configuration-group', {
    projectId,
    name: 'Browser',
    values: ['Chrome', 'Firefox'],
  });
  await world.must('create-plan', {
    projectId,
    name: 'Browsers',
    entries: [{ query: '', configurations: 'all' }],
  });
  const valuesOfRuns = async () => {
    const { plans } = await world.must('get-plans', { projectId });
    const { planId } = (plans as Array<{ planId: number }>)[0] ?? { planId: 0 };
    const { runs } = await world.must('get-plan', { projectId, planId });
    return (runs as Array<{ configurations?: Array<{ value: string }> }>).map(({ configurations = [] }) =>
      configurations.map(({ value }) => value).join(),
    );
  };
  expect((await valuesOfRuns()).toSorted()).toEqual(['Chrome', 'Firefox']);
  await page.goto(`${world.origin}/console/projects/${projectId}/plans?view=configurations`);
  await page.getByRole('button', { name: 'Edit Browser' }).click();
  await page.getByLabel('Value 1').fill('Chrome 130');
  await page.getByLabel('More values').fill('Safari');
  await page.getByRole('button', { name: 'Save group' }).click();
  await page.getByRole('cell', { name: 'Chrome 130, Firefox, Safari' }).waitFor();
  expect((await valuesOfRuns()).toSorted()).toEqual(['Chrome 130', 'Firefox']);
  await page.getByRole('button', { name: 'Edit Browser' }).click();
  await page.getByRole('button', { name: 'Remove Firefox' }).click();
  await page
    .getByText('Runs will no longer say that they were for Firefox. This cannot be undone.')
    .waitFor();
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Save group' }).click();
  await page.getByRole('cell', { name: 'Chrome 130, Safari' }).waitFor();
  expect((await valuesOfRuns()).toSorted()).toEqual(['', 'Chrome 130']);

  // What somebody else has added meanwhile stays, whether this person changes the name or the values.
  const add = async (name: string) => {
    const { groups } = await world.must('get-configuration-groups', { projectId });
    const [{ groupId, values }] = groups as [{ groupId: number; values: unknown[] }];
    await world.must('edit-configuration-group', { projectId, groupId, values: [...values, { name }] });
  };
  await page.getByRole('button', { name: 'Edit Browser' }).click();
  await add('Edge');
  await page.getByLabel('Name', { exact: true }).fill('Browsers');
  await page.getByRole('button', { name: 'Save group' }).click();
  await page.getByRole('cell', { name: 'Chrome 130, Safari, Edge' }).waitFor();
  await page.getByRole('button', { name: 'Edit Browsers' }).click();
  await add('Opera');
  await page.getByLabel('Value 1').fill('Chrome');
  await page.getByRole('button', { name: 'Save group' }).click();
  await page.getByRole('cell', { name: 'Chrome, Safari, Edge, Opera' }).waitFor();
  ada.expectNoComplaint();
});

test('a deleted run is said to be, and comes back with its results', async () => {
  const { page } = ada;
  const made = (await world.must('create-run-from-query', { projectId, runName: 'By mistake', query: '' }))[
    'run'
  ] as { runId: number };
  const testResults = [{ testId: 1, status: 'failed' }];
  await world.must('run-update-test-status', { projectId, runId: made.runId, testResults });
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${made.runId}`);
  await page.getByRole('button', { name: 'actions for the run' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete run' }).click();
  await page.getByText('By mistake was deleted.').waitFor();
  // The page of the run is there until that of the runs has loaded.
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  const link = page.getByRole('link', { name: 'By mistake' });
  await link.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Restore' }).click();
  await link.waitFor();
  expect(await world.must('run-detail', { projectId, runId: made.runId })).toMatchObject({
    counts: { failed: 1 },
  });
  // Also later, where its address is opened.
  await world.must('delete-run', { projectId, runId: made.runId });
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${made.runId}`);
  await page.getByRole('heading', { name: 'This run is deleted' }).waitFor();
  await ada.expectAccessible();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('heading', { level: 1, name: 'By mistake' }).waitFor();
  // The page of the run asks for it once more while it is left.
  ada.expectNoComplaint('404');
});

/** @see It went on as "connecting…" with all its results and buttons, also after the run had come back. */
test('a run that somebody else deletes while it is open is said to be, and goes on when it is back', async () => {
  const { page } = ada;
  const made = (await world.must('create-run-from-query', { projectId, runName: 'Shared', query: '' }))[
    'run'
  ] as { runId: number };
  const ids = { projectId, runId: made.runId };
  await page.goto(`${world.origin}/console/projects/${projectId}/runs/${made.runId}`);
  await page.getByText('live', { exact: true }).waitFor();
  await world.must('delete-run', ids);
  await page.getByRole('heading', { name: 'This run is deleted' }).waitFor();
  await world.must('restore-run', ids);
  await page.getByRole('heading', { level: 1, name: 'Shared' }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await world.must('run-update-test-status', { ...ids, testResults: [{ testId: 2, status: 'blocked' }] });
  await page.getByRole('gridcell', { name: 'Blocked' }).waitFor();
  ada.expectNoComplaint('404');
});

test('after a refusal the keys go on in the dialog: the button keeps the focus, Tab and Escape work', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/milestones`);
  await page.getByRole('button', { name: 'Create milestone' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Refused');
  await dialog.getByLabel('First day').fill('2026-12-20');
  await dialog.getByLabel('Last day').fill('2026-12-10');
  const create = dialog.getByRole('button', { name: 'Create milestone' });
  await create.focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  expect(await create.evaluate((button) => button === document.activeElement)).toBe(true);
  // Whatever takes the focus away, e.g. a row that is deleted in the dialog.
  const lose = () => page.evaluate(() => (document.activeElement as HTMLElement).remove());
  await dialog.getByLabel('Name').focus();
  await lose();
  await page.keyboard.press('Tab');
  expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true);
  await lose();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  ada.expectNoComplaint('status of 400');
});

test('who leaves a dialog while it is saving hears that it was refused, and finds what was typed', async () => {
  const { page } = ada;
  const answered = Promise.withResolvers<void>();
  await page.route('**/api/tools/create-milestone', async (route) => {
    await answered.promise;
    await route.fulfill({ status: 503, json: { error: { code: 'NOT_READY', message: 'It is full.' } } });
  });
  await page.getByRole('button', { name: 'Create milestone' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Release 9');
  await page.keyboard.press('Enter');
  await page.locator('form[aria-busy="true"]').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  answered.resolve();
  await page.getByText('It is full.').waitFor();
  await page.unroute('**/api/tools/create-milestone');
  await page.getByRole('button', { name: 'Create milestone' }).first().click();
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Release 9');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  ada.expectNoComplaint('status of 503');
});

test('a plan that was begun can be created although a group of configurations is deleted meanwhile', async () => {
  const { page } = ada;
  const made = await world.must('create-project', { orgId: 1, projectName: 'Office' });
  const officeId = Number(made['projectId']);
  await world.must('bulk-add-tests', { projectId: officeId, tests: [{ testName: 'Print' }] });
  const group = (name: string) =>
    world.must('create-configuration-group', {
      projectId: officeId,
      name,
      values: [`${name} 1`, `${name} 2`],
    });
  await group('Printer');
  await group('Paper');
  await page.goto(`${world.origin}/console/projects/${officeId}/plans`);
  await page.getByRole('button', { name: 'Create plan' }).first().click();
  await page.getByLabel('Name').first().fill('Begun');
  await page.getByText('Printer: Printer 1, Printer 2').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Configurations' }).click();
  await page.getByRole('button', { name: 'Delete Printer' }).click();
  await page.getByRole('button', { name: 'Delete group' }).click();
  await page.getByText('Printer was deleted.').waitFor();
  await page.getByRole('button', { name: 'Delete Printer' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create plan' }).first().click();
  await page.getByText('You typed this before').waitFor();
  await page.getByRole('button', { name: /^Create plan of \d+ runs$/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Begun' }).waitFor();
  ada.expectNoComplaint();
});

/** @see The tab Workload knew only the 50 plans of the page that the list showed, and showed another one for a link to an older plan. */
test('the workload of a plan is shown although newer plans fill the first page of the list', async () => {
  const { page } = ada;
  const entries = [{ testIds: [1] }];
  const { plan } = await world.must('create-plan', { projectId, name: 'The oldest', entries });
  for (let count = 0; count < 50; count++)
    await world.must('create-plan', { projectId, name: `Newer ${count}`, entries });
  const { planId } = plan as { planId: number };
  await page.goto(`${world.origin}/console/projects/${projectId}/plans?view=workload&of=plan-${planId}`);
  await page.getByRole('button', { name: 'The oldest' }).waitFor({ timeout: 10_000 });
});

test('the workload of a closed plan says what was left open', async () => {
  const { page } = ada;
  const entries = [{ testIds: [1, 2] }];
  const made = await world.must('create-plan', { projectId, name: 'Given up', entries });
  const { planId } = made['plan'] as { planId: number };
  const { runs } = await world.must('get-runs', { projectId, query: 'name:"Given up"' });
  const [run] = runs as ReadonlyArray<{ runId: number }>;
  const testResults = [{ testId: 1, status: 'passed' }];
  await world.must('run-update-test-status', { projectId, runId: run?.runId, testResults });
  await page.goto(`${world.origin}/console/projects/${projectId}/plans/${planId}`);
  const row = page.getByRole('row').filter({ hasText: 'Nobody' });
  await row.filter({ hasText: /50\s%/ }).waitFor();
  await page.getByRole('button', { name: 'Close…' }).click();
  await page.getByRole('button', { name: 'Close plan' }).click();
  await page.getByRole('columnheader', { name: 'Left open' }).waitFor();
  expect((await row.innerText()).split(/\s+/)).toEqual(
    expect.arrayContaining(['Nobody', '0', '1', '50', '%']),
  );
  ada.expectNoComplaint();
});

test('the workload of a milestone that is gone says so, and is not that of another one', async () => {
  const { page } = ada;
  await page.goto(`${world.origin}/console/projects/${projectId}/plans?view=workload&of=milestone-99999`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor({ timeout: 10_000 });
  await page.getByRole('button', { name: 'Milestone #99999' }).waitFor();
  ada.expectNoComplaint('404');
});

/** @see A button "Try again" at the address of a plan or a proposal that is gone. */
test.each(['plans/99999', 'reviews/99999', 'runs/99999', 'tests/99999'])(
  '%s is not found, and is not tried again',
  async (path) => {
    const { page } = ada;
    await page.goto(`${world.origin}/console/projects/${projectId}/${path}`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor({ timeout: 10_000 });
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await ada.expectAccessible();
    ada.expectNoComplaint('404');
  },
);
