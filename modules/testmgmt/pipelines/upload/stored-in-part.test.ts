import { afterEach, expect, spyOn, test } from 'bun:test';
import { fail, Fault } from '../../../../core/base/errors.ts';
import { startTestmgmtKernel } from '../../testing/testmgmt-kernel.ts';
import { junitText } from '../../testing/junit-text.ts';
import type { UploadReport } from '../rows/upload-report.ts';
import { storedInPart } from './stored-in-part.ts';
import { settled } from '../../../../test/rejection.ts';

const trivet = await startTestmgmtKernel();
const { db } = trivet.kernel.host;
afterEach(async () => expect(await trivet.wrongCounts()).toEqual([]));

const place = { runId: 7, stored: 4_000, count: 20_000 };
const isStored = '4000 of the 20000 cases are stored in run 7, the others are not.';
const full = fail.STORAGE_FAILED('The storage failed (sqlite_full); nothing was written.', {
  cause: 'sqlite_full',
});

test.each<[string, unknown, string, RegExp | undefined]>([
  ['a full disk', full, `The storage failed (sqlite_full): ${isStored}`, /^Check free space .* runKey/],
  [
    'a database that is busy',
    fail.DATABASE_BUSY('The database is busy; nothing was written.', { retryAfter: 1 }),
    `The database was busy: ${isStored}`,
    /^Try again: .* runKey/,
  ],
  ['another refusal', fail.NOT_FOUND('There is no run 7.'), 'There is no run 7.', undefined],
  ['a defect', new TypeError('a defect'), 'a defect', undefined],
])('%s', (_title, error, message, tip) => {
  const told = storedInPart(error, place) as Error;
  expect(told.message).toBe(message);
  if (tip === undefined) expect(told).toBe(error as Error);
  else if (told instanceof Fault && error instanceof Fault) {
    expect(told.tip).toMatch(tip);
    expect([told.code, told.status, told.causeWord, told.retryAfter]).toEqual([
      error.code,
      error.status,
      error.causeWord,
      error.retryAfter,
    ]);
  }
});

test('an upload that fails in the middle says what is stored, and the same upload completes it', async () => {
  const projectId = await trivet.makeProject();
  const content = junitText({ suite: Array.from({ length: 2_500 }, (_, n) => `case ${n}`) });
  const upload = async () =>
    (await trivet.call('ingest-results', {
      projectId,
      runKey: 'build 1',
      files: [{ name: 'junit.xml', content }],
    })) as unknown as UploadReport;
  const { tx } = db;
  let left = 3;
  const failing = spyOn(db, 'tx').mockImplementation((work, options) =>
    left-- > 0 ? tx(work, options) : Promise.reject(full),
  );
  try {
    expect(await settled(upload())).toThrow(/2000 of the 2500 cases are stored in run/);
  } finally {
    failing.mockRestore();
  }
  const report = await upload();
  expect(report.totals.cases).toBe(2_500);
  const { counts } = (await trivet.call('run-detail', { projectId, runId: report.runId })) as {
    counts: { total: number };
  };
  expect(counts.total).toBe(2_500);
});
