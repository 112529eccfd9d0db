import { expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { greenReport, hostileReport, redReport } from '../testing/upload-reports.ts';
import { reportGitlab } from './report-gitlab.ts';

const now = Date.parse('2026-11-22T15:00:00.900Z');
const seconds = 1_795_359_600;

/** A mark of a section as GitLab reads it (lib/gitlab/regex.rb, build_trace_section_regex). */
const mark = new RegExp(
  String.raw`section_(start|end):(\d+):([a-zA-Z0-9_.-]+)(\[[^\]]*\])?${'\r\u001b'}\[0K`,
  'g',
);
const colour = new RegExp(String.raw`${'\u001b'}\[(?:0|31|32|33);1m`, 'g');
const marksOf = (log: string) =>
  [...log.matchAll(mark)].map(([, kind, time, name, option = '']) => [kind, Number(time), name, option]);

test('a green report has no section', () => {
  const log = reportGitlab(greenReport, { now });
  expect(log).toStartWith('Passed: 234 of 240 tests\n');
  expect(log).not.toContain('\u001b');
});

test('what fails is open, the rest is folded', () => {
  const log = reportGitlab(redReport, { now });
  const pair = (name: string, option = '') => [
    ['start', seconds, `trivet_${name}`, option],
    ['end', seconds, `trivet_${name}`, ''],
  ];
  const folded = '[collapsed=true]';
  expect(marksOf(log)).toEqual([
    ...pair('newly_failing'),
    ...pair('failing'),
    ...['fixed', 'flaky', 'renamed', 'duplicates', 'missing', 'unmatched', 'warnings'].flatMap((name) =>
      pair(name, folded),
    ),
  ]);
  expect(log).toContain(
    `\u001b[0Ksection_start:${seconds}:trivet_fixed[collapsed=true]\r\u001b[0K\u001b[32;1mFixed (1)\u001b[0m\n- Search > sorts\n\u001b[0Ksection_end:${seconds}:trivet_fixed\r\u001b[0K\n`,
  );
});

test('whatever the names are, sections and colours are ours', () => {
  fc.assert(
    fc.property(hostileReport, (report) => {
      const log = reportGitlab(report, { now });
      const open: unknown[] = [];
      for (const [kind, time, name] of marksOf(log)) {
        expect(time).toBe(seconds);
        if (kind === 'start') open.push(name);
        else expect(open.pop()).toBe(name);
      }
      expect(open).toEqual([]);
      const rest = [mark, colour, '\u001b[0K', '\u001b[0m'].reduce<string>(
        (text, ours) => text.replaceAll(ours, ''),
        log,
      );
      expect(rest).not.toMatch(/[^\P{Cc}\n]/u);
      const colours = log.match(colour)?.length ?? 0;
      expect(colours).toBe(marksOf(log).length / 2);
    }),
    { numRuns: 1_000 },
  );
});
