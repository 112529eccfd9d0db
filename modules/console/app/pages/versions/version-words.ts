import type { Output } from '../../api/calls.ts';
import { t } from '../../texts/text.ts';

type Field = Output<'compare-test-versions'>['fields'][number];

/** A value of a field, with the name of what an id stands for. */
function valueOfField(value: unknown, name: string | undefined): string {
  if (name !== undefined) return name;
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  // The record is gone, so only its id is known.
  if (typeof value === 'number' || Array.isArray(value))
    return t('no longer there ({value})', { value: String(value) });
  // The project's own fields, by key.
  if (typeof value === 'object')
    return Object.entries(value as object)
      .flatMap(([key, own]: readonly [string, unknown]) =>
        own === null ? [] : [`${key}: ${Array.isArray(own) ? own.join(', ') : String(own)}`],
      )
      .join('\n');
  return typeof value === 'string' ? value : '';
}

/** Before and after of a field, as texts; empty: not set. */
export const textsOfField = ({ field, from, to, fromName, toName }: Field) => ({
  before: field === 'estimateSeconds' ? String(from ?? '') : valueOfField(from, fromName),
  after: field === 'estimateSeconds' ? String(to ?? '') : valueOfField(to, toName),
});
