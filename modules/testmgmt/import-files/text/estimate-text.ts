const secondsPer: Readonly<Record<string, number>> = {
  w: 5 * 8 * 3_600,
  d: 8 * 3_600,
  h: 3_600,
  m: 60,
  s: 1,
};

const wholeText = /^(?:\d{1,9}\s*(?:w|d|h|m|s)[a-z]*\.?[\s,]*)+$/i;

/**
 * The seconds of an estimate in a CSV file: a number of seconds, or as TestRail writes it, e.g. `1h 30m`, `45 sec`, `2 weeks 1 day`. A day
 * of work has 8 hours, and a week 5 days. Undefined for any other text.
 */
export function secondsOf(text: string): number | undefined {
  const given = text.trim();
  if (/^\d{1,9}$/.test(given)) return Number(given);
  if (given.length > 60 || !wholeText.test(given)) return undefined;
  let seconds = 0;
  for (const [, count = '', unit = ''] of given.matchAll(/(\d{1,9})\s{0,60}([a-z])/gi))
    seconds += Number(count) * (secondsPer[unit.toLowerCase()] ?? 0);
  return seconds;
}
