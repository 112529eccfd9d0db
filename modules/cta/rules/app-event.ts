import type { Properties } from './filter.ts';

/** Something that happened in an app. `at` is epoch milliseconds. */
export interface AppEvent {
  readonly name: string;
  readonly at: number;
  readonly properties: Properties;
}

/** What an app sends about itself; null: unknown. */
export interface AppFacts {
  readonly appVersion: string | null;
  readonly packageName: string | null;
  readonly platform: string | null;
}

export const unknownApp: AppFacts = { appVersion: null, packageName: null, platform: null };

/** An event as rules in an app read it: the event, its name, and the fields that the app adds. */
export interface EventData {
  readonly at: number;
  has(property: string): boolean;
  valueOf(property: string): unknown;
  /** `String()` of a property. @throws TypeError for an object that has no text. */
  textOf(property: string): string;
  /** `Number()` of a property; NaN when it is missing. @throws TypeError for an object that has no number. */
  numberOf(property: string): number;
}

/** Members of `Object.prototype`. The app SDK stores names in plain objects, which contain these from the start. */
export const isInEveryObject = (name: string): boolean => name in Object.prototype;

/**
 * The event name and the fields that the app adds replace properties of the same names. Unknown facts about the app are taken from the
 * event, or are empty text. Conversions are cached: a rule may have thousands of leaves, and a property may be a long list, which would be
 * converted for each of them.
 */
export function eventData({ name, at, properties }: AppEvent, app: AppFacts): EventData {
  const values: Record<string, unknown> = Object.assign(
    { app_version: '', app_name: '', platform: '' },
    properties,
    { eventName: name },
    app.appVersion !== null && { app_version: app.appVersion },
    app.packageName !== null && { app_name: app.packageName },
    app.platform !== null && { platform: app.platform },
  );
  const texts = new Map<string, string>();
  const numbers = new Map<string, number>();
  return {
    at,
    has: (property) => property in values,
    valueOf: (property) => values[property],
    textOf: (property) => remembered(texts, property, () => String(values[property])),
    numberOf: (property) => remembered(numbers, property, () => Number(values[property])),
  };
}

function remembered<T>(known: Map<string, T>, property: string, convert: () => T): T {
  const value = known.get(property);
  if (value !== undefined) return value;
  const converted = convert();
  known.set(property, converted);
  return converted;
}
