import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

const hostile = '<img src=x onerror=alert(1)> [x](javascript:alert(1))';
const rule = {
  stateTransition: {
    cart_opened: {
      '0': [
        {
          transitionTo: '1',
          filters: {
            operator: 'AND',
            filter: [
              {
                propertyName: 'amount',
                propertyType: 'number',
                comparisonType: '>',
                comparisonValue: 50,
              },
            ],
          },
        },
      ],
    },
    banner_closed: { '1': [{ transitionTo: '2' }] },
  },
  stateToAction: { '1': 'banner' },
  resetStates: ['2'],
  frequency: { session: { limit: 1 } },
  actions: [{ actionId: 'banner', type: 'NUDGE_UI', template: { text: hostile } }],
};

let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld()]);
  await world.must('create-cta', { name: 'Free delivery', rule });
  await world.must('create-cta', {
    name: hostile,
    rule: { ...rule, cohortEligibility: { includes: ['beta'] } },
  });
  await world.must('create-cta', {
    name: 'Third',
    rule: { stateToAction: {}, stateTransition: {}, actions: [] },
  });
  for (const ctaId of ['2', '3']) await world.must('set-cta-status', { ctaId, status: 'LIVE' });
  person = await newPerson(browser, world.origin);
  await world.signIn(person, '/console/try?ctas=1');
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

test('events are typed, and the timeline says what an app does and what is held back', async () => {
  const { page } = person;
  const step = (number: number) => page.getByRole('listitem', { name: `Step ${number}` });
  await step(1).getByRole('textbox', { name: 'Event' }).fill('cart_opened');
  await step(1).getByRole('button', { name: 'Add property' }).click();
  await step(1).getByLabel('Property', { exact: true }).fill('amount');
  await step(1).getByLabel('Value').fill('80');
  await page.getByRole('button', { name: 'Add banner_closed' }).click();
  await page.getByRole('button', { name: 'Add cart_opened' }).click();
  await step(3).getByRole('button', { name: 'As JSON' }).click();
  await step(3).getByLabel('Properties as JSON').fill('{"amount": 90}');
  await step(3).getByLabel('Seconds after').fill('60');
  await page.getByRole('button', { name: 'Add step' }).click();
  await step(4).getByRole('textbox', { name: 'Event' }).fill(hostile);
  await page.getByLabel('Time zone').fill('Europe/Rome');
  await page.getByRole('button', { name: 'Run simulation' }).click();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('shows banner (NUDGE_UI)').waitFor();
  await timeline.getByText(/reset in state 2 \(Ends after .*\): one impression/).waitFor();
  await timeline.getByText(/held back by frequency\.session.*1 in this session/).waitFor();
  await timeline.getByText(hostile).waitFor();
  await page.getByRole('region', { name: 'States in the end' }).getByText('1 impression').waitFor();
  await person.expectAccessible();

  await page.reload();
  expect(await step(3).getByLabel('Seconds after').inputValue()).toBe('60');
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Rome');
  await page.getByLabel('Time zone').fill('');
  await page.getByRole('button', { name: 'Run simulation' }).click();
  await timeline.getByText('shows banner (NUDGE_UI)').waitFor();
  await page.getByText('All that a launch would send').click();
  await page.getByLabel('User id').fill('abc');
  await page.getByRole('button', { name: 'Run simulation' }).click();
  await page.getByRole('alert').getByText('userId').waitFor();
  await page.getByLabel('User id').fill('');
  await page.getByRole('button', { name: 'Run simulation' }).click();
  await timeline.getByText('Nothing happens.').first().waitFor();
  person.expectNoComplaint('status of 400');
});

test('a user is explained gate by gate', async () => {
  const { page } = person;
  await page.getByRole('tab', { name: 'Explain' }).click();
  await page.getByLabel('User id').fill('7');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('img', { name: '0 of 19 gates are open, closed at Status' }).waitFor();
  await page.getByRole('img', { name: '4 of 19 gates are open, closed at Cohorts' }).waitFor();
  await page.getByRole('img', { name: '19 of 19 gates are open' }).waitFor();
  await page.getByText('The user is in none of the cohorts it includes (beta)').waitFor();
  await person.expectAccessible();
  await page.waitForURL(/tab=explain.*user=7|user=7.*tab=explain/);
  await world.must('create-cohort', { cohortName: 'beta', kind: 'list', userIds: ['7'] });
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('img', { name: '19 of 19 gates are open' }).nth(1).waitFor();
  person.expectNoComplaint();
});

test('quiet hours are explained in the time zone that is typed', async () => {
  const { page } = person;
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16);
  const [hour, now] = [3_600_000, Date.now()];
  await world.must('set-delivery-limits', {
    global: { quietHours: { from: clock(now - hour), to: clock(now + hour), timeZone: 'UTC' } },
  });
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('These are quiet hours in the time zone of the user.').first().waitFor();
  await page.getByLabel('Time zone').fill('Pacific/Auckland');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page
    .getByText('These are quiet hours in the time zone of the user.')
    .first()
    .waitFor({ state: 'detached' });
  await page.waitForURL(/zone=Pacific/);
  await page.getByLabel('Time zone').fill('Middle/Earth');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('These are quiet hours in the time zone of the user.').first().waitFor();
  await world.must('set-delivery-limits', {});
  person.expectNoComplaint();
});
