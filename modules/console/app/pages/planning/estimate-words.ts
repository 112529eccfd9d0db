import { secondsOf } from '../../../../testmgmt/import-files/text/estimate-text.ts';

/** e.g. `1 h 30 m`, as {@link secondsOfEstimate} reads it; empty for none. */
export function estimateText(seconds: number | null): string {
  if (seconds === null) return '';
  const parts = [
    [Math.floor(seconds / 3_600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.join(' ');
}

/** A week, as create-test has it. */
const mostSeconds = 7 * 24 * 3_600;

/** @returns null for an empty text; undefined for one that is no time, or a number without a unit. */
export function secondsOfEstimate(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  if (/^\s*\d+\s*$/.test(text)) return undefined;
  const seconds = secondsOf(text);
  return seconds === undefined || seconds < 1 || seconds > mostSeconds ? undefined : seconds;
}
