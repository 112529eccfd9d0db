import { storableText } from '../text/case-text.ts';
import { FileFault } from '../text/file-fault.ts';
import { PackedCases } from './packed-cases.ts';
import {
  attemptLimit,
  messageLimit,
  nameLimit,
  type ReportedAttempt,
  type ReportedCase,
} from './reported-case.ts';

/**
 * The meaning of a second case with the same name in a file: a separate test, the next attempt of the first, or another failure of the same
 * attempt (pytest: a failing teardown).
 */
export type Repeated = 'own' | 'retry' | 'same';

/** Most warnings of one file: many faults have a common cause. */
const warningLimit = 20;

/** The cases of one file as they are read. */
export class CaseList {
  readonly warnings: string[] = [];
  readonly #limit: number;
  readonly #cases = new PackedCases();
  /** By hash of the name. Only for formats in which a name may recur: texts as keys would take 200 bytes per case. */
  readonly #places = new Map<number, number>();
  /** Later cases of a name, with the position of the first one. */
  readonly #later = new PackedCases();
  readonly #laterPlaces: Array<{ readonly place: number; readonly as: Repeated }> = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws FileFault */
  add(given: ReportedCase, repeated: Repeated): void {
    const one = plausibleCase(given);
    let length = one.name.length;
    for (const suite of one.suites) length += suite.length;
    if (length > nameLimit) {
      throw new FileFault(
        `The name of a case with its suites has ${length} characters; the limit is ${nameLimit}.`,
      );
    }
    if (this.#cases.count + this.#later.count >= this.#limit) {
      throw new FileFault(`It has more than ${this.#limit} cases. Upload it in parts.`);
    }
    if (one.name.includes('\ufffd'))
      this.warn(
        'Names of cases have bytes that are not in the encoding of the file, which are stored as "\ufffd". Declare the encoding, or write the report in UTF-8.',
      );
    if (repeated !== 'own') {
      const hash = hashOf(one);
      const place = this.#places.get(hash);
      if (place !== undefined) {
        this.#later.add(one);
        this.#laterPlaces.push({ place, as: repeated });
        return;
      }
      this.#places.set(hash, this.#cases.count);
    }
    this.#cases.add(one);
  }

  get count(): number {
    return this.#cases.count;
  }

  /** The cases in batches of some hundred. */
  *batches(): Generator<readonly ReportedCase[]> {
    const later = this.#laterByPlace();
    const others: ReportedCase[] = [];
    let from = 0;
    for (const batch of this.#cases.batches()) {
      yield later.size === 0
        ? batch
        : batch.map((first, index) => joined(first, later.get(from + index) ?? [], others));
      from += batch.length;
    }
    if (others.length > 0) yield others;
  }

  #laterByPlace(): ReadonlyMap<number, readonly Later[]> {
    const later = new Map<number, Later[]>();
    let index = 0;
    for (const batch of this.#later.batches()) {
      for (const one of batch) {
        const { place, as } = this.#laterPlaces[index++] ?? { place: -1, as: 'own' };
        const known = later.get(place);
        if (known) known.push({ one, as });
        else later.set(place, [{ one, as }]);
      }
    }
    return later;
  }

  warn(sentence: string): void {
    const said = storableText(sentence);
    if (this.warnings.length < warningLimit && !this.warnings.includes(said)) this.warnings.push(said);
  }
}

interface Later {
  readonly one: ReportedCase;
  readonly as: Repeated;
}

/** About 31 years: some tools write the time of day where a duration belongs. */
const longestDuration = 1e12;
/** The end of the year 9999. Later ones are microseconds or nanoseconds. */
const lastMoment = 253_402_300_799_999;
const lastLine = 2_147_483_647;

const isDuration = (value = 0): boolean => value >= 0 && value <= longestDuration;
const isMoment = (value = 0): boolean => value >= 0 && value <= lastMoment;
const isLine = (value = 1): boolean => Number.isInteger(value) && value >= 1 && value <= lastLine;

/** The case without numbers that no test has: a mistake of the tool, which databases do not store and nobody can read. */
function plausibleCase(one: ReportedCase): ReportedCase {
  const { line, attempts, ...rest } = one;
  const isPlausible = ({ durationMs, startedAt }: ReportedAttempt) =>
    isDuration(durationMs) && isMoment(startedAt);
  if (isLine(line) && attempts.every(isPlausible)) return one;
  return {
    ...rest,
    ...(line !== undefined && isLine(line) && { line }),
    attempts: attempts.map(({ durationMs, startedAt, ...attempt }) => ({
      ...attempt,
      ...(durationMs !== undefined && isDuration(durationMs) && { durationMs }),
      ...(startedAt !== undefined && isMoment(startedAt) && { startedAt }),
    })),
  };
}

/** The case combined with its later ones. Names with the same hash are equal, except in one of 10⁵ files with a million cases. */
function joined(first: ReportedCase, later: readonly Later[], others: ReportedCase[]): ReportedCase {
  let whole = first;
  for (const { one, as } of later) {
    if (keyOf(first) !== keyOf(one)) others.push(one);
    else whole = as === 'retry' ? retried(whole, one) : worsened(whole, one);
  }
  return whole;
}

/** 53 bits. */
function hashOf(one: ReportedCase): number {
  const key = keyOf(one);
  return Bun.hash.xxHash32(key) * 2 ** 21 + (Bun.hash.xxHash32(key, 1) >>> 11);
}

const keyOf = ({ suites, name, parameters = '', variant = '' }: ReportedCase): string =>
  `${suites.join('\0')}\0\0${name}\0${parameters}\0${variant}`;

/** Combines two results when the second is a later attempt. */
function retried(first: ReportedCase, second: ReportedCase): ReportedCase {
  const attempts = [...first.attempts, ...second.attempts];
  return {
    ...first,
    ...second,
    suites: first.suites,
    attempts: attempts.slice(-attemptLimit),
    flaky: isFlaky(second.status, attempts),
  };
}

/** Passed, after a failed attempt. */
export const isFlaky = (status: ReportedCase['status'], attempts: readonly ReportedAttempt[]): boolean =>
  status === 'passed' && attempts.some((attempt) => attempt.status === 'failed');

const weight = { skipped: 0, passed: 1, failed: 2 } as const;

/** Combines two results of the same attempt: the failure counts, and both messages are kept. */
function worsened(first: ReportedCase, second: ReportedCase): ReportedCase {
  const status = weight[second.status] > weight[first.status] ? second.status : first.status;
  const [a, b] = [first.attempts.at(-1), second.attempts.at(-1)];
  const message = [a?.message, b?.message].filter(Boolean).join('\n\n').slice(0, messageLimit);
  const durationMs = a?.durationMs === undefined ? b?.durationMs : a.durationMs + (b?.durationMs ?? 0);
  const attempt: ReportedAttempt = {
    status,
    ...(durationMs !== undefined && { durationMs }),
    ...(a?.startedAt !== undefined && { startedAt: a.startedAt }),
    ...(message !== '' && { message }),
  };
  return { ...second, ...first, status, attempts: [...first.attempts.slice(0, -1), attempt] };
}
