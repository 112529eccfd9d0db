import type { FieldKind, FieldValue } from '../../../../testmgmt/rules/field-value.ts';

/** What people call the kinds of values. */
export const kindNames: Readonly<Record<FieldKind, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  date: 'Day',
  choice: 'One of a list',
  choices: 'Some of a list',
  url: 'Web address',
  user: 'Person',
};

/**
 * What a person typed, as a value; null clears it. A text that is no number stays a text, so that the server says what is wrong.
 * @example valueOfText('number', ' 2.5 ') // 2.5
 */
export function valueOfText(kind: FieldKind, text: string): FieldValue | null {
  const plain = text.trim();
  if (plain === '') return null;
  return kind === 'number' && Number.isFinite(Number(plain)) ? Number(plain) : plain;
}

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
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return kind === 'user' && typeof value === 'number' ? nameOf(value) : String(value);
}

/** A key for a name, as a suggestion. @example keyOfName('Browser & OS') // 'browser-os' */
export function keyOfName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const key = words.join('-').replace(/^[^a-z]+/, '');
  return key.slice(0, 32).replace(/-$/, '');
}
