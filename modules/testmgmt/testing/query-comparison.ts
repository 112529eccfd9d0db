import type { Random } from '../../../test/verify/scale.ts';

/* Comparisons in query syntax, and their meaning as plain functions. */

const hour = 3_600_000;

/** A comparison and what it means for a number. */
export function comparison(random: Random, value: number): readonly [string, (given: number) => boolean] {
  const most = value + random.below(4);
  return random.pick([
    [`${value}`, (given: number) => given === value],
    [`${value},${most}`, (given: number) => given === value || given === most],
    [`>${value}`, (given: number) => given > value],
    [`>=${value}`, (given: number) => given >= value],
    [`<${value}`, (given: number) => given < value],
    [`<=${value}`, (given: number) => given <= value],
    [`${value}..${most}`, (given: number) => given >= value && given <= most],
  ] as const);
}

export function timeComparison(random: Random, now: number): readonly [string, (given: number) => boolean] {
  const daysAgo = random.below(12);
  if (random.below(2) === 0) {
    const at = now - daysAgo * 24 * hour;
    return random.pick([
      [`${daysAgo}d`, (given: number) => given >= at],
      [`<${daysAgo * 24}h`, (given: number) => given < at],
      [`>${daysAgo}d`, (given: number) => given > at],
    ] as const);
  }
  const day = new Date(now - daysAgo * 24 * hour).toISOString().slice(0, 10);
  const from = Date.parse(day);
  const until = from + 24 * hour;
  return random.pick([
    [day, (given: number) => given >= from && given < until],
    [`>${day}`, (given: number) => given >= until],
    [`>=${day}`, (given: number) => given >= from],
    [`<${day}`, (given: number) => given < from],
    [`<=${day}`, (given: number) => given < until],
    [`${day}..${day}`, (given: number) => given >= from && given < until],
  ] as const);
}

/** Of milliseconds. */
export function durationComparison(random: Random): readonly [string, (given: number) => boolean] {
  const ms = random.below(4) * 500;
  const [sign, fits] = random.pick([
    ['>', (given: number) => given > ms],
    ['>=', (given: number) => given >= ms],
    ['<', (given: number) => given < ms],
    ['<=', (given: number) => given <= ms],
    ['', (given: number) => given === ms],
  ] as const);
  return [`${sign}${random.pick([`${ms}ms`, `${ms / 1_000}s`, `${ms / 1_000}`])}`, fits];
}
