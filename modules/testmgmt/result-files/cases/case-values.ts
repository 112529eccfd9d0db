import type { ReportedStatus } from './reported-case.ts';

/** Values as the tools write them. */

/** Most characters of a number or time; a longer text is neither. */
const longestValue = 100;

/**
 * Milliseconds from a number of seconds: `0.`, `8.8e-05`, `1,234.567` (Surefire), `0,25` (a German decimal comma); a negative number counts
 * as zero (Boost writes `-0.000000`). Undefined if the text is not a number.
 */
export function millisecondsOf(seconds: string | undefined): number | undefined {
  if (seconds === undefined || seconds.length > longestValue) return undefined;
  let text = seconds.trim();
  if (/^-?\d{1,3}(?:,\d{3})+\.\d*$/.test(text)) text = text.replaceAll(',', '');
  else if (/^-?\d+,\d+$/.test(text)) text = text.replace(',', '.');
  const found = /^(-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(ms|s)?$/i.exec(text);
  if (!found) return undefined;
  const value = Number(found[1]) * (found[2]?.toLowerCase() === 'ms' ? 1 : 1_000);
  return Number.isFinite(value) ? rounded(Math.max(0, value)) : undefined;
}

/** Rounded to a nanosecond: 0.1 + 0.2 s are 300 ms. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 1e6) / 1e6;

/** The moment of a timestamp with a time zone; without one, the clock is unknown. */
export function momentOf(timestamp: string | undefined): number | undefined {
  if (timestamp === undefined || timestamp.length > longestValue || !/(?:Z|[+-]\d\d:?\d\d)$/i.test(timestamp))
    return undefined;
  const moment = Date.parse(timestamp);
  return Number.isNaN(moment) ? undefined : moment;
}

const words: Readonly<Record<ReportedStatus, readonly string[]>> = {
  passed: ['passed', 'pass', 'ok', 'success', 'successful', 'succeeded', 'run', 'completed', 'expected'],
  failed: [
    'failed',
    'fail',
    'failure',
    'error',
    'errored',
    'broken',
    'timeout',
    'timedout',
    'unexpected',
    'aborted',
    'crashed',
  ],
  skipped: [
    'skipped',
    'skip',
    'notrun',
    'disabled',
    'ignored',
    'pending',
    'todo',
    'suppressed',
    'filtered',
    'blocked',
    'inconclusive',
  ],
};
const statusByWord = new Map(
  Object.entries(words).flatMap(([status, ofStatus]) =>
    ofStatus.map((word) => [word, status as ReportedStatus] as const),
  ),
);

/** The status for a word of any tool, or undefined: a case must not pass by a guess. */
export const statusOfWord = (word: string): ReportedStatus | undefined =>
  statusByWord.get(word.toLowerCase().replaceAll(/[\s_-]/g, ''));

/** A line number from 1. */
export function lineOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
