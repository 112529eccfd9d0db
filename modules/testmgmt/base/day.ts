import { Type } from '@sinclair/typebox';
import { fail } from './errors.ts';

export const dayParameter = (description: string) =>
  Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: `${description}, e.g. 2026-11-30.` });

/**
 * The start of a day in UTC, in epoch milliseconds.
 * @throws Fault INVALID_REQUEST for a day that no calendar has.
 */
function startOfDay(text: string, parameter: string): number {
  const time = Date.parse(`${text}T00:00:00Z`);
  if (Number.isFinite(time) && dayOf(time) === text) return time;
  throw fail.INVALID_REQUEST(`${parameter} is no day: ${text}.`, {
    cause: parameter,
    tip: 'Write it as 2026-11-30.',
  });
}

/** The day of a stored time, as records have it. */
export function dayOf(time: number): string;
export function dayOf(time: number | null): string | null;
export function dayOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString().slice(0, 10);
}

/** A given day as it is stored: undefined stays undefined, and null clears it. @throws Fault INVALID_REQUEST. */
export const storedDay = (text: string | null | undefined, parameter: string): number | null | undefined =>
  typeof text === 'string' ? startOfDay(text, parameter) : text;
