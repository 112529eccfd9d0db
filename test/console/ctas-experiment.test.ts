import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { newPerson, openChromium, phone, type Person } from './browser.ts';
import { openWorld, type ConsoleWorld } from './world.ts';

/** On the example, a marketer reads an experiment, lets more users in, ships the better variant, and plans and starts another. */
let browser: Browser;
let world: ConsoleWorld;
let person: Person;
beforeAll(async () => {
  [browser, world] = await Promise.all([openChromium(), openWorld(['--dev', '--demo'])]);
  person = await newPerson(browser, world.origin);
  await world.signIn(person);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const open = (path: string) => person.page.goto(`${world.origin}/console${path}`);
const idOf = async (search: string) => {
  const { ctas } = await world.must('list-ctas', { search });
  return String((ctas as ReadonlyArray<{ ctaId: string }>)[0]?.ctaId);
};

test('the verdict says which variant is better, and by how much', async () => {
  const { page } = person;
  await open('/ctas');
  await page.getByRole('link', { name: 'Welcome voucher' }).click();
  await page.getByRole('tab', { name: 'Experiment' }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results
    .getByText(/“free-delivery” converts better than “five-euros”: \d+\.\d % instead of/)
    .waitFor();
  const arms = page.getByRole('region', { name: 'Arms' });
  const { arms: counted } = await world.must('get-experiment-results', { ctaId: await idOf('Five euros') });
  for (const { key, users } of counted as ReadonlyArray<{ key: string; users: number }>)
    await arms.getByRole('row', { name: new RegExp(`${key}.* 50 % ${users} `) }).waitFor();
  await person.expectAccessible();
  await page.getByRole('button', { name: /Least improvement/ }).click();
  await page.getByRole('option', { name: '5 %', exact: true }).click();
  await results.getByText(/^Not enough yet: \d+ of [\d,]+ users an arm\.$/).waitFor();
  expect(page.url()).toContain('lift=5');
  await page.goBack();
});

test('more users take part, and the shipped variant is a new version', async () => {
  const { page } = person;
  const ctaId = await idOf('Five euros');
  await open(`/ctas/${ctaId}?tab=experiment`);
  await page.getByRole('button', { name: 'Let more users take part…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Percent of all users').fill('70');
  await dialog.getByText('must be more than 80 %').waitFor();
  await dialog.getByLabel('Percent of all users').fill('90');
  await dialog.getByRole('button', { name: 'Raise coverage' }).click();
  await page.getByText('90 % of all users take part from now on.').waitFor();
  await page.getByText('· version 3 ·').waitFor();

  await page.getByRole('button', { name: 'Stop experiment…' }).click();
  await dialog.getByText('The actions of “free-delivery” become those of the CTA, as version 4.').waitFor();
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Stop and ship free-delivery' }).click();
  await page.getByText('· version 4 ·').waitFor();
  await page.getByText('Stopped', { exact: true }).first().waitFor();
  await page.getByText(/“free-delivery” converts better/).waitFor();
  const { rule } = await world.must('get-cta', { ctaId });
  expect(JSON.stringify(rule)).toContain('FREE1');
  person.expectNoComplaint();
});

/** @see In German the two buttons covered the sentence beside them, which had the width of its shortest word. */
test('on a telephone the buttons of a planned experiment stand below what it is', async () => {
  const ctaId = await idOf('acceptance');
  const marketer = await newPerson(browser, world.origin, { ...phone, locale: 'de-DE' });
  await world.signIn(marketer, `/console/ctas/${ctaId}?tab=experiment`);
  const { page } = marketer;
  const said = await page.getByText('Geplant, nicht gestartet').boundingBox();
  const button = await page.getByRole('button', { name: 'Experiment entfernen' }).boundingBox();
  expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  expect(said?.width).toBeGreaterThan(240);
  await marketer.context.close();
});

test('a planned experiment names what happens when it starts', async () => {
  const { page } = person;
  const ctaId = await idOf('acceptance');
  await open(`/ctas/${ctaId}?tab=experiment`);
  await page.getByRole('region', { name: 'Variant nothing' }).getByLabel('Control: shows nothing').waitFor();
  await page.getByRole('button', { name: 'Start experiment…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The seed new-checkout-1 is frozen').waitFor();
  await dialog.getByRole('button', { name: 'Start experiment' }).click();
  await page.getByText('Not enough yet: no user of the experiment has seen the CTA.').waitFor();
  expect(await world.must('get-cta', { ctaId })).toMatchObject({
    experimentStartedAt: expect.any(Number),
    experimentStoppedAt: null,
  });
  await page
    .getByRole('button', { name: /^(?:Conclude|Terminate)/ })
    .first()
    .click();
  await dialog.getByText('Its experiment gets no more users').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
});

test('an experiment is added in a form, and a wrong sum of shares is named', async () => {
  const { page } = person;
  await open(`/ctas/${await idOf('third order')}?tab=experiment`);
  await page.getByRole('button', { name: 'Add an experiment' }).click();
  await page.getByLabel('Percent of all users').fill('120');
  await page.getByText('must be from 0 to 100', { exact: true }).waitFor();
  await page.getByLabel('Percent of all users').fill('12.5');
  await page.getByLabel('Percent of those who take part').first().fill('40');
  await page.getByText('The shares add up to 90 %, not to 100 %.').waitFor();
  await page.getByLabel('Percent of those who take part').last().fill('60');
  await page
    .getByRole('tablist', { name: 'What ask shows in new' })
    .getByRole('tab', { name: 'JSON' })
    .click();
  await page.getByRole('textbox', { name: 'What ask shows in new' }).fill('{"title": "Five stars?"}');
  await person.expectAccessible();
  await page.getByRole('button', { name: 'Save CTA' }).click();
  await page.getByText('Planned, not started').waitFor();
  expect((await world.must('get-cta', { ctaId: await idOf('third order') }))['experiment']).toMatchObject({
    coverage: 0.125,
    variants: [
      { key: 'as-it-is', weight: 0.4 },
      { key: 'new', weight: 0.6, actions: [{ template: { title: 'Five stars?' } }] },
    ],
  });
  person.expectNoComplaint();
});

test('limits across all CTAs are set and read back, and a holdout is made and deleted', async () => {
  const { page } = person;
  await open('/ctas');
  await page.getByText('no limits across CTAs · 1 holdout').click();
  await page.getByRole('button', { name: 'Change limits…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('CTAs in 24 hours at most').fill('3');
  await dialog.getByLabel('Gap between two').fill('15');
  await dialog.getByLabel('Quiet from').fill('22:00');
  await dialog.getByLabel('Quiet until').fill('07:00');
  await dialog.getByLabel('Time zone').fill('Europe/Rome');
  await person.expectAccessible();
  await dialog.getByRole('button', { name: 'Save limits' }).click();
  const limits = page.getByRole('region', { name: 'Limits across all CTAs' });
  await limits.getByText('15 minutes between two').waitFor();
  await limits.getByText('none from 22:00 to 07:00').waitFor();
  expect(await world.must('get-delivery-limits', {})).toMatchObject({
    global: {
      minGapSeconds: 900,
      perDay: 3,
      quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Rome' },
    },
  });
  await page.getByRole('button', { name: 'Change limits…' }).click();
  expect(await dialog.getByLabel('Gap between two').inputValue()).toBe('15');
  // Somebody else changes another limit while this person types.
  await world.must('set-delivery-limits', { global: { minGapSeconds: 900, perDay: 5 } });
  await dialog.getByLabel('Gap between two').fill('20');
  await dialog.getByRole('button', { name: 'Save limits' }).click();
  await limits.getByText('20 minutes between two').waitFor();
  expect(await world.must('get-delivery-limits', {})).toMatchObject({
    global: { minGapSeconds: 1_200, perDay: 5 },
  });

  await page.getByRole('button', { name: 'Create holdout…' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('half-of-nobody');
  await dialog.getByLabel('Percent of all users').fill('0.5');
  await dialog.getByRole('button', { name: 'Create holdout' }).click();
  await page.getByRole('button', { name: 'Delete half-of-nobody…' }).click();
  await dialog.getByRole('button', { name: 'Delete holdout' }).click();
  await page.getByText('The holdout half-of-nobody was deleted.').waitFor();
  await person.expectAccessible();
  person.expectNoComplaint();
});

test('a telephone shows the experiment without sideways scrolling of the page', async () => {
  const caller = await newPerson(browser, world.origin, phone);
  await world.signIn(caller, `/console/ctas/${await idOf('Five euros')}?tab=experiment`);
  await caller.page.getByText(/“free-delivery” converts better/).waitFor();
  expect(await caller.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
    phone.width,
  );
});
