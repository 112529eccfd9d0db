import Ajv from 'ajv';
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { longestBlock } from '../../../test/longest-block.ts';
import { anyResults, exportedRun, fewResults, manyResults, written } from '../testing/run-results.ts';
import { runCtrf } from './run-ctrf.ts';
import type { RunResult } from './run-result.ts';

const ctrf = async (results: readonly RunResult[]) =>
  JSON.parse(await written(runCtrf(exportedRun, results))) as Readonly<Record<string, unknown>> & {
    readonly results: Readonly<Record<string, unknown>> & {
      readonly tests: ReadonlyArray<Readonly<Record<string, unknown>>>;
    };
  };

const closed = (properties: Record<string, object>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const statuses = ['passed', 'failed', 'skipped', 'pending', 'other'];
const counts = ['tests', ...statuses, 'start', 'stop'];

/** The schema of CTRF 0.0 for the members that are written here. It allows no others. */
const validate = new Ajv({ strict: true }).compile(
  closed(
    {
      reportFormat: { const: 'CTRF' },
      specVersion: { type: 'string', pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' },
      generatedBy: text,
      results: closed(
        {
          tool: closed({ name: { ...text, minLength: 1 } }, ['name']),
          summary: closed(Object.fromEntries([...counts, 'flaky'].map((name) => [name, whole])), counts),
          environment: closed({ reportName: text }, []),
          tests: {
            type: 'array',
            items: closed(
              {
                name: { ...text, minLength: 1 },
                status: { enum: statuses },
                rawStatus: text,
                duration: whole,
                suite: { type: 'array', minItems: 1, items: text },
                message: text,
                filePath: text,
                line: whole,
                flaky: { type: 'boolean' },
                extra: { type: 'object' },
              },
              ['name', 'status', 'duration'],
            ),
          },
        },
        ['tool', 'summary', 'tests'],
      ),
    },
    ['results', 'reportFormat', 'specVersion'],
  ),
);

test('a file', async () => {
  expect(await ctrf(fewResults)).toEqual({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    generatedBy: 'Trivet',
    results: {
      tool: { name: 'Trivet' },
      summary: {
        tests: 5,
        passed: 2,
        failed: 1,
        skipped: 2,
        pending: 0,
        other: 0,
        flaky: 1,
        start: exportedRun.createdAt,
        stop: exportedRun.createdAt + 1_013,
      },
      environment: { reportName: 'CI #123 · main' },
      tests: [
        {
          name: 'sums',
          status: 'passed',
          rawStatus: 'passed',
          duration: 13,
          suite: ['Cart'],
          filePath: 'src/cart.test.ts',
          line: 3,
          extra: { 'trivet.id': '1' },
        },
        {
          name: 'takes 10 % off',
          status: 'failed',
          rawStatus: 'failed',
          duration: 1_000,
          suite: ['Cart', 'Vouchers'],
          message: 'expected 9 to be "10"\n  at <cart.test.ts>:14',
          extra: { 'trivet.id': '2' },
        },
        {
          name: 'ships',
          status: 'skipped',
          rawStatus: 'blocked',
          duration: 0,
          message: 'blocked: the printer is broken',
          extra: { 'trivet.id': '3' },
        },
        {
          name: 'empties',
          status: 'skipped',
          rawStatus: 'untested',
          duration: 0,
          suite: ['Cart'],
          message: 'untested',
          extra: { 'trivet.id': '4' },
        },
        {
          name: 'expire',
          status: 'passed',
          rawStatus: 'passed',
          duration: 0,
          suite: ['Cart', 'Vouchers'],
          message: 'timeout',
          flaky: true,
          extra: { 'trivet.id': '5' },
        },
      ],
    },
  });
});

describe('any results', () => {
  test('fit the schema, and are all there', async () => {
    await fc.assert(
      fc.asyncProperty(anyResults, async (results) => {
        const report = await ctrf(results);
        validate(report);
        expect(validate.errors).toBeNull();
        const { tests, summary } = report.results;
        expect(tests.map(({ rawStatus }) => rawStatus)).toEqual(results.map(({ status }) => status));
        const count = (status: string) => tests.filter((one) => one['status'] === status).length;
        expect(summary).toMatchObject({
          tests: results.length,
          passed: count('passed'),
          failed: count('failed'),
          skipped: count('skipped'),
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('more than a piece of them', async () => {
    const { tests } = (await ctrf(manyResults(1_001))).results;
    expect(tests.map(({ name }) => name)).toEqual(manyResults(1_001).map(({ name }) => name));
  });
});

test('100,000 results delay nobody', async () => {
  const results = manyResults(100_000);
  const block = await longestBlock(async () => {
    for await (const piece of runCtrf(exportedRun, results)) expect(piece.length).toBeGreaterThan(0);
  });
  expect(block).toBeLessThan(60);
}, 20_000);
