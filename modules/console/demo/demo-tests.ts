import { demoChoice } from './demo-choice.ts';
import { shopAccount } from './shop-account.ts';
import { shopCatalogue } from './shop-catalogue.ts';
import { shopCheckout } from './shop-checkout.ts';
import { shopOperations } from './shop-operations.ts';

interface DemoStep {
  readonly action: string;
  readonly expected: string;
}

/** A test as import-tests takes it. */
export interface DemoTest {
  readonly testName: string;
  readonly preconditions: string;
  readonly steps: readonly DemoStep[];
  readonly sectionPath: readonly string[];
  readonly priority: string;
  readonly type: string;
  readonly automationStatus: string;
  readonly platform: string;
  readonly testCoveredBy: string;
  readonly squad: string;
  readonly labels: readonly string[];
  /** Own fields, by key. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What tells the tests apart: names repeat in other sections. */
export const demoKey = ({ sectionPath, testName }: Pick<DemoTest, 'sectionPath' | 'testName'>): string =>
  [...sectionPath, testName].join(' > ');

/** All tests of the example, in the order of their sections. */
export function demoTests(): readonly DemoTest[] {
  const choice = demoChoice(7);
  return [shopCatalogue, shopCheckout, shopAccount, shopOperations].flatMap((text) =>
    text
      .trim()
      .split(/\n{2,}/)
      .flatMap((block) => {
        const [head = '', before = '', first = '', last = '', ...lines] = block.split('\n');
        const [path = '', squad = '', platform = '', labels = ''] = head.slice(2).split(' | ');
        const section = {
          preconditions: before.slice(2),
          sectionPath: path.split(' > '),
          platform,
          squad,
        };
        return lines.map((line): DemoTest => {
          const marks = /^[*!]*/.exec(line)?.[0] ?? '';
          const own = stepOf(line.slice(marks.length).trimStart());
          const critical = marks.includes('!');
          const automated = marks.includes('*');
          const isCostly = critical || /Payment|Voucher|Order/.test(path);
          return {
            ...section,
            testName: own.action,
            steps: [stepOf(first.slice(2)), own, stepOf(last.slice(2))],
            priority: critical ? 'Critical' : choice.among(['High', 'Medium', 'Medium', 'Low']),
            type:
              platform === 'API'
                ? 'Performance'
                : critical
                  ? 'Smoke'
                  : choice.among(['Functional', 'Regression']),
            automationStatus: automated
              ? 'Automated'
              : choice.among(['Automatable', 'Manual', 'Not automatable']),
            testCoveredBy: automated ? 'End to end' : 'Manual',
            labels: labels.split(',').filter((label) => critical || label !== 'smoke'),
            fields: { risk: isCostly ? 'High' : automated ? 'Medium' : 'Low' },
          };
        });
      }),
  );
}

function stepOf(text: string): DemoStep {
  const [action = '', expected = ''] = text.split(' => ');
  return { action, expected };
}
