import type { Input, Output } from '../../api/calls.ts';
import { isJson, type Json } from './json-path.ts';
import { t } from '../../texts/text.ts';

/** The fields of a CTA that a person edits, in the order in which the JSON shows them. */
const fields = [
  'name',
  'description',
  'team',
  'tags',
  'startTime',
  'endTime',
  'behaviourTagName',
  'rule',
  'experiment',
] as const;

/** Fields that go into `clear` when they are null or left out. */
const clearable = ['team', 'startTime', 'endTime', 'behaviourTagName', 'experiment'] as const;

export const documentOf = (cta: Output<'get-cta'>): Json =>
  Object.fromEntries(fields.map((field) => [field, cta[field]]));

export const textOf = (doc: Json): string => JSON.stringify(doc, null, 2);

type Parsed = { readonly doc: Json } | { readonly error: string };

/** What was typed as JSON. */
export function parsed(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? { doc: value } : { error: t('This must be an object: { … }.') };
  } catch (error) {
    return {
      error: t('This is no JSON yet: {fault}', {
        fault: error instanceof Error ? error.message : String(error),
      }),
    };
  }
}

/** Whether two documents say the same, in whatever order their members are. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : isJson(value)
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, inner]) => [name, sorted(inner)]),
        )
      : value;

/** The document as `update-cta` takes it. Unknown fields are sent unchanged for the server to check. */
export function inputOf(doc: Json, ctaId: string, version: number): Input<'update-cta'> {
  const clear = clearable.filter((field) => (doc[field] ?? null) === null);
  const given = Object.entries(doc).filter(([name]) => !clear.some((field) => field === name));
  return {
    ...Object.fromEntries(given),
    ctaId,
    version,
    ...(clear.length > 0 && { clear }),
  };
}
