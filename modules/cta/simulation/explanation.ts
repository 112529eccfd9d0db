import type { Catalogue } from '../catalogue/catalogue.ts';
import { closedAppGate, type Device } from '../device/device.ts';
import { closedGate, type EligibilityInput, type Gate, type Gates } from '../rules/eligibility.ts';
import { statusAt } from '../rules/lifecycle.ts';
import type { WireRule } from '../rules/rule-parts.ts';
import { wireRule } from '../rules/wire-rule.ts';
import type { UserGate } from '../launch/resolution.ts';
import type { CtaRow } from '../base/schema.ts';

/** In the order in which apps check them. */
export const appGates = [
  'exposure.lifespan',
  'exposure.window',
  'exposure.session',
  'relation',
  'valid_till',
  'frequency.lifespan',
  'frequency.window',
  'frequency.session',
] as const;

/** Why a user does not see a CTA. */
interface Explanation {
  /** Whether an app launch sends it. */
  readonly answered: boolean;
  /** The first closed gate, checking the server's gates and then the app's; null when all are open. */
  readonly gate: Gate | UserGate | (typeof appGates)[number] | null;
  readonly why: string;
}

/**
 * Explains one CTA for one user, by the gates of a launch and then those of an app. Limits per session are left out: only the app knows
 * when its session began.
 */
export function explainForUser(
  cta: CtaRow,
  gates: Gates,
  moment: EligibilityInput & { readonly userGate: UserGate | null },
  device: Device,
  tags: Catalogue['tags'],
): Explanation {
  const gate = closedGate(gates, moment);
  if (gate) return { answered: false, gate, why: whyClosed(gate, cta, moment) };
  if (moment.userGate !== null)
    return { answered: false, gate: moment.userGate, why: whyWithheld[moment.userGate] };
  const answerable = {
    ctaId: String(cta.id),
    rule: wireRule(cta.rule, cta.endTime),
    behaviourTagName: cta.behaviourTagName,
  };
  const { hold, counts } = closedAppGate(device, answerable, tags, moment.now);
  const closed = appGates.find((name) => name === hold);
  if (closed === undefined) return { answered: true, gate: null, why: 'Nothing keeps it from the user.' };
  return { answered: true, gate: closed, why: whyHeld(closed, cta, answerable.rule, counts) };
}

const whyWithheld: Readonly<Record<UserGate, string>> = {
  holdout: 'The user is in a holdout; list-holdouts lists them.',
  'delivery.quiet_hours': 'It is within the quiet hours of the tenant, in the time zone of the user.',
  'delivery.min_gap':
    "The user's last action of any CTA is more recent than minGapSeconds of the tenant allows.",
  'delivery.per_day':
    'The user had as many actions of all CTAs within 24 hours as perDay of the tenant allows.',
};

function whyClosed(gate: Gate, cta: CtaRow, { now, app }: EligibilityInput): string {
  const { includes = [], excludes = [] } = cta.rule.cohortEligibility ?? {};
  switch (gate) {
    case 'status':
      return `It is ${statusAt(cta, now)}; apps get LIVE ones.`;
    case 'start':
      return `It starts at ${cta.startTime}.`;
    case 'end':
      return `It ended at ${cta.endTime}.`;
    case 'kill_switch':
      return 'The kill switch of its tenant or its behaviour tag hides it; get-cta-kill-switches shows which.';
    case 'cohort':
      return `The user is in none of the cohorts it includes (${includes.join(', ') || 'all'}), or in one that it excludes (${excludes.join(', ') || 'none'}).`;
    case 'app_version': {
      const { min = 'any', max = 'any' } = cta.rule.appVersions ?? {};
      return `It is for app versions ${min} to ${max}, and the app ${app.appVersion === null ? 'names none' : `is ${app.appVersion}`}.`;
    }
    case 'package_name':
      return `It is for ${(cta.rule.packageNames ?? []).join(', ')}, and the app ${app.packageName === null ? 'names no package' : `is ${app.packageName}`}.`;
  }
}

function whyHeld(
  hold: (typeof appGates)[number],
  cta: CtaRow,
  { ctaValidTill }: WireRule,
  counts: { readonly window: number; readonly lifespan: number },
): string {
  switch (hold) {
    case 'valid_till':
      return `Its ctaValidTill, or endTime, ${ctaValidTill} has passed.`;
    case 'frequency.window':
      return `It was reset ${counts.window} times within the window of its frequency, which is the limit.`;
    case 'frequency.lifespan':
      return `It was reset ${counts.lifespan} times in all, which is the limit of its frequency.`;
    case 'frequency.session':
      return 'It was reset as often as its frequency allows in one session.';
    case 'relation':
      return `Other CTAs of the behaviour tag "${cta.behaviourTagName}" hold the places that its relations give.`;
    case 'exposure.lifespan':
    case 'exposure.window':
    case 'exposure.session':
      return `The CTAs of the behaviour tag "${cta.behaviourTagName}" were reset as often as its exposureRule allows.`;
  }
}
