import type { ReportedStatus } from '../../result-files/cases/reported-case.ts';
import { keyHash, keyText } from '../matching/automation-key.ts';
import type { MatchedCases } from '../matching/case-match.ts';
import type { RunTests } from '../rows/run-tests-store.ts';
import type { CaseGroup, GroupResult, PlacedCase } from '../matching/upload-group.ts';
import { namedInReport, type ReportedTest } from '../rows/upload-report.ts';

/** Most characters of a message in a report; the result contains the whole message. */
const messageLength = 1_000;

/** Counts a list and keeps its first entries. */
class Named {
  readonly tests: ReportedTest[] = [];
  count = 0;

  note(test: () => ReportedTest): void {
    this.count++;
    if (this.tests.length < namedInReport) this.tests.push(test());
  }
}

/** The counts and lists of a report about the tests of an upload, collected while they are stored. */
export class UploadTally {
  readonly failing = new Named();
  readonly newlyFailing = new Named();
  readonly fixed = new Named();
  readonly flaky = new Named();
  readonly unmatched = new Named();
  readonly quarantined = new Named();
  /** Cases of the tests in quarantine that failed. */
  quarantinedCases = 0;
  readonly #matched: MatchedCases;
  readonly #before: Pick<RunTests, 'statusOf'>;
  readonly #inQuarantine: ReadonlySet<number>;
  readonly #unmatchedBefore: ReadonlyMap<string, ReportedStatus>;

  /**
   * @param before the tests of the compared run.
   * @param unmatchedBefore its cases without a test, by the digests of their keys.
   * @param inQuarantine the tests whose failures fail no build.
   */
  constructor(
    matched: MatchedCases,
    before: Pick<RunTests, 'statusOf'>,
    unmatchedBefore: ReadonlyMap<string, ReportedStatus>,
    inQuarantine: ReadonlySet<number> = new Set(),
  ) {
    this.#matched = matched;
    this.#before = before;
    this.#unmatchedBefore = unmatchedBefore;
    this.#inQuarantine = inQuarantine;
  }

  note({ testId, lead, others }: CaseGroup, { result, details }: GroupResult): void {
    const { status, flaky } = result;
    const before = this.#statusBefore(testId, lead);
    const test = () => this.#test(testId === 0 ? null : testId, lead, result);
    const withFiles = () => ({ ...test(), attachments: details?.attachments?.length ?? 0 });
    if (flaky) this.flaky.note(test);
    if (this.#inQuarantine.has(testId)) {
      const cases = [lead, ...others].filter(({ reported }) => reported.status === 'failed');
      this.quarantinedCases += cases.length;
      if (status === 'failed') this.quarantined.note(withFiles);
    } else if (status === 'failed') {
      this.failing.note(withFiles);
      if (before !== 'failed') this.newlyFailing.note(test);
    }
    if (status === 'passed' && before === 'failed') this.fixed.note(test);
  }

  /** A case without a test can fail newly, like a test; otherwise a new test that fails would not be reported at all. */
  noteUnmatched(lead: PlacedCase, given: GroupResult): void {
    this.note({ testId: 0, lead, others: [] }, given);
    this.unmatched.note(() => this.#test(null, lead, given.result));
  }

  #statusBefore(testId: number, { at, reported }: PlacedCase): string | undefined {
    const status = testId === 0 ? undefined : this.#before.statusOf(testId);
    if (status !== undefined || this.#unmatchedBefore.size === 0) return status;
    return this.#unmatchedBefore.get(keyHash(keyText(this.#matched.keyAt(at, reported))));
  }

  #test(testId: number | null, { at, reported }: PlacedCase, result: GroupResult['result']): ReportedTest {
    const { message, durationMs } = result.deciding;
    const { file, line } = reported;
    return {
      testId,
      name: keyText(this.#matched.keyAt(at, reported)),
      ...(message === undefined ? {} : { message: message.slice(0, messageLength).toWellFormed() }),
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
      ...(durationMs === undefined ? {} : { durationMs }),
    };
  }
}
