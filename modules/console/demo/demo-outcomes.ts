import type { DemoChoice } from './demo-choice.ts';
import { demoKey, type DemoTest } from './demo-tests.ts';

/** What happens to a test in one round. */
export interface DemoOutcome {
  readonly status: 'passed' | 'failed' | 'blocked';
  readonly comment?: string;
  /** It failed at first and passed when it was repeated. */
  readonly repeated?: true;
}

/** A defect: its tests fail from one day on until another. */
interface Defect {
  readonly ticket: string;
  readonly from: number;
  readonly to: number;
  readonly symptom: string;
}

const symptoms = [
  'the page stayed empty',
  'the old value was shown',
  'the server answered 500',
  'nothing happened',
  'it took more than a minute',
  'the message was in English in every language',
  'it happened twice',
];

/** Days of the example in which the sandbox of the payment provider was down. */
const sandboxDown = { from: 44, to: 48 };

/** Days from which on two defects are open. */
const openFrom = 62;

/**
 * What happens to the tests of the example: most pass, some are flaky, some fail for weeks until they are fixed, and two still fail.
 * @returns the outcome of a test on a day, counted from the beginning.
 */
export function demoOutcomes(tests: readonly DemoTest[], choice: DemoChoice) {
  const defects = new Map<string, Defect>();
  const flaky = new Set<string>();
  const named = tests.map((test) => demoKey(test));
  const automated = tests.filter((test) => isAutomated(test)).map((test) => demoKey(test));
  const minor = tests
    .filter((test) => isAutomated(test) && test.priority !== 'Critical')
    .map((test) => demoKey(test));
  while (flaky.size < 9) flaky.add(choice.among(automated));
  for (let number = 0; number < 26; number++) {
    const from = number < 2 ? openFrom + number * 9 : 4 + Math.floor(choice.next() * 70);
    const to = number < 2 ? Infinity : from + 5 + Math.floor(choice.next() * 20);
    const pool = number < 2 ? minor.filter((name) => !flaky.has(name)) : named;
    const ticket = `SHOP-${2_100 + number * 37}`;
    defects.set(choice.among(pool), { ticket, from, to, symptom: choice.among(symptoms) });
  }
  const told = new Set<string>();

  return (test: DemoTest, day: number): DemoOutcome => {
    const key = demoKey(test);
    const isDown = day >= sandboxDown.from && day < sandboxDown.to;
    if (isDown && !isAutomated(test) && test.sectionPath.includes('Payment'))
      return { status: 'blocked', comment: 'The sandbox of the payment provider is down.' };
    const defect = defects.get(key);
    if (defect && day >= defect.from && day < defect.to) {
      told.add(key);
      const expected = test.steps[1]?.expected ?? '';
      return {
        status: 'failed',
        comment: `${defect.ticket}: expected "${expected}", but ${defect.symptom}.`,
      };
    }
    if (flaky.has(key) && choice.chance(0.3))
      return choice.chance(0.5)
        ? { status: 'passed', repeated: true }
        : { status: 'failed', comment: 'Timeout of 30 s exceeded while waiting for the page.' };
    if (defect && told.delete(key)) return { status: 'passed', comment: `${defect.ticket} is fixed.` };
    if (!isAutomated(test) && choice.chance(0.012))
      return { status: 'failed', comment: 'Could not be repeated; the test data may have been wrong.' };
    return { status: 'passed' };
  };
}

export const isAutomated = ({ automationStatus }: DemoTest): boolean => automationStatus === 'Automated';
