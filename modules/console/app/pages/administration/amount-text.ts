import { t } from '../../texts/text.ts';

const units = [t('bytes'), 'KB', 'MB', 'GB', 'TB'] as const;

/** e.g. "1.9 MB". A unit is 1024 of the one before. */
export function bytesText(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1024 ** unit;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit] ?? t('bytes')}`;
}

const steps = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** The two largest parts of a duration, e.g. "3 d 4 h". */
export function durationText(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts = steps.map(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, unit };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(' ');
}
