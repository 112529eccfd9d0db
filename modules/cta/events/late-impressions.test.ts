import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { deltaPath, eventsPath, freshUser, startCtaKernel } from '../testing/cta-kernel.ts';

/*
 * An app that was offline sends its state first and then what it measured, so the server knows all turns of a CTA when an impression from
 * before them comes.
 */
const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

/** At the time after the letter: `a`ction, `c`ompletion, `d`ismissal, `i`mpression. */
const cases: ReadonlyArray<readonly [what: string, happened: string, counted: number]> = [
  ['shown once, painted three times', 'a1 i1 i2 i3', 1],
  ['painted again, closed, shown again', 'a1 i1 i2 i3 c4 a5 i5 i6', 2],
  ['shown three times', 'a1 i2 c3 a4 i5 c6 a7 i8', 3],
  ['an action that leads to another one', 'a1 i1 a2 i2 i3', 2],
  ['dismissed, which the state does not tell', 'a1 i1 d2 i3 i4 d5 i6 c9', 3],
];
const parts = (happened: string) =>
  happened.split(' ').map((part) => [part[0] ?? '', clock.now() - 60_000 + Number(part.slice(1))] as const);

async function report(user: string, ctaId: string, happened: string) {
  const all = parts(happened);
  const timesOf = (kind: string) => all.filter(([one]) => one === kind).map(([, at]) => at);
  const types: Readonly<Record<string, string>> = { i: 'impression', d: 'dismiss' };
  const events = all.flatMap(([kind, at]) =>
    types[kind] === undefined ? [] : [{ id: `${kind}${at}`, type: types[kind], ctaId, at }],
  );
  const cta = { ctaId, activeStateMachines: {}, actionDoneAt: timesOf('a'), resetAt: timesOf('c') };
  await trivet.send(user, { path: deltaPath, body: { ctas: [cta] } });
  await trivet.send(user, { path: eventsPath, body: { events } });
}

/** @see Each impression from before the last turn counted, as if the CTA had been shown anew. */
test.each(cases)('after a time without network: %s', async (_, happened, counted) => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  await report(freshUser(), ctaId, happened);
  expect(await trivet.call('get-cta-metrics', { ctaId })).toMatchObject({
    items: [{ impressions: counted }],
  });
});

test.each(cases)('with network: %s', async (_, happened, counted) => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  const user = freshUser();
  const all = happened.split(' ');
  const marks = (kind: string, upTo: number) =>
    parts(happened)
      .slice(0, upTo + 1)
      .filter(([one]) => one === kind)
      .map(([, at]) => at);
  for (const [index, part] of all.entries()) {
    if (part.startsWith('i') || part.startsWith('d')) await report(user, ctaId, part);
    const cta = {
      ctaId,
      activeStateMachines: {},
      actionDoneAt: marks('a', index),
      resetAt: marks('c', index),
    };
    await trivet.send(user, { path: deltaPath, body: { ctas: [cta] } });
  }
  expect(await trivet.call('get-cta-metrics', { ctaId })).toMatchObject({
    items: [{ impressions: counted }],
  });
});

/** @see Of seven impressions of one user on three devices that were offline, four counted or all, by which device was heard first. */
test.each([
  ['the earlier device first', ['a1 i1 c2 a3 i3 i4 c5', 'a6 i6 i7 c8']],
  ['the later device first', ['a6 i6 i7 c8', 'a1 i1 c2 a3 i3 i4 c5']],
  ['alternating, the first one last', ['a3 i3 i4 c5', 'a6 i6 i7 c8', 'a1 i1 c2']],
])('two devices of one user: %s', async (_, devices) => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  const user = freshUser();
  for (const happened of devices) await report(user, ctaId, happened);
  expect(await trivet.call('get-cta-metrics', { ctaId })).toMatchObject({
    items: [{ impressions: 3, actions: 3, completions: 3 }],
  });
});

test('what a late device paints again in another request counts once', async () => {
  const ctaId = await trivet.makeCta({}, 'LIVE');
  const user = freshUser();
  for (const happened of ['a6 i6 c8', 'a1 i1', 'i2', 'i3 c4', 'i7']) await report(user, ctaId, happened);
  expect(await trivet.call('get-cta-metrics', { ctaId })).toMatchObject({ items: [{ impressions: 2 }] });
});
