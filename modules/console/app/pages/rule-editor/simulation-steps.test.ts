import { expect, test } from 'bun:test';
import {
  inputSteps,
  isComplete,
  newStep,
  propertyOf,
  propertyText,
  stepsOfText,
  stepsText,
  type StepDraft,
} from './simulation-steps.ts';

const steps: readonly StepDraft[] = [
  { ...newStep('cart_opened'), properties: { amount: 80 } },
  { ...newStep(), kind: 'session', after: '3600' },
  { ...newStep(), kind: 'action-done', ctaId: '7' },
];

test('an address keeps the steps', () => expect(stepsOfText(stepsText(steps))).toEqual([...steps]));

test.each([null, '', '{', '7', '[7]', '[]'])('an address of no steps has one that is empty: %p', (text) =>
  expect(stepsOfText(text)).toEqual([newStep()]),
);

test('an address of other steps says what it can', () =>
  expect(stepsOfText('[{"kind": "constructor", "event": 7, "properties": [], "after": 5}]')).toEqual([
    newStep(),
  ]));

test.each<[readonly StepDraft[], boolean]>([
  [[], false],
  [[newStep()], false],
  [[newStep('  ')], false],
  [[...steps, newStep()], false],
  [steps, true],
])('%j can be played: %p', (given, can) => expect(isComplete(given)).toBe(can));

test('steps have times, counted from the first', () =>
  expect(inputSteps(steps, 1000)).toEqual([
    { kind: 'event', at: 1000, event: 'cart_opened', properties: { amount: 80 } as never },
    { kind: 'session', at: 3_601_000 },
    { kind: 'action-done', at: 3_602_000, ctaId: '7' },
  ]));

test.each<[string, unknown]>([
  ['80', 80],
  ['-1.5', -1.5],
  ['true', true],
  ['DE', 'DE'],
  ['"80"', '80'],
  ['007', '007'],
  ['', ''],
])('the property %p', (text, value) => {
  expect(propertyOf(text)).toBe(value as never);
  expect(propertyOf(propertyText(value))).toBe(value as never);
});
