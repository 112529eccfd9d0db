import { t } from '../../texts/text.ts';

interface Period {
  /** Epoch ms; null: none. */
  readonly start: number | null;
  readonly end: number | null;
  readonly now: number;
}

/** What is wrong with the period of a CTA that is to be scheduled; nothing while the start is not typed yet. */
export function periodFault({
  start,
  end,
  now,
}: Period): { readonly at: 'start' | 'end'; readonly message: string } | undefined {
  if (start !== null && start <= now)
    return { at: 'start', message: t('Choose a time that is still to come.') };
  if (end !== null && end <= (start ?? now))
    return { at: 'end', message: t('Choose a time after the start.') };
  return undefined;
}
