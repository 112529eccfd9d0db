import { isCalendarDay } from '../../../core/base/calendar-day.ts';
import { joined, split } from './name-list.ts';

/** The kinds of values of a field that a project declares (docs/fields.md). */
export const fieldKinds = ['text', 'number', 'boolean', 'date', 'choice', 'choices', 'url', 'user'] as const;
export type FieldKind = (typeof fieldKinds)[number];

export const fieldOwners = ['test', 'result'] as const;
export type FieldOwner = (typeof fieldOwners)[number];

/** A value as records contain it: `user` is a user id, `date` a day (2026-11-24), `choices` some of the options in their order. */
export type FieldValue = string | number | boolean | readonly string[];
export type FieldValues = Readonly<Record<string, FieldValue>>;
/** Values of a change; null clears a field. */
export type GivenFieldValues = Readonly<Record<string, unknown>>;

export interface FieldDefinition {
  readonly key: string;
  readonly kind: FieldKind;
  readonly options: readonly string[];
  readonly required: boolean;
}

/** How queries, columns of tables and the console's addresses name an own field. @example ownName('browser') // 'cf.browser' */
export const ownName = (key: string): `cf.${string}` => `cf.${key}`;

export const fieldKey = /^[a-z][a-z0-9_-]{0,31}$/;
export const fieldLimits = { options: 200, text: 2_000, option: 200 } as const;

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= most &&
  value.isWellFormed() &&
  !value.includes('\0');

const isOption = (value: unknown, { options }: FieldDefinition): boolean =>
  typeof value === 'string' && options.includes(value);

function isWebAddress(value: unknown): boolean {
  if (!isText(value, fieldLimits.text)) return false;
  const url = URL.parse(value);
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

/** What a value of each kind must be, as an error says it. */
const rules: Readonly<
  Record<
    FieldKind,
    {
      readonly fits: (value: unknown, field: FieldDefinition) => boolean;
      readonly is: (field: FieldDefinition) => string;
    }
  >
> = {
  text: {
    fits: (value) => isText(value, fieldLimits.text),
    is: () => `a text of 1 to ${fieldLimits.text} characters`,
  },
  number: { fits: (value) => typeof value === 'number' && Number.isFinite(value), is: () => 'a number' },
  boolean: { fits: (value) => typeof value === 'boolean', is: () => 'true or false' },
  date: {
    fits: (value) => typeof value === 'string' && isCalendarDay(value),
    is: () => 'a day, e.g. 2026-11-24',
  },
  choice: { fits: isOption, is: ({ options }) => `one of ${optionsText(options)}` },
  choices: {
    fits: (value, field) =>
      Array.isArray(value) &&
      value.length > 0 &&
      new Set(value).size === value.length &&
      value.every((one) => isOption(one, field)),
    is: ({ options }) => `a list of some of ${optionsText(options)}, each once`,
  },
  url: { fits: isWebAddress, is: () => 'an address that begins with https:// or http://' },
  user: {
    fits: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    is: () => 'the id of a user, from get-all-users',
  },
};

const shownOptions = 20;
const optionsText = (options: readonly string[]): string =>
  options.slice(0, shownOptions).join(', ') + (options.length > shownOptions ? ', …' : '');

/** What is wrong with a value, e.g. `must be a number`; null: nothing. */
function fieldFault(field: FieldDefinition, value: unknown): string | null {
  const rule = rules[field.kind];
  return rule.fits(value, field) ? null : `must be ${rule.is(field)}`;
}

/** The value of a field; every object has a `constructor`, which a field may be called, too. */
export const fieldValueAt = <T>(values: Readonly<Record<string, T>> | null | undefined, key: string) =>
  values && Object.hasOwn(values, key) ? values[key] : undefined;

/** Values without spaces around texts and in the order of their keys, so that equal values are equal texts; null for none. */
export function sortedFieldValues(values: GivenFieldValues | null | undefined): FieldValues | null {
  const entries = Object.entries(values ?? {}).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [[key, trimmed(value)] as const],
  );
  if (entries.length === 0) return null;
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) as FieldValues;
}

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);

/** Given values as they are merged with stored ones: null clears one. */
export const trimmedFieldValues = (given: GivenFieldValues): GivenFieldValues =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, trimmed(value)]));

/** The values of a record of the fields that the project still has, and of their present kind. */
export function shownFieldValues(
  values: FieldValues | null,
  fields: ReadonlyMap<string, FieldDefinition>,
): FieldValues | null {
  if (values === null) return null;
  return sortedFieldValues(Object.fromEntries(Object.entries(values).filter(([key]) => fields.has(key))));
}

/** A value that a test or result must not get: the path in the call, and what it must be. */
export interface FieldValueFault {
  readonly path: string;
  readonly message: string;
}

/**
 * What is wrong with given values of fields.
 * @param isNew the record is made by this: it needs the required fields. A change must not clear one.
 */
export function fieldValueFaults(
  given: GivenFieldValues | null | undefined,
  fields: ReadonlyMap<string, FieldDefinition>,
  isNew: boolean,
): readonly FieldValueFault[] {
  const faults: FieldValueFault[] = [];
  for (const [key, value] of Object.entries(given ?? {})) {
    const field = fields.get(key);
    if (!field) faults.push({ path: `fields.${key}`, message: 'is no field of this project' });
    else if (value !== null) {
      const message = fieldFault(field, value);
      if (message !== null) faults.push({ path: `fields.${key}`, message });
    } else if (field.required && !isNew)
      faults.push({ path: `fields.${key}`, message: 'is required and cannot be cleared' });
  }
  if (isNew)
    for (const { key, required } of fields.values())
      if (required && (fieldValueAt(given, key) ?? null) === null)
        faults.push({ path: `fields.${key}`, message: 'is required' });
  return faults;
}

/** Earlier values, as a test gets them again: a required field that had none keeps the present one, because nothing clears it. */
export function restoredFieldValues(
  earlier: FieldValues | null,
  present: FieldValues | null,
  fields: ReadonlyMap<string, FieldDefinition>,
): FieldValues | null {
  const kept = Object.entries(present ?? {}).filter(
    ([key]) => fields.get(key)?.required === true && fieldValueAt(earlier, key) === undefined,
  );
  return kept.length === 0 ? earlier : sortedFieldValues({ ...earlier, ...Object.fromEntries(kept) });
}

const truthsByText: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

const usualNumber = /^-?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,3})?$/i;
const longNumber = /^-?\d{1,21}(?:\.\d{1,25})?(?:e[+-]\d{1,3})?$/;

/** A value as a cell of a file has it. The text of a value of another kind stays a text, so that the check names it. */
export function fieldValueOfText({ kind }: FieldDefinition, text: string): FieldValue {
  const plain = text.trim();
  if (kind === 'boolean') return truthsByText[plain.toLowerCase()] ?? plain;
  if (kind === 'choices') return split(plain, ',');
  if (kind !== 'number' && kind !== 'user') return plain;
  // A longer one would be rounded, unless it is what an export writes.
  const isExact = usualNumber.test(plain) || (longNumber.test(plain) && String(Number(plain)) === plain);
  return isExact ? Number(plain) : plain;
}

/** A value as a cell of a file: the inverse of {@link fieldValueOfText}. */
export const textOfFieldValue = (value: FieldValue | undefined): string =>
  value === undefined ? '' : typeof value === 'object' ? joined(value, ',') : String(value);
