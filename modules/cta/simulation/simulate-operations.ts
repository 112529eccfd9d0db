import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { inTurns, nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { catalogueAt, type HeldMoments } from '../catalogue/catalogue-moment.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { ctaOfTenant } from '../ctas/cta-store.ts';
import { deviceOf, type Device, type Offer } from '../device/device.ts';
import { playSteps } from '../device/step-player.ts';
import { fail } from '../base/errors.ts';
import { candidatesFor, forUser } from '../launch/candidates.ts';
import { resolvedFor } from '../launch/resolution.ts';
import { readUserFacts } from '../launch/targeting-store.ts';
import { membershipOf, needsOf } from '../launch/targeting.ts';
import { operation } from '../base/operation.ts';
import {
  appOf,
  appParameters,
  canonicalUserId,
  ctaIdParameter,
  tenantOf,
  tenantParameter,
  userIdText,
} from '../base/parameters.ts';
import { byPriority, type AppCta } from '../rules/app-cta.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { archive } from '../state/archive.ts';
import { withoutFuture } from '../state/future-times.ts';
import { stringMap } from '../state/string-map.ts';
import {
  emptyCtaState,
  emptyState,
  type CtaState,
  type StateKey,
  type UserState,
} from '../state/user-state.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { presentUserId } from '../user-states/user-alias-store.ts';
import { stateOfUser } from '../user-states/user-state-store.ts';
import { stepsOf, stepsParameter } from './simulate-parameters.ts';
import { deviceRecord, deviceRecordOf, outcomeRecord, outcomeRecordOf } from './simulate-record.ts';

/**
 * The most that one simulation may cost. 100 CTAs on 300 events took 19 s and gave a result of 295 MB; a result within these limits is
 * assembled in a few milliseconds.
 */
const limits = { reactions: 50_000, resultBytes: 4 * 1024 * 1024 };

export const simulateCta = operation({
  name: 'simulate-cta',
  title: 'Simulate events on CTAs',
  description:
    'Simulates events on an app and returns for each step the transitions, actions and resets, and what was held back and ' +
    'why. It predicts what the deployed app SDK does; nothing is stored. Runs on the given CTAs in any status, or else on ' +
    'those that a launch would send: to a user none in a holdout or at a limit across all CTAs, and the arm of a running ' +
    'experiment. A user starts with their stored state. explain-cta shows why a launch leaves a CTA out. A result of more ' +
    'than 4 MiB is refused.',
  input: closedObject({
    tenantId: tenantParameter,
    ctaIds: Type.Optional(
      Type.Array(ctaIdParameter, {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: 'The CTAs to simulate, drafts too; default those that a launch would send.',
      }),
    ),
    userId: Type.Optional(userIdText('The user to start with; default a new user in no cohort.')),
    ...appParameters,
    platform: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'The platform of the app, as rules read it in "platform".',
      }),
    ),
    steps: stepsParameter,
  }),
  output: closedObject({
    ctaIds: Type.Array(Type.String(), { description: 'The CTAs of the first step, in order of priority.' }),
    steps: Type.Array(
      closedObject({ kind: Type.String(), at: Type.Integer(), outcomes: Type.Array(outcomeRecord) }),
    ),
    ctas: deviceRecord,
  }),
  access: member('read'),
  effect: 'read',
  handler: async (input, context) => {
    const { actor, db, clock, host, signal } = context;
    const { tenantId } = await tenantFor(db.q, actor, tenantOf(input), 'read');
    const catalogue = await catalogues(host).of(tenantId);
    const steps = stepsOf(input.steps, clock.now());
    const start = steps[0]?.at ?? clock.now();
    const user =
      input.userId === undefined
        ? null
        : { tenantId, userId: await presentUserId(db.q, canonicalUserId(input.userId, 'userId')) };

    const stored = user === null ? emptyState : withoutFuture(await stateOfUser(db.q, user), clock.now());
    const { state } = archive(stored, { ...catalogueAt(catalogue, start, simulated), now: start });
    const device = deviceOf(state);
    const offerAt =
      input.ctaIds === undefined
        ? await launchOffers(db.q, catalogue, input, user && { ...user, state, device })
        : await givenOffer(input.ctaIds, tenantId, catalogue, context);
    // Before the steps are played: what they do on the device counts for limits.
    const ctaIds = offerAt(start).ctas.map(({ ctaId }) => ctaId);
    const app = { ...appOf(input), platform: input.platform || null };
    const result = await inTurns(playSteps(device, offerAt, steps, app, limits), signal);
    if (result.kind === 'too large') {
      throw fail.SIMULATION_TOO_LARGE(
        `The simulation was stopped at steps[${result.step}]: by then it had ${result.limit === 'reactions' ? `more than ${limits.reactions} reactions of CTAs to events` : `come to more than ${limits.resultBytes} bytes`}.`,
        { cause: 'steps' },
      );
    }
    return {
      ctaIds,
      steps: steps.map(({ kind, at }, index) => ({
        kind,
        at,
        outcomes: (result.outcomes[index] ?? []).map(outcomeRecordOf),
      })),
      ctas: deviceRecordOf(device),
    };
  },
});

/** The moments of simulations. */
const simulated: HeldMoments = new WeakMap();

/** The offer that an app has at a time (epoch milliseconds). */
type OfferAt = (now: number) => Offer;

/** A user, as stored and as the simulation changes what is on the device. */
interface SimulatedUser extends StateKey {
  readonly state: UserState;
  readonly device: Device;
}

/** The offers that launches send to the user at any time, computed by the functions of a launch. */
async function launchOffers(
  q: Query,
  catalogue: Catalogue,
  app: Parameters<typeof appOf>[0] & { readonly timeZone?: string },
  user: SimulatedUser | null,
): Promise<OfferAt> {
  const { cohorts, tags } = catalogue;
  const zone = app.timeZone ?? null;
  // Facts for all cohorts, since steps may be at times when other CTAs are live.
  const facts = user === null ? null : await readUserFacts(q, user, needsOf(cohorts.keys(), cohorts));
  return (now) => {
    const inCohort = facts === null ? () => false : membershipOf(cohorts, facts, now);
    const eligible = forUser(
      candidatesFor(catalogue, catalogueAt(catalogue, now, simulated), appOf(app)),
      inCohort,
    );
    const launched = user && { userId: user.userId, state: sentState(user), zone, now };
    return { ctas: launched ? resolvedFor(catalogue, eligible, launched) : eligible, tags };
  };
}

/** The state with the actions that a launch of the device would tell the server: limits across all CTAs count them. */
function sentState({ state, device }: SimulatedUser): UserState {
  const ctas = stringMap<CtaState>();
  for (const [ctaId, { actionDoneAt }] of device.ctas)
    ctas[ctaId] = { ...emptyCtaState, actionDoneAt: { marks: actionDoneAt } };
  return { ...state, ctas };
}

/** The given CTAs, in any status. @throws Fault CTA_NOT_FOUND, also for a CTA of another tenant. */
async function givenOffer(
  ctaIds: readonly string[],
  tenantId: string,
  { tags }: Catalogue,
  { actor, db, signal }: Context,
): Promise<OfferAt> {
  const ctas: AppCta[] = [];
  for (const ctaId of ctaIds) {
    if (turnIsOver()) await nextTurn(signal);
    const cta = await ctaOfTenant(db.q, actor, { tenantId, ctaId }, 'ctaIds');
    ctas.push({ ctaId, rule: wireRule(cta.rule, cta.endTime), behaviourTagName: cta.behaviourTagName });
  }
  const offer = { ctas: ctas.sort(byPriority), tags };
  return () => offer;
}
