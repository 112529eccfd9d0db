import type { Output } from '../../api/calls.ts';
import { countText } from '../../design/amount.ts';
import { t } from '../../texts/text.ts';

type Tag = Output<'get-behaviour-tag'>;
type Limits = NonNullable<Tag['exposureRule']>;
type Relation = NonNullable<Tag['ctaRelation']>;

/** The limits of a tag in words. */
export function limitsText(limits: Limits | undefined): string {
  const { session, window, lifespan } = limits ?? {};
  const parts = [
    session && session.limit > 0 && t('{limit} in a session', { limit: session.limit }),
    window &&
      window.limit > 0 &&
      t('{limit} in {window}', { limit: window.limit, window: lengthText(window) }),
    lifespan && lifespan.limit > 0 && t('{limit} ever', { limit: lifespan.limit }),
  ].filter(Boolean);
  return parts.length === 0 ? t('No limit') : parts.join(', ');
}

const ones = {
  days: t('a day'),
  hours: t('an hour'),
  minutes: t('a minute'),
  seconds: t('a second'),
} as const;
const amounts = {
  days: (count: number) => countText(count, 'day'),
  hours: (count: number) => countText(count, 'hour'),
  minutes: (count: number) => countText(count, 'minute'),
  seconds: (count: number) => countText(count, 'second'),
} as const;
const lengthText = ({ value, unit }: NonNullable<Limits['window']>): string =>
  value === 1 ? ones[unit] : amounts[unit](value);

/** Which CTAs of a tag hide others, in words. */
export function relationText(relation: Relation | undefined): string {
  const { shownCta, hideCta } = relation ?? {};
  if (!shownCta || !hideCta) return t('None hides another');
  if (shownCta.rule === 'ANY') return t('The first that is shown hides the rest');
  const list = (ids: readonly string[] = []) => ids.join(', ') || t('none');
  return t('CTA {shown} hides CTA {hidden}', {
    shown: list(shownCta.ctaList),
    hidden: list(hideCta.ctaList),
  });
}

/** The content of the form of a tag: texts as they were typed. */
export interface TagForm {
  readonly session: string;
  readonly lifespan: string;
  readonly window: string;
  readonly value: string;
  readonly unit: NonNullable<Limits['window']>['unit'];
  readonly relation: 'none' | 'any' | 'list';
  readonly shown: readonly string[];
  readonly hidden: readonly string[];
}

export function formOf(tag: Pick<Tag, 'exposureRule' | 'ctaRelation'> | null): TagForm {
  const { session, window, lifespan } = tag?.exposureRule ?? {};
  const { shownCta, hideCta } = tag?.ctaRelation ?? {};
  const text = (limit: number | undefined) => (limit === undefined ? '' : String(limit));
  return {
    session: text(session?.limit),
    lifespan: text(lifespan?.limit),
    window: text(window?.limit),
    value: text(window?.value) || '1',
    unit: window?.unit ?? 'days',
    relation: shownCta === undefined ? 'none' : shownCta.rule === 'LIST' ? 'list' : 'any',
    shown: shownCta?.ctaList ?? [],
    hidden: hideCta?.ctaList ?? [],
  };
}

/** A number, or the typed text if invalid: the server reports it. */
const numberOf = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : (text as never));

/** The limits and the relation as the tools take them; what is not there is left out. */
export function definitionOf(form: TagForm): Pick<Tag, 'exposureRule' | 'ctaRelation'> {
  const { session, lifespan, window, value, unit, relation } = form;
  const limits: Limits = {
    ...(session.trim() !== '' && { session: { limit: numberOf(session) } }),
    ...(window.trim() !== '' && { window: { limit: numberOf(window), unit, value: numberOf(value) } }),
    ...(lifespan.trim() !== '' && { lifespan: { limit: numberOf(lifespan) } }),
  };
  return {
    ...(Object.keys(limits).length > 0 && { exposureRule: limits }),
    ...(relation === 'any' && {
      ctaRelation: { shownCta: { rule: 'ANY' as const }, hideCta: { rule: 'REST' as const } },
    }),
    ...(relation === 'list' && {
      ctaRelation: {
        shownCta: { rule: 'LIST' as const, ctaList: [...form.shown] },
        hideCta: { rule: 'LIST' as const, ctaList: [...form.hidden] },
      },
    }),
  };
}

/** The units of a window, as a person chooses them. */
export const windowUnitOptions = [
  { id: 'days', name: t('days') },
  { id: 'hours', name: t('hours') },
  { id: 'minutes', name: t('minutes') },
  { id: 'seconds', name: t('seconds') },
] as const;
