import { FileFault } from './file-fault.ts';
import { attemptLimit, nameLimit, type ReportedAttempt, type ReportedCase } from './reported-case.ts';

/**
 * What the second case of one name in a file is: a test of its own, the next attempt of the first, or another thing that went wrong in
 * the same attempt (pytest: a failing teardown).
 */
export type Repeated = 'own' | 'retry' | 'same';

/** Warnings of one file; a file with more faults has one cause. */
const warningLimit = 20;

/** The cases of one file as they are read. */
export class CaseList {
  readonly cases: ReportedCase[] = [];
  readonly warnings: string[] = [];
  readonly #limit: number;
  /** By hash of the name. Only for formats in which a name may return: texts as keys would take 100 bytes a case. */
  readonly #places = new Map<number, number>();
  readonly #suites = new Map<string, readonly string[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The one array for all cases of these suites. */
  shared(suites: readonly string[]): readonly string[] {
    const key = suites.join('\0');
    const known = this.#suites.get(key);
    if (known) return known;
    this.#suites.set(key, suites);
    return suites;
  }

  add(one: ReportedCase, repeated: Repeated): void {
    const length = one.suites.reduce((sum, suite) => sum + suite.length, one.name.length);
    if (length > nameLimit) {
      throw new FileFault(
        `The name of a case with its suites has ${length} characters; the limit is ${nameLimit}.`,
      );
    }
    if (repeated !== 'own') {
      let hash = Bun.hash.xxHash32(keyOf(one));
      for (; ; hash++) {
        const place = this.#places.get(hash);
        if (place === undefined) break;
        const known = this.cases[place];
        if (known && keyOf(known) === keyOf(one)) {
          this.cases[place] = repeated === 'retry' ? retried(known, one) : worsened(known, one);
          return;
        }
      }
      this.#places.set(hash, this.cases.length);
    }
    if (this.cases.length >= this.#limit) {
      throw new FileFault(`It has more than ${this.#limit} cases. Upload it in parts.`);
    }
    this.cases.push(one);
  }

  warn(sentence: string): void {
    if (this.warnings.length < warningLimit && !this.warnings.includes(sentence))
      this.warnings.push(sentence);
  }
}

const keyOf = ({ suites, name, parameters = '', variant = '' }: ReportedCase): string =>
  `${suites.join('\0')}\0\0${name}\0${parameters}\0${variant}`;

/** One case of two results of which the second is the later attempt. */
function retried(first: ReportedCase, second: ReportedCase): ReportedCase {
  const attempts = [...first.attempts, ...second.attempts];
  return {
    ...first,
    ...second,
    attempts: attempts.slice(-attemptLimit),
    flaky: isFlaky(second.status, attempts),
  };
}

/** Passed, after an attempt that failed. */
export const isFlaky = (status: ReportedCase['status'], attempts: readonly ReportedAttempt[]): boolean =>
  status === 'passed' && attempts.some((attempt) => attempt.status === 'failed');

const weight = { skipped: 0, passed: 1, failed: 2 } as const;

/** One case of two results of one attempt: what failed counts, and both messages stay. */
function worsened(first: ReportedCase, second: ReportedCase): ReportedCase {
  const status = weight[second.status] > weight[first.status] ? second.status : first.status;
  const [a, b] = [first.attempts.at(-1), second.attempts.at(-1)];
  const message = [a?.message, b?.message].filter(Boolean).join('\n\n');
  const durationMs = a?.durationMs === undefined ? b?.durationMs : a.durationMs + (b?.durationMs ?? 0);
  const attempt: ReportedAttempt = {
    status,
    ...(durationMs !== undefined && { durationMs }),
    ...(a?.startedAt !== undefined && { startedAt: a.startedAt }),
    ...(message !== '' && { message }),
  };
  return { ...second, ...first, status, attempts: [...first.attempts.slice(0, -1), attempt] };
}
