import type { FieldKind, FieldValue } from '../../../../testmgmt/rules/field-value.ts';
import { locale, t } from '../../texts/text.ts';

/** What people call the kinds of values. */
export const kindNames: Readonly<Record<FieldKind, string>> = {
  text: t('Text'),
  number: t('Number'),
  boolean: t('Yes or no'),
  date: t('Day'),
  choice: t('One of a list'),
  choices: t('Some of a list'),
  url: t('Web address'),
  user: t('Person'),
};

/**
 * What a person typed, as a value; null clears it. A text that is no number stays a text, so that the server says what is wrong.
 * @example valueOfText('number', ' 2.5 ') // 2.5
 */
export function valueOfText(kind: FieldKind, text: string): FieldValue | null {
  const plain = text.trim();
  if (plain === '') return null;
  const number = Number(hasCommas() ? plain.replace(',', '.') : plain);
  return kind === 'number' && Number.isFinite(number) ? number : plain;
}

/** Whether this language writes 2,5 for two and a half. */
const hasCommas = (): boolean => new Intl.NumberFormat(locale()).format(1.5).includes(',');

/** Values of a form as they are sent: what was typed for a number becomes one. */
export const valuesToSend = (
  fields: ReadonlyArray<{ readonly key: string; readonly kind: FieldKind }>,
  values: Readonly<Record<string, FieldValue | null>>,
): Readonly<Record<string, FieldValue | null>> => {
  const kinds = new Map(fields.map(({ key, kind }) => [key, kind]));
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? valueOfText(kinds.get(key) ?? 'text', value) : value,
    ]),
  );
};

/** A value as a page shows it; `nameOf` finds the name of a person. */
export function shownValue(kind: FieldKind, value: FieldValue, nameOf: (userId: number) => string): string {
  if (typeof value === 'object') return value.join(', ');
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  return kind === 'user' && typeof value === 'number' ? nameOf(value) : String(value);
}
