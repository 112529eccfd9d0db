import { expect, test } from 'bun:test';
import { readContent } from '../testing/read-text.ts';

const ctrf = (numbers: string) =>
  `{"results":{"tests":[{"name":"n","status":"failed","filePath":"a.ts",${numbers}}]}}`;
const junit = (attributes: string) =>
  `<testsuite name="s"><testcase name="n" file="a.ts" ${attributes}><failure/></testcase></testsuite>`;
const goTest = (elapsed: string) =>
  `{"Action":"run","Package":"p","Test":"n"}\n{"Action":"fail","Package":"p","Test":"n","Elapsed":${elapsed}}`;

/** @see docs/contract.md, 1.2: PostgreSQL refused the upload with 500, and a start in nanoseconds made the results of the run unreadable. */
test.each<[string, object]>([
  [
    ctrf('"duration":5,"start":1700000000000,"line":7'),
    { durationMs: 5, startedAt: 1_700_000_000_000, line: 7 },
  ],
  [ctrf('"duration":1e20'), {}],
  [ctrf('"duration":1e400'), {}],
  [ctrf('"start":1700000000000000000'), {}],
  [ctrf('"line":1.5'), {}],
  [ctrf('"line":1e20'), {}],
  [junit('time="99999999999999999"'), {}],
  [junit('timestamp="+012026-01-01T00:00:00Z"'), {}],
  [junit('timestamp="-002026-01-01T00:00:00Z"'), {}],
  [goTest('1e400'), {}],
  [goTest('-1e20'), {}],
  ['TAP version 13\n1..1\nnot ok 1 - n # time=1e300ms\n', {}],
  ['TAP version 13\n1..1\nnot ok 1 - n # time=99999999999999999999ms\n', {}],
])('numbers that no test has are left out: %s', async (report, kept) => {
  const { cases } = await readContent(report);
  const [one] = cases;
  const { durationMs, startedAt } = one?.attempts[0] ?? {};
  expect(one).toMatchObject({ status: 'failed', attempts: [{ status: 'failed' }] });
  expect(JSON.parse(JSON.stringify({ durationMs, startedAt, line: one?.line }))).toEqual(kept);
});
