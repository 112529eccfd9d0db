/** Milliseconds, the largest first. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** Words for units, as people type them. */
const words: Readonly<Record<string, number>> = {
  ...Object.fromEntries(units),
  day: 86_400_000,
  days: 86_400_000,
  hour: 3_600_000,
  hours: 3_600_000,
  m: 60_000,
  minute: 60_000,
  minutes: 60_000,
  sec: 1_000,
  second: 1_000,
  seconds: 1_000,
  w: 604_800_000,
  week: 604_800_000,
  weeks: 604_800_000,
};

/** e.g. "2 h", "1 d 12 h", "90 ms". */
export function delayText(ms: number): string {
  if (!Number.isSafeInteger(ms) || ms < 0) return String(ms);
  if (ms === 0) return '0 s';
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0) parts.push(`${count} ${unit}`);
    rest -= count * length;
  }
  return parts.join(' ');
}

const longest = 60;
const part = /^(\d{1,9}(?:[.,]\d{1,3})?) ?([a-z]+)\s*/;

/** A duration as typed, in milliseconds; undefined if it is none. A number alone has no unit, which could mean anything. */
export function msOfDuration(text: string): number | undefined {
  let rest = text.trim().toLowerCase();
  if (rest === '' || rest.length > longest) return undefined;
  let sum = 0;
  while (rest !== '') {
    const [whole, count = '', unit = ''] = part.exec(rest) ?? [];
    const length = Object.hasOwn(words, unit) ? words[unit] : undefined;
    if (whole === undefined || length === undefined) return undefined;
    sum += Math.round(Number(count.replace(',', '.')) * length);
    rest = rest.slice(whole.length);
  }
  return sum;
}
