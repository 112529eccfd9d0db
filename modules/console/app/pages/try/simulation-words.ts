import type { Output } from '../../api/calls.ts';
import { delayText } from '../rule-editor/delay-text.ts';

type Simulation = Output<'simulate-cta'>;
export type Outcome = Simulation['steps'][number]['outcomes'][number];

/** Why an app does nothing although its event happened. */
const holds: Readonly<Record<string, string>> = {
  'exposure.lifespan': 'the limit of its behaviour tag is reached, ever',
  'exposure.window': 'the limit of its behaviour tag is reached, in the window',
  'exposure.session': 'the limit of its behaviour tag is reached, in this session',
  relation: 'another CTA of its behaviour tag hides it',
  valid_till: 'it is not valid any more',
  'frequency.lifespan': 'its limit is reached, ever',
  'frequency.window': 'its limit is reached, in the window',
  'frequency.session': 'its limit is reached, in this session',
  machine_count: 'it has as many state machines as it may have',
  one_action: 'another CTA ran its action on this event',
  context: 'its context is not complete yet',
  trigger_delay: 'an action of it is waiting already',
};

interface Said {
  readonly text: string;
  /** The class of its colour. */
  readonly colour: string;
}

/** What an outcome means, in words. @param stateOf how a state of its CTA is called. */
export function outcomeText(outcome: Outcome, stateOf: (state: string) => string = String): Said {
  const { kind, from, to, actionId, type, triggerDelay, state, hold, counts, started } = outcome;
  switch (kind) {
    case 'started':
      return { text: `begins and waits in state ${stateOf(state ?? '0')}`, colour: 'of-untested' };
    case 'transition':
      return {
        text: `${started === true ? 'begins, ' : ''}${stateOf(from ?? '0')} → ${stateOf(to ?? '0')}`,
        colour: 'of-blocked',
      };
    case 'action':
      return {
        text: `shows ${actionId} (${type})${triggerDelay ? ` after ${delayText(triggerDelay)}` : ''}`,
        colour: 'of-passed',
      };
    case 'reset':
      return { text: `reset in state ${stateOf(state ?? '0')}: one impression`, colour: 'of-retest' };
    case 'expired':
      return {
        text: `its state machine in state ${stateOf(state ?? '0')} ended by age`,
        colour: 'of-untested',
      };
    case 'held': {
      const why = holds[hold ?? ''] ?? hold;
      const far = counts
        ? ` (${counts.session} in this session, ${counts.window} in the window, ${counts.lifespan} ever)`
        : '';
      return { text: `held back by ${hold}: ${why}${far}`, colour: 'of-failed' };
    }
  }
  return { text: String(kind), colour: 'of-untested' };
}

type Explained = Output<'explain-cta'>['ctas'][number];
type Gate = NonNullable<Explained['gate']>;

/** The gates in the order in which they are asked: those of the server, then those of the app. */
export const gateNames: Readonly<Record<Gate, string>> = {
  status: 'Status',
  start: 'Start',
  end: 'End',
  kill_switch: 'Kill switch',
  cohort: 'Cohorts',
  app_version: 'App version',
  package_name: 'Package',
  holdout: 'Holdout',
  'delivery.quiet_hours': 'Quiet hours',
  'delivery.min_gap': 'Gap to the last CTA',
  'delivery.per_day': 'CTAs per day',
  'exposure.lifespan': 'Tag limit, ever',
  'exposure.window': 'Tag limit, window',
  'exposure.session': 'Tag limit, session',
  relation: 'Tag relation',
  valid_till: 'Valid till',
  'frequency.lifespan': 'Limit, ever',
  'frequency.window': 'Limit, window',
  'frequency.session': 'Limit, session',
};

interface Light {
  readonly gate: Gate;
  readonly name: string;
  /** Gates after a closed one are not checked. */
  readonly is: 'open' | 'closed' | 'not asked';
}

/** Every gate of a CTA for a user. */
export function lightsOf({ gate }: Pick<Explained, 'gate'>): readonly Light[] {
  const gates = Object.keys(gateNames) as Gate[];
  const closed = gate === null ? gates.length : gates.indexOf(gate);
  return gates.map((one, index) => ({
    gate: one,
    name: gateNames[one],
    is: index < closed ? 'open' : index === closed ? 'closed' : 'not asked',
  }));
}
