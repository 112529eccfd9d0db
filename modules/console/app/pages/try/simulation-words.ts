import type { Hold } from '../../../../cta/rules/outcome.ts';
import type { Output } from '../../api/calls.ts';
import { delayText } from '../rule-editor/delay-text.ts';
import { t } from '../../texts/text.ts';

type Simulation = Output<'simulate-cta'>;
export type Outcome = Simulation['steps'][number]['outcomes'][number];

/** Why an app does nothing although its event happened. */
const holds: Readonly<Record<Hold, string>> = {
  'exposure.lifespan': t('the limit of its behaviour tag is reached, ever'),
  'exposure.window': t('the limit of its behaviour tag is reached, in the window'),
  'exposure.session': t('the limit of its behaviour tag is reached, in this session'),
  relation: t('another CTA of its behaviour tag hides it'),
  valid_till: t('it is not valid any more'),
  'frequency.lifespan': t('its limit is reached, ever'),
  'frequency.window': t('its limit is reached, in the window'),
  'frequency.session': t('its limit is reached, in this session'),
  group_key: t('the event lacks a property by which its state machines are told apart'),
  machine_count: t('it has as many state machines as it may have'),
  one_action: t('another CTA ran its action on this event'),
  context: t('its context is not complete yet'),
  template: t('its action has no template'),
  trigger_delay: t('a later action of it, or the end of the app, came before its delay was over'),
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
      return {
        text: t('begins and waits in state {state}', { state: stateOf(state ?? '0') }),
        colour: 'of-untested',
      };
    case 'transition':
      return {
        text: `${started === true ? t('begins, ') : ''}${stateOf(from ?? '0')} → ${stateOf(to ?? '0')}`,
        colour: 'of-blocked',
      };
    case 'action':
      return {
        text: t('shows {actionId} ({type}){delay}', {
          actionId,
          type,
          delay: triggerDelay ? t(' after {triggerDelay}', { triggerDelay: delayText(triggerDelay) }) : '',
        }),
        colour: 'of-passed',
      };
    case 'reset':
      return {
        text: t('reset in state {state}: one impression', { state: stateOf(state ?? '0') }),
        colour: 'of-retest',
      };
    case 'expired':
      return {
        text: t('its state machine in state {state} ended by age', { state: stateOf(state ?? '0') }),
        colour: 'of-untested',
      };
    case 'held': {
      const why = holds[hold as Hold] ?? hold;
      const far = counts
        ? t(' ({session} in this session, {window} in the window, {lifespan} ever)', {
            session: counts.session,
            window: counts.window,
            lifespan: counts.lifespan,
          })
        : '';
      return { text: t('held back by {hold}: {why}{far}', { hold, why, far }), colour: 'of-failed' };
    }
  }
  return { text: String(kind), colour: 'of-untested' };
}

type Explained = Output<'explain-cta'>['ctas'][number];
type Gate = NonNullable<Explained['gate']>;

/** The gates in the order in which they are asked: those of the server, then those of the app. */
export const gateNames: Readonly<Record<Gate, string>> = {
  status: 'Status',
  start: t('Start'),
  end: t('End'),
  kill_switch: t('Kill switch'),
  cohort: t('Cohorts'),
  app_version: t('App version'),
  package_name: t('Package'),
  holdout: t('Holdout'),
  'delivery.quiet_hours': t('Quiet hours'),
  'delivery.min_gap': t('Gap to the last CTA'),
  'delivery.per_day': t('CTAs per day'),
  'exposure.lifespan': t('Tag limit, ever'),
  'exposure.window': t('Tag limit, window'),
  'exposure.session': t('Tag limit, session'),
  relation: t('Tag relation'),
  valid_till: t('Valid till'),
  'frequency.lifespan': t('Limit, ever'),
  'frequency.window': t('Limit, window'),
  'frequency.session': t('Limit, session'),
};

interface Light {
  readonly gate: Gate;
  readonly name: string;
  /** Gates after a closed one are not checked. */
  readonly is: 'open' | 'closed' | 'not asked';
}

export const lightTexts: Readonly<Record<Light['is'], string>> = {
  open: t('open##gate'),
  closed: t('closed'),
  'not asked': t('not asked'),
};

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
