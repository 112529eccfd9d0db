import { describe, expect, test } from 'bun:test';
import { Glob } from 'bun';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readContent } from '../../result-files/testing/read-text.ts';
import type { ReportedAttempt } from '../../result-files/cases/reported-case.ts';
import type { StoredAttempt } from '../../base/pipeline-schema.ts';
import { attemptsToStore, combined, mergedAttempts } from './attempt.ts';

const now = 1_000_000;
const stored = (attempts: readonly ReportedAttempt[], job = '', part = 'p') =>
  attemptsToStore(attempts, { part, job, now });
const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map(
  (status) =>
    (startedAt?: number): ReportedAttempt => ({ status, ...(startedAt === undefined ? {} : { startedAt }) }),
) as [(at?: number) => ReportedAttempt, (at?: number) => ReportedAttempt, (at?: number) => ReportedAttempt];

const resultOf = (...uploads: ReadonlyArray<readonly StoredAttempt[]>) => {
  let known: readonly StoredAttempt[] = [];
  for (const upload of uploads) known = mergedAttempts(known, upload);
  const found = combined(known);
  return found && `${found.status}${found.flaky ? ', flaky' : ''}`;
};

describe('the result that counts', () => {
  test.each<[string, ReadonlyArray<readonly StoredAttempt[]>, string | undefined]>([
    ['nothing', [[]], undefined],
    ['one', [stored([passed()])], 'passed'],
    ['skipped', [stored([skipped()])], 'skipped'],
    ['failed, then passed in one file', [stored([failed(), passed()])], 'passed, flaky'],
    ['passed, then failed', [stored([passed(), failed()])], 'failed'],
    ['failed twice', [stored([failed(), failed()])], 'failed'],
    ['failed, then skipped: skipped says nothing', [stored([failed(), skipped()])], 'failed'],
    ['a second upload counts', [stored([failed()]), stored([passed()])], 'passed, flaky'],
    ['the same upload again changes nothing', [stored([failed()]), stored([failed()])], 'failed'],
    [
      'uploads out of order: the times decide',
      [stored([passed(2_000)]), stored([failed(1_000)])],
      'passed, flaky',
    ],
    ['two jobs: one failed', [stored([passed()], 'linux'), stored([failed()], 'windows')], 'failed'],
    ['two jobs, the other way round', [stored([failed()], 'windows'), stored([passed()], 'linux')], 'failed'],
    [
      'the job that failed ran again',
      [stored([failed()], 'windows'), stored([passed()], 'linux'), stored([passed()], 'windows')],
      'passed, flaky',
    ],
    [
      'the job that passed ran again, and passed after a failure',
      [stored([passed()]), stored([failed(), passed()])],
      'passed, flaky',
    ],
    ['the same, the other way round', [stored([failed(), passed()]), stored([passed()])], 'passed, flaky'],
    [
      'the job that passed after a failure ran again, and failed twice',
      [stored([failed(), passed()]), stored([failed(), failed()])],
      'failed',
    ],
    ['two cases that name one test', [stored([failed()], '', 'a'), stored([passed()], '', 'b')], 'failed'],
    ['skipped in one job, passed in another', [stored([skipped()], 'a'), stored([passed()], 'b')], 'passed'],
  ])('%s', (_title, uploads, expected) => {
    expect(resultOf(...uploads)).toBe(expected as never);
  });

  test('the order of uploads does not matter where attempts have times', () => {
    const uploads = [
      stored([failed(1), passed(5)], 'a'),
      stored([failed(2)], 'b'),
      stored([passed(3)], 'b'),
      stored([skipped(4)], 'c'),
      stored([failed(6)], 'a', 'q'),
      stored([passed(7)], 'a', 'q'),
    ];
    const orders = [uploads, uploads.toReversed(), [...uploads.slice(3), ...uploads.slice(0, 3)]];
    for (const order of orders) expect(resultOf(...order)).toBe('passed, flaky');
  });
});

/** @see issue 13, 41: for an attempt without a time, the moment of the upload was later than the last attempt. */
describe('the order of the file is that of the attempts', () => {
  test.each<[string, ReportedAttempt[], string]>([
    ['only the last has a time', [failed(), passed(500)], 'passed, flaky'],
    ['only the first has a time', [failed(500), passed()], 'passed, flaky'],
    ['the one between has a time', [passed(), failed(500), passed()], 'passed, flaky'],
    ['the last has the time of the first', [failed(700), failed(800), passed(500)], 'passed, flaky'],
    ['the last failed', [passed(), failed(500)], 'failed'],
    ['no times', [failed(), failed(), passed()], 'passed, flaky'],
  ])('%s', (_title, attempts, expected) => expect(resultOf(stored(attempts))).toBe(expected));

  const folder = join(import.meta.dir, '../../result-files/fixtures');
  const files = [...new Glob('*/*').scanSync(folder)].filter((file) => !file.endsWith('.cases')).sort();
  test.each(files)('what is stored of %s is what the report says', async (file) => {
    const { cases } = await readContent(new Uint8Array(readFileSync(join(folder, file))));
    const wrong = cases.filter(({ attempts, status }) => combined(stored(attempts))?.status !== status);
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});

describe('attempts that are kept', () => {
  test('the same object when nothing is new, so that nothing is written', () => {
    const known = stored([failed(1), passed(2)]);
    expect(mergedAttempts(known, stored([failed(1), passed(2)]))).toBe(known);
  });

  test('the same file again has none that are new', () => {
    const attempts = [passed(), failed(), passed(), skipped(), failed()];
    const known = mergedAttempts(stored([passed()]), stored(attempts));
    expect(known.map(({ status }) => status)).toEqual(attempts.map(({ status }) => status));
    expect(mergedAttempts(known, stored(attempts))).toBe(known);
  });

  test('an attempt with a time is the same one, wherever a file has it', () => {
    const known = mergedAttempts(stored([passed(2)]), stored([failed(1), passed(2)]));
    expect(known.map(({ status }) => status)).toEqual(['failed', 'passed']);
  });

  test('two equal attempts of one case are two', () => {
    expect(stored([failed(), failed()]).map(({ id }) => id)).toEqual([
      expect.any(String),
      expect.any(String),
    ] as never);
    expect(new Set(stored([failed(), failed()]).map(({ id }) => id)).size).toBe(2);
  });

  test('at most 20, the last ones', () => {
    const many = mergedAttempts([], stored(Array.from({ length: 30 }, (_, at) => failed(at + 1))));
    expect(many).toHaveLength(20);
    expect(many.at(-1)?.at).toBe(30);
  });

  /** @see docs/pipelines.md, Attempts: of 25 jobs or 25 cases that name one test, the first failure was forgotten, and the test passed. */
  describe('of more than 20 jobs or cases, those that decide', () => {
    const passedLater = Array.from({ length: 25 }, (_, at) => stored([passed(100 + at)], `job ${at}`));
    const skippedLater = Array.from({ length: 25 }, (_, at) => stored([skipped(100 + at)], `job ${at}`));
    const failedOnes = Array.from({ length: 25 }, (_, at) => stored([failed(1 + at)], `job ${at}`));
    test.each<[string, ReadonlyArray<readonly StoredAttempt[]>, string]>([
      ['one failed, in one upload', [[...stored([failed(1)], '', 'x'), ...passedLater.flat()]], 'failed'],
      ['one failed, each in its upload', [stored([failed(1)], 'first'), ...passedLater], 'failed'],
      [
        'one failed and passed then',
        [stored([failed(1), passed(2)], 'first'), ...passedLater],
        'passed, flaky',
      ],
      ['one ran, the others skipped it', [stored([passed(1)], 'first'), ...skippedLater], 'passed'],
      ['all failed', failedOnes, 'failed'],
      ['all failed, and all passed then', [...failedOnes, ...passedLater], 'passed, flaky'],
    ])('%s', (_title, uploads, expected) => expect(resultOf(...uploads)).toBe(expected));

    test('the same uploads again change nothing', () => {
      const uploads = [stored([failed(1), passed(2)], 'first'), ...passedLater];
      let known: readonly StoredAttempt[] = [];
      for (const upload of uploads) known = mergedAttempts(known, upload);
      for (const upload of uploads) expect(mergedAttempts(known, upload)).toBe(known);
    });
  });
});
