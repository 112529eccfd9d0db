import { describe, expect, test } from 'bun:test';
import { proposedStatus, stepFault, tidySteps, type StepResult } from './step-result.ts';
import type { TestStatus } from './test-status.ts';

const steps = (...statuses: TestStatus[]): StepResult[] =>
  statuses.map((status, index) => ({ step: index + 1, status }));

describe('the status that steps propose', () => {
  test.each<[string, StepResult[], number, TestStatus | null]>([
    ['one failed', steps('passed', 'failed', 'blocked'), 3, 'failed'],
    ['one blocked', steps('passed', 'blocked', 'retest'), 3, 'blocked'],
    ['one to repeat', steps('passed', 'retest'), 2, 'retest'],
    ['all passed', steps('passed', 'passed'), 2, 'passed'],
    ['one is left', steps('passed', 'passed'), 3, null],
    ['one is untested', steps('passed', 'untested'), 2, null],
    ['none', [], 2, null],
    ['a test without steps', [], 0, null],
  ])('%s', (_, given, stepCount, status) => {
    expect(proposedStatus(given, stepCount)).toBe(status);
  });
});

describe('which results of steps a test can have', () => {
  test.each<[string, StepResult[], number, string | null]>([
    ['all', steps('passed', 'failed'), 2, null],
    ['some', [{ step: 2, status: 'failed' }], 3, null],
    ['one too many', steps('passed', 'passed'), 1, 'stepResults[1].step is 2, but the test has 1 step'],
    ['of none', steps('passed'), 0, 'stepResults[0].step is 1, but the test has no steps'],
    [
      'twice',
      [
        { step: 1, status: 'passed' },
        { step: 1, status: 'failed' },
      ],
      2,
      'stepResults[1].step is 1 for the second time',
    ],
  ])('%s', (_, given, stepCount, fault) => {
    expect(stepFault(given, stepCount)).toBe(fault);
  });
});

test('they are kept in order, without empty comments', () => {
  const given: StepResult[] = [
    { step: 2, status: 'failed', comment: ' no total ' },
    { step: 1, status: 'passed', comment: '  ' },
  ];
  expect(tidySteps(given)).toEqual([
    { step: 1, status: 'passed' },
    { step: 2, status: 'failed', comment: 'no total' },
  ]);
});
