import { afterAll, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { engine } from '../../../core/db/query/engine.ts';
import { stillClock } from '../../../test/kernel.ts';
import { writeClockStatusChanges } from '../ctas/cta-scheduler.ts';
import { ctaStatuses } from '../rules/lifecycle.ts';
import type { SnapshotBody } from '../state/snapshot.ts';
import { deltaPath, emptyRule, freshTenant, startCtaKernel } from './cta-kernel.ts';
import { launchModel, type ModelCta } from './launch-model.ts';

/*
 * Random programs of launches, deltas, changes by administrators and steps of the clock. Each step runs as a real request through a real
 * kernel and is compared with the model. Machine times are spread so that no two are equal.
 */
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const programs = Number(process.env['PROGRAMS'] ?? (engine() === 'sqlite' ? 300 : 60));
const clock = stillClock();
const epoch = clock.now();

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

const minute = 60_000;
const day = 24 * 60 * minute;
const ctaCount = 4;
const users = ['1', '2'];
const versions = [null, '1.0', '2.0'];

const drawnCta = fc.record({
  priority: fc.integer({ min: 0, max: 2 }),
  ttl: fc.constantFrom(0, 0, 10 * minute, 2 * day),
  most: fc.constantFrom(Infinity, 1),
  tagged: fc.boolean(),
  onlyVersion: fc.constantFrom(null, null, '2.0'),
  forCohort: fc.boolean(),
  starts: fc.constantFrom(null, null, 5 * minute, 3 * day),
  lasts: fc.constantFrom(null, null, 20 * minute, 5 * day),
  live: fc.boolean(),
});
const which = fc.nat(ctaCount - 1);
const marks = fc.option(fc.array(fc.nat(40), { maxLength: 3 }), { nil: undefined });
const drawnMachine = fc.record({
  at: fc.nat(30),
  // Also long before now: such a machine has outlived its time when it arrives.
  age: fc.constantFrom(0, 5 * minute, day, 10 * day),
  reset: fc.boolean(),
  state: fc.constantFrom('0', '1'),
});
const drawnPush = fc.record({
  ctas: fc.uniqueArray(
    fc.record({
      which,
      machines: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), drawnMachine, { maxKeys: 2 }),
      resetAt: marks,
      actionDoneAt: marks,
    }),
    { selector: (cta) => cta.which, maxLength: 2 },
  ),
  tag: fc.option(
    fc.record({
      resets: fc.option(fc.array(fc.tuple(which, fc.nat(40)), { maxLength: 2 }), { nil: undefined }),
      active: fc.option(fc.uniqueArray(which, { maxLength: 2 }), { nil: undefined }),
    }),
    { nil: undefined },
  ),
});
const user = fc.constantFrom(...users);
const drawnStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('launch' as const),
      user,
      version: fc.constantFrom(...versions),
      push: fc.option(drawnPush, { nil: undefined }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('delta' as const), user, push: drawnPush }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      by: fc.constantFrom(1, minute, 10 * minute, day, 31 * day),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      which,
      to: fc.constantFrom(...ctaStatuses),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('scheduler' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('kill' as const), tag: fc.boolean(), killed: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cohort' as const), user, add: fc.boolean() }) },
);

const program = fc.record({
  ctas: fc.array(drawnCta, { minLength: ctaCount, maxLength: ctaCount }),
  steps: fc.array(drawnStep, { minLength: 1, maxLength: 30, size: 'max' }),
});

type Drawn = typeof program extends fc.Arbitrary<infer P> ? P : never;

/** Runs a program on the kernel and on the model; fails where they differ. */
async function compare({ ctas, steps }: Drawn): Promise<void> {
  clock.set(epoch);
  const tenantId = freshTenant();
  const model = launchModel();
  model.now = epoch;
  const cohort = new Set<string>();
  await trivet.call('create-behaviour-tag', {
    tenantId,
    behaviourTagName: 'tag',
    exposureRule: { session: { limit: 9 } },
    ctaRelation: { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } },
  });
  await trivet.call('create-cohort', { tenantId, cohortName: 'few', kind: 'list' });
  for (const drawn of ctas) await makeBoth(tenantId, model, cohort, drawn);
  const idOf = (index: number) => model.ctas[index]?.ctaId ?? '';
  let copies = 0;

  for (const step of steps) {
    switch (step.kind) {
      case 'clock':
        clock.advance(step.by);
        model.now = clock.now();
        break;
      case 'scheduler':
        await writeClockStatusChanges(trivet.kernel.host);
        break;
      case 'status': {
        const cta = model.ctas[step.which];
        if (!cta) break;
        const fault = await trivet.refusal('set-cta-status', { ctaId: cta.ctaId, status: step.to });
        expect([step.to, fault?.code]).toEqual([
          step.to,
          model.move(cta, step.to) ? undefined : 'ILLEGAL_STATUS_CHANGE',
        ]);
        break;
      }
      case 'kill': {
        const { killed } = step;
        await trivet.call('set-cta-kill-switch', {
          tenantId,
          killed,
          ...(step.tag && { behaviourTagName: 'tag' }),
        });
        if (step.tag) model.tagKilled = killed;
        else model.tenantKilled = killed;
        break;
      }
      case 'cohort': {
        const tool = step.add ? 'add-cohort-users' : 'remove-cohort-users';
        await trivet.call(tool, { tenantId, cohortName: 'few', userIds: [step.user] });
        if (step.add) cohort.add(step.user);
        else cohort.delete(step.user);
        break;
      }
      case 'delta':
      case 'launch': {
        const body = step.push ? bodyOf(step.push, idOf, () => ++copies) : { ctas: [], behaviourTags: [] };
        const version = step.kind === 'launch' ? step.version : null;
        const { status, text } = await trivet.send(step.user, {
          headers: { 'x-tenant-id': tenantId, ...(version !== null && { app_version: version }) },
          body,
          ...(step.kind === 'delta' && { path: deltaPath }),
        });
        model.sync(step.user, body);
        expect(status).toBe(200);
        if (step.kind === 'delta') expect(text).toBe('{"data":true}');
        else expect(answered(text) as unknown).toEqual(model.answer(step.user, version));
      }
    }
  }
}

async function makeBoth(
  tenantId: string,
  model: ReturnType<typeof launchModel>,
  cohort: Set<string>,
  drawn: Drawn['ctas'][number],
): Promise<void> {
  const startTime = drawn.starts === null ? null : epoch + drawn.starts;
  const endTime = drawn.lasts === null ? null : (startTime ?? epoch) + drawn.lasts;
  const ctaId = await trivet.makeCta({
    tenantId,
    ...(startTime !== null && { startTime }),
    ...(endTime !== null && { endTime }),
    ...(drawn.tagged && { behaviourTagName: 'tag' }),
    rule: {
      ...emptyRule,
      priority: drawn.priority,
      stateMachineTTL: drawn.ttl,
      ...(drawn.most !== Infinity && { groupByConfig: { maxActiveStateMachineCount: drawn.most } }),
      ...(drawn.onlyVersion !== null && { appVersions: { min: drawn.onlyVersion, max: drawn.onlyVersion } }),
      ...(drawn.forCohort && { cohortEligibility: { includes: ['few'] } }),
    },
  });
  const cta: ModelCta = {
    ctaId,
    status: 'DRAFT',
    startTime,
    endTime,
    priority: drawn.priority,
    ttl: drawn.ttl,
    most: drawn.most,
    tag: drawn.tagged ? 'tag' : null,
    onlyVersion: drawn.onlyVersion,
    only: drawn.forCohort ? cohort : null,
  };
  model.ctas.push(cta);
  if (!drawn.live) return;
  const status = startTime === null ? 'LIVE' : 'SCHEDULED';
  await trivet.call('set-cta-status', { ctaId, status });
  cta.status = status;
}

function bodyOf(
  { ctas, tag }: NonNullable<Extract<Drawn['steps'][number], { kind: 'delta' }>['push']>,
  idOf: (index: number) => string,
  nextCopy: () => number,
): SnapshotBody {
  const spread = (mark: number) => mark * 1000;
  return {
    ctas: ctas.map((cta) => ({
      ctaId: idOf(cta.which),
      activeStateMachines: Object.fromEntries(
        Object.entries(cta.machines).map(([key, { at, age, reset, state }]) => [
          key,
          {
            currentState: state,
            lastTransitionAt: spread(at) + nextCopy(),
            createdAt: clock.now() - age,
            ...(reset && { reset }),
          },
        ]),
      ),
      ...(cta.resetAt && { resetAt: cta.resetAt.map(spread) }),
      ...(cta.actionDoneAt && { actionDoneAt: cta.actionDoneAt.map(spread) }),
    })),
    behaviourTags: tag
      ? [
          {
            behaviourTagName: 'tag',
            ...(tag.resets && {
              exposureRule: {
                ctasResetAt: tag.resets.map(([index, at]) => ({ ctaId: idOf(index), resetAt: spread(at) })),
              },
            }),
            ...(tag.active && { ctaRelation: { activeCtas: tag.active.map(idOf) } }),
          },
        ]
      : [],
  };
}

/** A launch response in the form of the model: without the parts that administrators define. */
function answered(text: string) {
  const { data } = JSON.parse(text) as {
    data: {
      ctas: { rule?: unknown; version?: unknown }[];
      behaviourTags: { exposureRule: { ctasResetAt: unknown }; ctaRelation: { activeCtas: unknown } }[];
    };
  };
  for (const cta of data.ctas) {
    delete cta.rule;
    delete cta.version;
  }
  const [tag] = data.behaviourTags;
  return {
    ctas: data.ctas,
    tag: { ctasResetAt: tag?.exposureRule.ctasResetAt, activeCtas: tag?.ctaRelation.activeCtas },
  };
}

test(`${programs} programs answer as the model does (SEED=${seed})`, async () => {
  await fc.assert(fc.asyncProperty(program, compare), { seed, numRuns: programs });
}, 300_000);
