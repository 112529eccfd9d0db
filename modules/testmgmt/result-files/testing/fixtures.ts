/** A report in fixtures/, and what its tool printed in the same run. */
interface Fixture {
  readonly file: string;
  /** With its version; "schema" if it was written after the published form of the tool, which does not run here. */
  readonly by: string;
  /** What the tool printed, word for word. */
  readonly printed: string;
  /** What the file says. `ms` is the sum of the attempts, rounded. */
  readonly read: {
    readonly format: string;
    readonly cases: number;
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
    readonly flaky: number;
    readonly ms: number;
  };
  /** Why the file differs from what was printed. */
  readonly differs?: string;
}

type Counts = readonly [
  cases: number,
  passed: number,
  failed: number,
  skipped: number,
  flaky: number,
  ms: number,
];

const read = (format: string, [cases, passed, failed, skipped, flaky, ms]: Counts): Fixture['read'] => ({
  format,
  cases,
  passed,
  failed,
  skipped,
  flaky,
  ms,
});

const junit = (file: string, by: string, printed: string, counts: Counts, differs?: string): Fixture => ({
  file,
  by,
  printed,
  read: read('junit', counts),
  ...(differs !== undefined && { differs }),
});

const junitFixtures: readonly Fixture[] = [
  junit('bats/bats.xml', 'Bats 1.8.2', '4 tests, 1 failure, 1 skipped', [4, 2, 1, 1, 0, 25]),
  junit(
    'boost/boost.xml',
    'Boost.Test 1.74',
    '1 out of 4 passed, 2 failed, 1 skipped, 1 aborted',
    [4, 1, 2, 1, 0, 1],
  ),
  junit(
    'bun/bun.xml',
    'bun 1.4.5',
    '8 pass, 1 skip, 1 todo, 3 fail, 1 error; 13 tests across 4 files [35.00ms]',
    [12, 8, 2, 2, 0, 0],
    'A file that could not be loaded is not in the report.',
  ),
  junit(
    'busted/busted.xml',
    'busted 2.1.1',
    '1 success / 1 failure / 1 error / 1 pending',
    [4, 1, 2, 1, 0, 0],
  ),
  junit(
    'catch2/catch2.xml',
    'Catch2 2.13.10',
    'test cases: 5 | 1 passed | 2 failed | 2 failed as expected',
    [7, 3, 2, 2, 0, 0],
    'Each section is a case of the file.',
  ),
  junit(
    'ctest/ctest.xml',
    'CTest 3.25.1',
    '40% tests passed, 3 tests failed out of 5; 2 did not run (Disabled, Skipped); 1.02 sec',
    [6, 1, 3, 2, 0, 1014],
    'The percentage counts the skipped test as passed.',
  ),
  junit(
    'cucumber/cucumber-junit.xml',
    'cucumber-js 12.9.0',
    '7 scenarios (2 failed, 1 undefined, 1 pending, 1 skipped, 2 passed)',
    [7, 2, 4, 1, 0, 8],
    'It writes undefined and pending as failures.',
  ),
  junit(
    'go/gotestsum.xml',
    'gotestsum 1.8.2, go 1.19.8',
    'DONE 11 tests, 1 skipped, 5 failures, 1 error',
    [11, 5, 5, 1, 0, 0],
    'The error is a package that did not build: a warning.',
  ),
  junit(
    'go/gotestsum-reruns.xml',
    'gotestsum 1.8.2 --rerun-fails=2',
    'DONE 3 runs, 16 tests, 1 skipped, 10 failures',
    [9, 5, 3, 1, 1, 0],
    'It counts attempts.',
  ),
  junit(
    'gtest/gtest.xml',
    'GoogleTest 1.12.1',
    '5 PASSED, 1 SKIPPED, 1 FAILED, 1 DISABLED',
    [8, 5, 1, 2, 0, 0],
  ),
  junit(
    'jest/jest-junit.xml',
    'jest 30.5.2, jest-junit 17.0.0',
    '1 failed, 1 skipped, 1 todo, 8 passed, 11 total',
    [11, 9, 1, 1, 0, 13],
    'It writes a todo as passed, and leaves out a file that could not be loaded.',
  ),
  junit(
    'jest/jest-junit-templates.xml',
    'jest 30.5.2, jest-junit 17.0.0 with templates and reportTestSuiteErrors',
    '1 failed, 1 skipped, 1 todo, 8 passed, 11 total; 1 suite failed to run',
    [13, 9, 3, 1, 0, 13],
    'It writes a todo as passed, and a file that could not be loaded twice.',
  ),
  junit(
    'minitest/minitest.xml',
    'minitest 5.17.0, minitest-reporters 1.0.19',
    '5 tests, 1 failures, 1 errors, 1 skips',
    [5, 2, 2, 1, 0, 0],
  ),
  junit('mocha/mocha-xunit.xml', 'mocha 12.0.3', '6 passing, 2 pending, 2 failing', [10, 6, 2, 2, 0, 2]),
  junit(
    'mocha/mocha-junit-reporter.xml',
    'mocha 10.8.2, mocha-junit-reporter 2.2.1',
    '6 passing, 2 pending, 2 failing',
    [8, 6, 2, 0, 0, 3],
    'It leaves pending cases out.',
  ),
  junit(
    'mocha/mocha-junit-reporter-jenkins.xml',
    'mocha 10.8.2, mocha-junit-reporter 2.2.1 in jenkinsMode',
    '6 passing, 2 pending, 2 failing',
    [8, 6, 2, 0, 0, 2],
    'It leaves pending cases out.',
  ),
  junit(
    'node/node.xml',
    'node 20.20.2',
    'tests 12, pass 6, fail 4, skipped 1, todo 1',
    [11, 6, 3, 2, 0, 130],
    'A test that contains others is a suite of the file.',
  ),
  junit(
    'phpunit/phpunit.xml',
    'PHPUnit 9.6.7',
    'Tests: 9, Errors: 1, Failures: 1, Skipped: 1, Incomplete: 1, Risky: 1',
    [9, 4, 3, 2, 0, 10],
  ),
  junit(
    'playwright/playwright.xml',
    'Playwright 1.65.1',
    '2 failed, 2 flaky, 4 skipped, 6 passed',
    [14, 8, 2, 4, 0, 324],
    'Without includeRetries a flaky case is written as passed.',
  ),
  junit(
    'playwright/playwright-retries.xml',
    'Playwright 1.65.1 with includeRetries',
    '2 failed, 2 flaky, 4 skipped, 6 passed',
    [14, 8, 2, 4, 2, 263],
  ),
  junit(
    'prove/prove-junit.xml',
    'TAP::Formatter::JUnit',
    'Files=3, Tests=7; math.t failed 2 and 5; short.t: planned 3 tests but ran 1',
    [7, 5, 2, 0, 0, 0],
    'A skipped test and a todo are written as passed; the faults of short.t are a warning.',
  ),
  junit(
    'pytest/pytest.xml',
    'pytest 9.0.3',
    '2 failed, 7 passed, 1 skipped, 1 xfailed, 1 xpassed, 4 errors',
    [14, 7, 5, 2, 0, 2],
    'Errors in a tear-down belong to cases that passed or failed before.',
  ),
  junit(
    'pytest/pytest-xunit1.xml',
    'pytest 9.0.3 -o junit_family=xunit1',
    '2 failed, 7 passed, 1 skipped, 1 xfailed, 1 xpassed, 4 errors',
    [14, 7, 5, 2, 0, 1],
    'Errors in a tear-down belong to cases that passed or failed before.',
  ),
  junit(
    'pytest/pytest-rerunfailures.xml',
    'pytest 7.2.1, pytest-rerunfailures',
    '1 failed, 2 passed, 3 rerun',
    [3, 2, 1, 0, 0, 2],
    'Reruns are not in the file.',
  ),
  junit(
    'robot/robot-xunit.xml',
    'Robot Framework 7.5',
    '4 tests, 2 passed, 1 failed, 1 skipped',
    [4, 2, 1, 1, 0, 3],
  ),
  junit(
    'rspec/rspec.xml',
    'RSpec 3.12, rspec_junit_formatter',
    '8 examples, 2 failures, 2 pending',
    [8, 4, 2, 2, 0, 48],
  ),
  junit(
    'vitest/vitest.xml',
    'vitest 4.1.12',
    '1 failed, 8 passed, 1 expected fail, 2 skipped, 1 todo (13); 3 files failed',
    [15, 9, 3, 3, 0, 15],
    'A file that could not be loaded and a set-up that broke are cases of the file.',
  ),
];

export const fixtures: readonly Fixture[] = junitFixtures;
