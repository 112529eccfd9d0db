import { UsageError } from '../base/errors.ts';
import { nearest } from '../text/nearest-word.ts';
import type { Setting } from './settings.ts';
import { secondsIn } from './time-setting.ts';

/** A given value and where it was given, e.g. `TRIVET_PORT`. */
export type Origin = { readonly from: string; readonly value: unknown; readonly file?: string };

/** The parts of a list that was given as one text. */
export const splitList = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Converts a given value to the type of its setting. @throws UsageError that names its source and what is allowed. */
export function checkSetting(setting: Setting, { from, value }: Origin): unknown {
  const refuse = (allowed: string): never => {
    throw new UsageError(`${from} must be ${allowed}.`);
  };
  switch (setting.type) {
    case 'boolean':
      if (value === true || value === 'true' || value === '1') return true;
      if (value === false || value === 'false' || value === '0') return false;
      return refuse('true or false');
    case 'integer': {
      const number = numberOf(setting, value);
      const range = `from ${setting.minimum} to ${setting.maximum}`;
      const allowed = setting.unit ? `${range} seconds, or a time such as 90s, 30m, 12h or 400d` : range;
      if (typeof number !== 'number' || !Number.isSafeInteger(number))
        return refuse(setting.unit ? allowed : `a whole number ${allowed}`);
      if (number < setting.minimum || number > setting.maximum) return refuse(allowed);
      return number;
    }
    case 'string':
      if (typeof value !== 'string' || value === '') return refuse('a text that is not empty');
      if (setting.choices && !setting.choices.includes(value)) {
        const close = nearest(value, setting.choices);
        return refuse(`one of ${setting.choices.join(', ')}${close ? ` (did you mean "${close}"?)` : ''}`);
      }
      if (setting.form && !setting.form.fits(value)) return refuse(setting.form.words);
      if (setting.pattern && !setting.pattern.test(value))
        return refuse(`of the form ${setting.value ?? 'TEXT'} (${setting.pattern.source})`);
      return value;
    case 'list': {
      const parts: unknown = typeof value === 'string' ? splitList(value) : value;
      if (setting.filled && typeof value === 'string' && Array.isArray(parts) && parts.length === 0)
        return refuse('a text that is not empty');
      if (!isListOfTexts(parts)) return refuse('a list of texts');
      const { form } = setting;
      for (const part of parts) if (form?.fits(part) === false) return refuse(`${form.words}, not "${part}"`);
      return parts;
    }
    case 'table':
      return typeof value === 'string' ? parseTable(from, value) : value;
  }
}

/** @returns the value as it is if it is no number. */
function numberOf({ unit }: Pick<Extract<Setting, { type: 'integer' }>, 'unit'>, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/^-?\d+$/.test(value)) return Number(value);
  return (unit && secondsIn(value)) ?? value;
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string');

function parseTable(from: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${from} must be a JSON object.`);
  }
}
