import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { parse } from 'junit2json';
import { SaxesParser } from 'saxes';
import { longestBlock } from '../../../test/longest-block.ts';
import { settled } from '../../../test/rejection.ts';
import { anyResults, exportedRun, fewResults, manyResults, written } from '../testing/run-results.ts';
import { runJunit } from './run-junit.ts';
import type { RunResult } from './run-result.ts';

const junit = (results: readonly RunResult[]) => written(runJunit(exportedRun, results));

test('a file', async () => {
  expect(await junit(fewResults)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="CI #123 · main" tests="5" failures="1" errors="0" skipped="2" time="1.0125" timestamp="2026-11-22T15:00:00">
<testsuite name="Cart" tests="4" failures="1" errors="0" skipped="1" time="1.0125">
<testcase name="sums" classname="Cart" file="src/cart.test.ts" line="3" time="0.0125"><properties><property name="trivet.id" value="1"/></properties></testcase>
<testcase name="empties" classname="Cart"><properties><property name="trivet.id" value="4"/></properties><skipped message="untested"/></testcase>
<testsuite name="Vouchers" tests="2" failures="1" errors="0" skipped="0" time="1">
<testcase name="takes 10 % off" classname="Cart &gt; Vouchers" time="1"><properties><property name="trivet.id" value="2"/></properties><failure message="expected 9 to be &quot;10&quot;">expected 9 to be "10"
  at &lt;cart.test.ts&gt;:14</failure></testcase>
<testcase name="expire" classname="Cart &gt; Vouchers"><properties><property name="trivet.id" value="5"/></properties><flakyFailure message="timeout">timeout</flakyFailure></testcase>
</testsuite>
</testsuite>
<testsuite name="" tests="1" failures="0" errors="0" skipped="1" time="0">
<testcase name="ships" classname=""><properties><property name="trivet.id" value="3"/></properties><skipped message="blocked: the printer is broken"/></testcase>
</testsuite>
</testsuites>
`);
});

test('a run without results', async () => {
  expect(await parse(await junit([]))).toMatchObject({ name: 'CI #123 · main', tests: 0, time: 0 });
});

interface ReadCase {
  readonly attributes: Readonly<Record<string, string>>;
  readonly suites: readonly string[];
  id: string;
  /** `failure`, `skipped`, `flakyFailure`; empty for a test that passed. */
  outcome: string;
  message: string;
  content: string;
}

/** The cases and the totals of each suite as a strict XML parser reads them. */
function read(xml: string) {
  const cases: ReadCase[] = [];
  const suites: Array<{ readonly attributes: Readonly<Record<string, string>>; cases: ReadCase[] }> = [];
  const closed: typeof suites = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const last = cases.at(-1);
    if (name === 'testsuite' || name === 'testsuites') suites.push({ attributes, cases: [] });
    else if (name === 'testcase') {
      const path = suites.slice(1).map((suite) => suite.attributes['name'] ?? '');
      const one = { attributes, suites: path, id: '', outcome: '', message: '', content: '' };
      cases.push(one);
      for (const suite of suites) suite.cases.push(one);
    } else if (name === 'property' && last) last.id = attributes['value'] ?? '';
    else if (name !== 'properties' && last) {
      last.outcome = name;
      last.message = attributes['message'] ?? '';
    }
  });
  parser.on('text', (text) => {
    const last = cases.at(-1);
    if (last && text.trim() !== '') last.content += text;
  });
  parser.on('closetag', ({ name }) => {
    if (name.startsWith('testsuite')) closed.push(...suites.splice(-1));
  });
  parser.write(xml).close();
  return { cases, closed };
}

/** Removes characters that XML cannot represent, by the rule of XML 1.0 §2.2, `Char`. */
const sayable = (text: string) =>
  text.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');

describe('any results', () => {
  test('come back from a strict parser of XML', async () => {
    await fc.assert(
      fc.asyncProperty(anyResults, async (results) => {
        const { cases, closed } = read(await junit(results));
        const byId = new Map(cases.map((one) => [one.id, one]));
        expect(byId.size).toBe(results.length);
        for (const { testId, name, suites, status, message = '', file, line, flaky } of results) {
          const found = byId.get(String(testId));
          expect(found?.attributes['name']).toBe(sayable(name));
          expect(found?.suites).toEqual(suites.length === 0 ? [''] : suites.map(sayable));
          expect(found?.attributes['classname']).toBe(suites.map(sayable).join(' > '));
          expect(found?.attributes['file']).toBe(file === undefined ? file : sayable(file));
          expect(found?.attributes['line']).toBe(line === undefined ? line : String(line));
          const passed = flaky === true ? 'flakyFailure' : '';
          const outcome = status === 'passed' ? passed : status === 'failed' ? 'failure' : 'skipped';
          expect(found?.outcome).toBe(outcome);
          if (outcome === 'skipped') expect(found?.message).toStartWith(status);
          else if (outcome !== '') expect(found?.content.trim()).toBe(sayable(message).trim());
        }
        for (const { attributes, cases: inside } of closed) {
          const count = (outcome: string) => String(inside.filter((one) => one.outcome === outcome).length);
          expect(attributes).toMatchObject({
            tests: String(inside.length),
            failures: count('failure'),
            skipped: count('skipped'),
          });
          const time = inside.reduce((sum, one) => sum + Number(one.attributes['time'] ?? 0), 0);
          expect(Number(attributes['time'])).toBeCloseTo(time, 4);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('are read by junit2json', async () => {
    await fc.assert(
      fc.asyncProperty(anyResults, async (results) => {
        const file = await parse(await junit(results));
        expect(file).toMatchObject({ tests: results.length });
      }),
      { numRuns: 300 },
    );
  });
});

test('thousands of suites in one another', async () => {
  const suites = Array.from({ length: 2_000 }, (_, at) => `${at}`);
  const { cases } = read(await junit([{ testId: 1, suites, name: 'deep', status: 'passed' }]));
  expect(cases[0]?.suites).toEqual(suites);
});

describe('many results delay nobody', () => {
  test('while they are written', async () => {
    const results = manyResults(100_000);
    const block = await longestBlock(async () => {
      for await (const piece of runJunit(exportedRun, results)) expect(piece.length).toBeLessThan(64 * 1024);
    });
    // Measured 12 ms: a turn of 10 ms and the last step.
    expect(block).toBeLessThan(60);
  }, 20_000);

  test('while they are arranged', async () => {
    const results = manyResults(800_000);
    const block = await longestBlock(() => runJunit(exportedRun, results).next());
    expect(block).toBeLessThan(60);
  }, 20_000);
});

test('a client that leaves ends it', async () => {
  const leaves = new AbortController();
  const pieces = runJunit(exportedRun, manyResults(100_000), leaves.signal);
  await pieces.next();
  leaves.abort(new Error('gone'));
  const rest = (async () => {
    for await (const piece of pieces) expect(piece).toBeString();
  })();
  expect(await settled(rest)).toThrow('gone');
});
