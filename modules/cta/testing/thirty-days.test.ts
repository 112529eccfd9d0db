import { afterAll, expect, test } from 'bun:test';
import { engine } from '../../../core/db/query/engine.ts';
import { stillClock } from '../../../test/kernel.ts';
import type { CtaOutcome } from '../rules/outcome.ts';
import { deviceOf, launchFirstTime, recordActionDone, snapshotOf } from '../device/device.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { StateMachine } from '../state/snapshot.ts';
import { stringMap } from '../state/string-map.ts';
import { emptyState, type CtaState, type TagState } from '../state/user-state.ts';
import { bodyOf, machinesOf, person, tagName, type App, type Person } from './app-person.ts';
import { deltaPath, launchPath, startCtaKernel } from './cta-kernel.ts';
import type { CtaEntry, TagEntry } from './launch-entry.ts';
import { openNextClose, outcomesOf } from './played-rules.ts';

/*
 * Thirty days of users with two devices each, which follow the rules of the deployed SDK. Sessions follow one another on either device;
 * responses are lost and requests sent again; an app is killed before it has sent its data, and sends them at its next launch. The result
 * is compared with a separate record of everything that happened to a user on either device.
 */
const users = engine() === 'sqlite' ? 300 : 60;
const days = 30;
const slotsPerDay = 12;
const seed = Number(process.env['TRIVET_TEST_SEED'] ?? 20_261_121);

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const begin = Date.UTC(2026, 0, 1);
const clock = stillClock(begin);

/** open shows, next shows more, buy is the goal of the CTA, close ends it. */
const usual: RuleInput = {
  ...openNextClose,
  stateToAction: { '1': 'first', '2': 'second' },
  actions: [
    { actionId: 'first', type: 'POPUP', template: {} },
    { actionId: 'second', type: 'TOOLTIP' },
  ],
};

const rules: ReadonlyArray<readonly [Partial<RuleInput>, string | undefined]> = [
  [{ frequency: { lifeSpan: { limit: 3 }, window: { limit: 1, value: 2, unit: 'days' } } }, undefined],
  [{ frequency: { session: { limit: 1 }, lifeSpan: { limit: 5 } } }, undefined],
  [
    {
      groupByConfig: { groupByKeys: ['product'], maxActiveStateMachineCount: 3 },
      frequency: { window: { limit: 2, value: 36, unit: 'hours' } },
    },
    undefined,
  ],
  [{ stateMachineTTL: 3 * day, frequency: { lifeSpan: { limit: 4 } } }, undefined],
  [{ resetCTAonFirstLaunch: true, frequency: { lifeSpan: { limit: 2 } } }, undefined],
  [{ priority: 2 }, tagName],
  [{ priority: 1, frequency: { lifeSpan: { limit: 3 } } }, tagName],
];
const promo = {
  behaviourTagName: tagName,
  exposureRule: { lifespan: { limit: 6 }, window: { limit: 2, value: 1, unit: 'days' } },
  ctaRelation: { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } },
};

const trivet = await startCtaKernel(clock);
await trivet.call('create-behaviour-tag', promo);
for (const [rule, behaviourTagName] of rules) {
  const fields = {
    rule: { ...usual, ...rule },
    ...(behaviourTagName === undefined ? {} : { behaviourTagName }),
  };
  await trivet.makeCta(fields, 'LIVE');
}
afterAll(() => trivet.stop());

const tally = { sessions: 0, requests: 0, lostAnswers: 0, kills: 0, showings: 0, held: 0 };

/** Sends until a response arrives; each response may be lost after the server has done its work. */
async function sent(
  { id, random }: Person,
  path: string,
  body: object,
  patience = 10,
): Promise<string | null> {
  for (let attempt = 0; attempt < patience; attempt++) {
    const { status, text } = await trivet.send(id, { path, body });
    tally.requests++;
    if (status !== 200) throw new Error(`${status} ${text}`);
    if (random() >= 0.25) return text;
    tally.lostAnswers++;
  }
  return null;
}

const saidAll = (app: App) => {
  app.unsent = new Set();
  app.resets = new Map();
};

async function launch(who: Person, app: App, now: number): Promise<void> {
  const answer = await sent(who, launchPath, bodyOf(app), 50);
  const { data } = JSON.parse(answer ?? '') as { data: { ctas: CtaEntry[]; behaviourTags: TagEntry[] } };
  saidAll(app);
  const ctas = stringMap<CtaState>();
  const tags = stringMap<TagState>();
  for (const { ctaId, activeStateMachines: machines, resetAt, actionDoneAt } of data.ctas)
    ctas[ctaId] = { machines, resetAt: { marks: resetAt }, actionDoneAt: { marks: actionDoneAt } };
  for (const { behaviourTagName, exposureRule, ctaRelation } of data.behaviourTags) {
    const active = (ctaRelation?.activeCtas ?? []).map((ctaId) => [ctaId, { active: true, at: 0 }] as const);
    tags[behaviourTagName] = {
      ctasResetAt: { marks: exposureRule?.ctasResetAt ?? [] },
      activeCtas: Object.fromEntries(active),
    };
  }
  app.offer = {
    ctas: data.ctas.map(({ ctaId, rule, behaviourTagName }) => ({ ctaId, rule, behaviourTagName })),
    tags: new Map(data.behaviourTags.map((tag) => [tag.behaviourTagName, tag])),
  };
  app.device = deviceOf({ ...emptyState, ctas, tags });
  app.sessionStart = now;
  if (!app.installed) await startOver(who, app, now);
}

/** The first launch of an installed app: CTAs that ask for it begin again, everywhere. */
async function startOver(who: Person, app: App, now: number): Promise<void> {
  app.installed = true;
  const over = app.offer.ctas.filter(({ rule }) => rule.resetCTAonFirstLaunch).map(({ ctaId }) => ctaId);
  const ctas = over.flatMap((ctaId) => {
    const machines = [...(app.device.ctas.get(ctaId)?.machines ?? [])];
    who.record.countedFrom.set(ctaId, now + 1);
    if (machines.length === 0) return [];
    who.record.resetAt.set(ctaId, []);
    who.record.doneAt.set(ctaId, []);
    const ended = machines.map(([key, machine]) => [
      key,
      { ...snapshotOf(machine), lastTransitionAt: now, reset: true },
    ]);
    return [
      { ctaId, activeStateMachines: Object.fromEntries(ended) as object, resetAt: [], actionDoneAt: [] },
    ];
  });
  launchFirstTime(app.device, app.offer, now);
  if (ctas.length > 0) await sent(who, deltaPath, { ctas }, 50);
}

const marks = (of: Map<string, number[]>, ctaId: string) => {
  const known = of.get(ctaId) ?? [];
  of.set(ctaId, known);
  return known;
};

/** An impression begins: it must be within the limits, by everything that ever happened to this person. */
function expectWithinLimits(
  { record }: Person,
  { sessionStart, offer }: App,
  ctaId: string,
  now: number,
): void {
  tally.showings++;
  const cta = offer.ctas.find((known) => known.ctaId === ctaId);
  const from = record.countedFrom.get(ctaId) ?? -Infinity;
  const shown = marks(record.resetAt, ctaId).filter((mark) => mark >= from);
  const within = (times: readonly number[], limit: number | undefined, since: number) => {
    if (limit !== undefined && times.filter((time) => time > since).length >= limit)
      throw new Error(`CTA ${ctaId} is shown beyond a limit of ${limit} (seed ${seed})`);
  };
  const { frequency } = cta?.rule ?? {};
  within(shown, frequency?.lifeSpan?.limit, -Infinity);
  within(shown, frequency?.session?.limit, sessionStart - 1);
  const lengths: Readonly<{ [unit: string]: number }> = { days: day, hours: hour };
  const since = ({ value = 0, unit = '' }: { value?: number | undefined; unit?: string | undefined }) =>
    now - value * (lengths[unit] ?? 0);
  if (frequency?.window) within(shown, frequency.window.limit, since(frequency.window));
  if (cta?.behaviourTagName !== tagName) return;
  within(record.tagResets, promo.exposureRule.lifespan.limit, -Infinity);
  within(record.tagResets, promo.exposureRule.window.limit, since(promo.exposureRule.window));
}

function happen(
  who: Person,
  app: App,
  outcomes: readonly CtaOutcome[],
  before: ReadonlyMap<string, StateMachine>,
  now: number,
): void {
  for (const outcome of outcomes) {
    const { ctaId, groupKey } = outcome;
    if (outcome.kind === 'held') tally.held++;
    if (outcome.kind === 'held' || outcome.kind === 'started') continue;
    app.unsent.add(ctaId);
    const last = before.get(`${ctaId} ${groupKey}`);
    if (outcome.kind === 'action') {
      expectWithinLimits(who, app, ctaId, now);
      marks(who.record.doneAt, ctaId).push(now);
    }
    if (outcome.kind !== 'reset') continue;
    marks(who.record.resetAt, ctaId).push(now);
    if (app.offer.ctas.some((cta) => cta.ctaId === ctaId && cta.behaviourTagName === tagName))
      who.record.tagResets.push(now);
    const { createdAt = now, lastTransitionAt = now } = last ?? {};
    const machine = { currentState: outcome.state, lastTransitionAt, createdAt };
    app.resets.set(`${ctaId} ${groupKey}`, { ctaId, groupKey, machine });
  }
}

const events = ['open', 'open', 'next', 'close', 'buy'] as const;

async function session(who: Person, slot: number): Promise<void> {
  const { random } = who;
  tally.sessions++;
  const app = who.pinned ?? who.apps[random() < 0.5 ? 0 : 1];
  who.pinned = null;
  let now = slot + app.skew;
  await launch(who, app, now);
  const many = 2 + Math.floor(random() * 6);
  for (let i = 0; i < many; i++) {
    now += second + Math.floor(random() * 60) * second;
    const name = events[Math.floor(random() * events.length)] ?? 'open';
    if (name === 'buy') {
      for (const { ctaId } of app.offer.ctas) {
        const machines = [...(app.device.ctas.get(ctaId)?.machines.values() ?? [])];
        if (!machines.some(({ currentState }) => currentState === '2')) continue;
        recordActionDone(app.device, ctaId, now);
        marks(who.record.doneAt, ctaId).push(now);
        app.unsent.add(ctaId);
      }
    } else {
      const before = machinesOf(app.device);
      const properties = { product: `p${Math.floor(random() * 4)}` };
      const outcomes = outcomesOf(app.device, app.offer, { name, at: now, properties });
      happen(who, app, outcomes, before, now);
    }
    if (app.unsent.size > 0 && random() < 0.3 && (await sent(who, deltaPath, bodyOf(app), 1)) !== null)
      saidAll(app);
  }
  if (random() < 0.1) {
    tally.kills++;
    if (app.unsent.size > 0) who.pinned = app;
    return;
  }
  // The last delta reaches the server, though the app may miss the response: then it sends the same data at its next launch.
  if (app.unsent.size > 0 && (await sent(who, deltaPath, bodyOf(app), 1)) !== null) saidAll(app);
}

test(`${users} users, ${days} days, two devices each: no limit exceeded across devices, nothing lost (seed ${seed})`, async () => {
  const people = Array.from({ length: users }, (_, n) => person(n, seed));
  for (let slot = 0; slot < days * slotsPerDay; slot++) {
    clock.set(begin + (slot * day) / slotsPerDay + hour);
    await Promise.all(
      people.filter(({ random }) => random() < 1 / 16).map((who) => session(who, clock.now())),
    );
  }

  clock.advance(hour);
  const lost: string[] = [];
  for (const who of people) {
    for (const app of who.apps) {
      if (app.unsent.size > 0) await sent(who, deltaPath, bodyOf(app), 50);
    }
    const { text } = await trivet.send(who.id, { body: {} });
    const { data } = JSON.parse(text) as { data: { ctas: CtaEntry[]; behaviourTags: TagEntry[] } };
    for (const { ctaId, resetAt, actionDoneAt } of data.ctas) {
      const ascending = (of: Map<string, number[]>) =>
        [...new Set(of.get(ctaId))].sort((left, right) => left - right);
      const same =
        Bun.deepEquals([...resetAt], ascending(who.record.resetAt)) &&
        Bun.deepEquals([...actionDoneAt], ascending(who.record.doneAt));
      if (!same) lost.push(`${who.id} CTA ${ctaId}`);
    }
    const [tag] = data.behaviourTags;
    if ((tag?.exposureRule?.ctasResetAt.length ?? 0) !== who.record.tagResets.length)
      lost.push(`${who.id} tag`);
  }
  expect(lost).toEqual([]);
  process.stderr.write(`thirty days: ${JSON.stringify({ seed, ...tally })}\n`);
  // A month in which nothing was limited or lost would have shown nothing.
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(users / 4);
}, 300_000);
