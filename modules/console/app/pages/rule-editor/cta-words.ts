import type { CtaSchedule, CtaStatus } from '../../../../cta/rules/lifecycle.ts';
import { agoText } from '../../design/time.tsx';
import { t } from '../../texts/text.ts';

interface StatusWords {
  readonly name: string;
  /** The class of its colour. */
  readonly colour: string;
}

export const statusWords: Readonly<Record<CtaStatus, StatusWords>> = {
  DRAFT: { name: t('Draft'), colour: 'of-untested' },
  SCHEDULED: { name: t('Scheduled'), colour: 'of-blocked' },
  LIVE: { name: t('Live'), colour: 'of-passed' },
  PAUSED: { name: t('Paused'), colour: 'of-retest' },
  CONCLUDED: { name: t('Concluded'), colour: 'of-untested' },
  TERMINATED: { name: t('Terminated'), colour: 'of-failed' },
};

interface StatusAction {
  readonly to: CtaStatus;
  readonly action: string;
  /** What it does to apps. */
  readonly effect: string;
  readonly isFinal: boolean;
}

const effects: Readonly<Record<CtaStatus, string>> = {
  DRAFT: t('It is not scheduled any more and can be edited. Apps do not get it.'),
  SCHEDULED: t('Apps get it from its start time on, by itself. Until then it cannot be edited.'),
  LIVE: t('Apps get it with their next launch. It cannot be edited while it is live.'),
  PAUSED: t('Apps stop getting it at their next launch. The state of its users is kept.'),
  CONCLUDED: t(
    'It has done its work, as at its end time. Apps stop getting it at their next launch. This is final: it can only be cloned.',
  ),
  TERMINATED: t(
    'It is given up before its end. Apps stop getting it at their next launch. This is final: it can only be cloned.',
  ),
};

/** The button that changes a CTA from one status to another, and what it means. */
export const statusAction = (from: CtaStatus, to: CtaStatus): StatusAction => ({
  to,
  action: actionName(from, to),
  effect: effects[to],
  isFinal: to === 'CONCLUDED' || to === 'TERMINATED',
});

function actionName(from: CtaStatus, to: CtaStatus): string {
  switch (to) {
    case 'DRAFT':
      return t('Back to draft');
    case 'SCHEDULED':
      return t('Schedule');
    case 'LIVE':
      return from === 'PAUSED' ? t('Resume') : t('Make live');
    case 'PAUSED':
      return t('Pause');
    case 'CONCLUDED':
      return t('Conclude');
    case 'TERMINATED':
      return t('Terminate');
  }
}

/** When a CTA runs, in words. @param now epoch ms. */
export function scheduleText({ startTime, endTime }: Omit<CtaSchedule, 'status'>, now: number): string {
  const start =
    startTime === null ? null : `${startTime > now ? t('starts') : t('started')} ${agoText(startTime, now)}`;
  const end = endTime === null ? null : `${endTime > now ? t('ends') : t('ended')} ${agoText(endTime, now)}`;
  const both = [start, end].filter((one) => one !== null).join(', ');
  return both === '' ? t('No start or end') : `${both.charAt(0).toUpperCase()}${both.slice(1)}`;
}

/** What a new CTA begins with: shows a tooltip when an event happens, once. */
export const firstRule = {
  stateTransition: { home_opened: { '0': [{ transitionTo: '1' }] } },
  stateToAction: { '1': 'show' },
  actions: [{ actionId: 'show', type: 'TOOLTIP' as const, template: { text: 'Welcome' } }],
};

/** The note beside a field for a time, in the time zone of the browser, e.g. "Time zone: Europe/Berlin." */
export const timeZoneNote = (): string =>
  t('Time zone: {zone}.', { zone: new Intl.DateTimeFormat().resolvedOptions().timeZone });

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/** Epoch milliseconds as a field for date and time takes them, in the time zone of the browser. */
export function localText(at: unknown): string {
  if (typeof at !== 'number' || Number.isNaN(new Date(at).getTime())) return '';
  const date = new Date(at);
  // While somebody types 2028, the field holds the years 2, 20 and 202. A browser empties it if they come back with fewer than four digits.
  const year = digits(date.getFullYear(), 4);
  const day = `${year}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
  return `${day}T${digits(date.getHours(), 2)}:${digits(date.getMinutes(), 2)}`;
}

/** What a field for date and time holds, in epoch milliseconds; null: nothing. */
export function timeOfText(text: string): number | null {
  const at = new Date(text).getTime();
  return text === '' || Number.isNaN(at) ? null : at;
}

/** What a field for date and time holds that began with a known time, which has seconds that the field does not show. */
export const keptTime = (text: string, known: number | null): number | null =>
  text === localText(known) ? known : timeOfText(text);
