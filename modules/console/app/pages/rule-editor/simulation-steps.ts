import type { Input } from '../../api/calls.ts';
import { isJson, type Json } from './json-path.ts';
import { t } from '../../texts/text.ts';

/** What can happen to an app. */
export const stepKinds = {
  event: t('Event'),
  session: t('App launched'),
  'first-launch': t('First launch after installing'),
  'action-done': t('User did what a CTA asked for'),
} as const;
export type StepKind = keyof typeof stepKinds;

/** One step as it is typed. */
export interface StepDraft {
  readonly kind: StepKind;
  readonly event: string;
  readonly properties: Json;
  readonly ctaId: string;
  /** Seconds after the step before. */
  readonly after: string;
}

export const newStep = (event = ''): StepDraft => ({
  kind: 'event',
  event,
  properties: {},
  ctaId: '',
  after: '1',
});

/** Whether steps can be played: there are some, and each event has a name. */
export const isComplete = (steps: readonly StepDraft[]): boolean =>
  steps.length > 0 && steps.every(({ kind, event }) => kind !== 'event' || event.trim() !== '');

/** Steps as the address keeps them: short, so that links stay short. */
export const stepsText = (steps: readonly StepDraft[]): string =>
  JSON.stringify(
    steps.map(({ kind, event, properties, ctaId, after }) => ({
      ...(kind !== 'event' && { kind }),
      ...(event !== '' && { event }),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(ctaId !== '' && { ctaId }),
      ...(after !== '1' && { after }),
    })),
  );

const kindOf = (value: unknown): StepKind =>
  typeof value === 'string' && Object.hasOwn(stepKinds, value) ? (value as StepKind) : 'event';
const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** The steps of an address; one empty step if it names none, or what are none. */
export function stepsOfText(text: string | null): readonly StepDraft[] {
  try {
    const given: unknown = JSON.parse(text ?? '');
    const steps = (Array.isArray(given) ? (given as unknown[]) : []).filter(isJson).map((step) => ({
      kind: kindOf(step['kind']),
      event: textOf(step['event'], ''),
      properties: isJson(step['properties']) ? step['properties'] : {},
      ctaId: textOf(step['ctaId'], ''),
      after: textOf(step['after'], '1'),
    }));
    if (steps.length > 0) return steps;
  } catch {
    // Somebody typed into the address.
  }
  return [newStep()];
}

type Steps = Input<'simulate-cta'>['steps'];

/** The steps as `simulate-cta` takes them. @param start epoch ms of the first. */
export function inputSteps(steps: readonly StepDraft[], start: number): Steps {
  let at = start;
  return steps.map(({ kind, event, properties, ctaId, after }, index) => {
    const seconds = Number(after);
    if (index > 0 && Number.isFinite(seconds)) at += Math.max(0, Math.round(seconds * 1000));
    return {
      kind,
      at,
      ...(kind === 'event' && { event: event.trim() }),
      ...(kind === 'event' && Object.keys(properties).length > 0 && { properties: properties as never }),
      ...(kind === 'action-done' && { ctaId }),
    };
  });
}

/** A value as a person types it in a field: 80 is a number, true a boolean, "80" a text. */
export function propertyOf(text: string): unknown {
  const typed = text.trim();
  if (typed === 'true' || typed === 'false') return typed === 'true';
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(typed)) return Number(typed);
  const quoted = /^"(.*)"$/.exec(typed)?.[1];
  return quoted ?? text;
}

/** The text that {@link propertyOf} reads as this value. */
export const propertyText = (value: unknown): string =>
  typeof value === 'string'
    ? propertyOf(value) === value
      ? value
      : `"${value}"`
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
