import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { ctaIdParameter } from '../base/parameters.ts';
import type { CtaRow } from '../base/schema.ts';
import { requireValid } from '../ctas/cta-check.ts';
import { ctaFor, ctaToChange } from '../ctas/cta-store.ts';
import { requireAloneInTag, requireHoldout } from '../ctas/experiment-edit-store.ts';
import { actionsOf } from '../experiments/assignment.ts';
import { countArms, leastConversions, leastUsers } from '../experiments/results.ts';
import { isRunning, type Experiment, type Variant } from '../rules/experiment.ts';
import { defaultWindowHours } from '../rules/goal.ts';
import { statusAt } from '../rules/lifecycle.ts';
import { publishScope } from '../tenants/tenant-access.ts';
import { changeTenants } from '../tenants/tenant-change.ts';
import {
  coverageSteps,
  exposedUsers,
  goalOf,
  shipActions,
  writeStart,
  writeStop,
} from './experiment-store.ts';

const runRecord = closedObject({
  ctaId: Type.String(),
  key: Type.String(),
  seed: Type.String(),
  coverage: Type.Number(),
  version: Type.Integer(),
  startedAt: nullable(Type.Integer()),
  stoppedAt: nullable(Type.Integer()),
  shipped: nullable(Type.String({ description: 'The variant whose actions everybody gets now.' })),
});

const runRecordOf = (cta: CtaRow, { key, seed, coverage }: Experiment, shipped: string | null = null) => ({
  ctaId: String(cta.id),
  key,
  seed,
  coverage,
  version: cta.version,
  startedAt: cta.experimentStartedAt,
  stoppedAt: cta.experimentStoppedAt,
  shipped,
});

/** @throws Fault EXPERIMENT_NOT_RUNNING. */
function experimentOf({ id, experiment }: CtaRow): Experiment {
  if (experiment) return experiment;
  throw fail.EXPERIMENT_NOT_RUNNING(`CTA "${id}" has no experiment.`, { cause: 'ctaId' });
}

/** @throws Fault EXPERIMENT_NOT_RUNNING for a CTA that has ended. */
function requireAlive(cta: CtaRow, now: number): void {
  const status = statusAt(cta, now);
  if (status === 'CONCLUDED' || status === 'TERMINATED')
    throw fail.EXPERIMENT_NOT_RUNNING(`CTA "${cta.id}" is ${status}: no app gets it.`, {
      cause: 'ctaId',
      tip: 'Use clone-cta, and start the experiment of the copy.',
    });
}

const changedMeanwhile = (ctaId: string) =>
  fail.CONFLICT(`CTA "${ctaId}" was changed by somebody else meanwhile.`);

export const startExperiment = operation({
  name: 'start-experiment',
  title: 'Start the experiment of a CTA',
  description:
    'Starts the experiment that create-cta or update-cta gave a CTA: from its next launch on, each user in the coverage gets ' +
    'the actions of one variant, chosen by seed and user; installed apps need nothing. Until stop-experiment only the coverage ' +
    'may grow. Of one behaviour tag a single experiment runs at a time. An experiment that was stopped does not start again: ' +
    `give the CTA another. Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({ ctaId: ctaIdParameter }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  confirm: 'Apps get the variants from their next launch on; who is in which arm is then fixed.',
  namedInResult: ['key', 'seed'],
  handler: ({ ctaId }, context) => {
    const now = context.clock.now();
    return changeTenants(context, async (q) => {
      const cta = await ctaToChange(q, context.actor, ctaId, 'publish');
      const experiment = experimentOf(cta);
      if (isRunning(cta))
        throw fail.EXPERIMENT_RUNNING(`The experiment of CTA "${ctaId}" runs already.`, { cause: 'ctaId' });
      if (cta.experimentStoppedAt !== null)
        throw fail.EXPERIMENT_NOT_RUNNING(
          `The experiment "${experiment.key}" of CTA "${ctaId}" was stopped: its users have seen its arms.`,
          { cause: 'ctaId' },
        );
      requireAlive(cta, now);
      requireValid(cta);
      // A holdout may be deleted while no experiment that names it runs.
      await requireHoldout(q, cta.tenantId, experiment);
      await requireAloneInTag(q, cta);
      const written = await writeStart(q, cta, now);
      if (!written) throw changedMeanwhile(ctaId);
      return { changed: [cta.tenantId], result: runRecordOf(written, experiment) };
    });
  },
});

export const stopExperiment = operation({
  name: 'stop-experiment',
  title: 'Stop the experiment of a CTA',
  description:
    'Stops the running experiment of a CTA: everybody gets the CTA as it is from the next launch on. With "ship", a variant, ' +
    'its actions become those of the rule, as a new version. Results stay: get-experiment-results. ' +
    `Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({
    ctaId: ctaIdParameter,
    ship: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The variant that everybody gets; no control.',
      }),
    ),
  }),
  output: runRecord,
  access: member('write'),
  effect: 'update',
  confirm: 'A stopped experiment does not start again.',
  namedInResult: ['key', 'seed'],
  handler: ({ ctaId, ship }, context) => {
    const now = context.clock.now();
    return changeTenants(context, async (q) => {
      const cta = await ctaToChange(q, context.actor, ctaId, 'publish');
      const experiment = experimentOf(cta);
      if (!isRunning(cta))
        throw fail.EXPERIMENT_NOT_RUNNING(`The experiment of CTA "${ctaId}" does not run.`, {
          cause: 'ctaId',
        });
      const variant = ship === undefined ? undefined : variantToShip(experiment, ship);
      if (variant) requireAlive(cta, now);
      const stopped = await writeStop(q, cta, now);
      if (!stopped) throw changedMeanwhile(ctaId);
      const by = { by: context.actor.userId, now };
      const written = variant
        ? await shipActions(q, stopped, actionsOf(variant, cta.rule.actions), by)
        : stopped;
      return { changed: [cta.tenantId], result: runRecordOf(written, experiment, variant?.key) };
    });
  },
});

/** @throws Fault INVALID_EXPERIMENT. */
function variantToShip({ variants }: Experiment, key: string): Variant {
  const variant = variants.find((one) => one.key === key);
  if (variant === undefined)
    throw fail.INVALID_EXPERIMENT(
      `The experiment has no variant "${key}", only ${variants.map((one) => one.key).join(', ')}.`,
      { cause: 'ship', tip: 'Name one of the variants of the experiment.' },
    );
  if (variant.control === true)
    throw fail.INVALID_EXPERIMENT(`"${key}" is the control, which shows nothing.`, {
      cause: 'ship',
      tip: 'Leave out ship, and hide the CTA with set-cta-status.',
    });
  return variant;
}

const armRecord = closedObject({
  key: Type.String(),
  users: Type.Integer(),
  conversions: Type.Integer(),
  rate: Type.Number(),
  difference: nullable(Type.Number()),
  lift: nullable(Type.Number()),
  interval: nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
  p: nullable(Type.Number()),
});

export const getExperimentResults = operation({
  name: 'get-experiment-results',
  title: 'Read the results of an experiment',
  description:
    'Returns for each variant: users exposed since the start, conversions after the first exposure, and against the baseline (the ' +
    'control, else the first variant, where these are null) the absolute difference, the relative lift, the 95 % interval of ' +
    'the difference (Newcombe) and the two-sided p. The horizon is fixed: decide at the planned sampleSize (users an arm, for ' +
    `minimumLift at 5 % and a power of 80 %), not earlier. enough is false below ${leastUsers} users or ${leastConversions} ` +
    'conversions of any arm. srm.warning: the arms were not filled as planned, so trust no figure. Users who saw several arms ' +
    'are left out and counted in multipleExposures.',
  input: closedObject({
    ctaId: ctaIdParameter,
    goal: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Default the oldest goal of the CTA; without any, the conversions that apps report.',
      }),
    ),
    minimumLift: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        default: 0.1,
        description: 'The least relative lift worth finding, for sampleSize: 0.1 is from 5 % to 5.5 %.',
      }),
    ),
  }),
  output: closedObject({
    arms: Type.Array(armRecord),
    srm: closedObject({ p: Type.Number(), warning: Type.Boolean() }),
    enough: Type.Boolean(),
    multipleExposures: Type.Integer(),
    sampleSize: nullable(Type.Integer()),
  }),
  access: member('read'),
  effect: 'read',
  handler: async ({ ctaId, goal: name, minimumLift = 0.1 }, { actor, db: { q }, signal }) => {
    const cta = await ctaFor(q, actor, ctaId, 'read');
    const experiment = experimentOf(cta);
    const goal = (await goalOf(q, cta.id, name)) ?? null;
    if (name !== undefined && goal === null)
      throw fail.GOAL_NOT_FOUND(`CTA "${ctaId}" has no goal of that name.`, { cause: 'goal' });
    const windowMs = (goal?.windowHours ?? defaultWindowHours) * 3_600_000;
    const counting = countArms(experiment, await coverageSteps(q, cta));
    for await (const user of exposedUsers(q, { cta, goal, signal })) counting.add(user, windowMs);
    const { arms, ...rest } = counting.results(minimumLift);
    return {
      ...rest,
      arms: arms.map(({ interval, ...arm }) => ({ ...arm, interval: interval && [...interval] })),
    };
  },
});
