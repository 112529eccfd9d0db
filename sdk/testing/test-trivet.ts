import type { TagDefinition } from '../../modules/cta/rules/tag-definition.ts';
import type { TrivetOptions } from '../base/environment.ts';
import { memoryStorage } from '../base/storage.ts';
import { wholeRule } from '../cta/rules.ts';
import { createTrivet, type Trivet } from '../trivet/trivet.ts';
import { testClock } from './test-clock.ts';
import { testServer, type TestMeasure, type TestRule } from './test-server.ts';

export type { Trivet } from '../trivet/trivet.ts';
export type { TestMeasure, TestRule } from './test-server.ts';

export interface TestTrivetOptions {
  readonly rules: readonly TestRule[];
  readonly tags?: readonly TagDefinition[];
  /** Epoch milliseconds at which the clock stands; the present time unless given. */
  readonly now?: number | (() => number);
  readonly app?: TrivetOptions['app'];
  readonly onError?: TrivetOptions['onError'];
}

export interface TestTrivet extends Trivet {
  /** Lets time pass: delayed actions appear, and unsent changes are sent. */
  advance(milliseconds: number): void;
  /** What was measured and sent, in order. `await cta.flush()` sends what waits. */
  readonly measured: readonly TestMeasure[];
}

/**
 * Trivet for the tests of an app: rules in memory, a clock to advance, no server and no network. The rules apply at once, for the user "1";
 * `cta.launch()` starts another session.
 * @example
 * const trivet = createTestTrivet({ rules: [{ ctaId: '1', rule }] });
 * trivet.cta.track('home_opened');
 * trivet.advance(5_000);
 */
export function createTestTrivet({ rules, tags = [], now, app, onError }: TestTrivetOptions): TestTrivet {
  const start = typeof now === 'function' ? now() : (now ?? Date.now());
  const clock = testClock(start);
  const storage = memoryStorage();
  const measured: TestMeasure[] = [];
  const ctas = rules
    .map(({ ctaId, rule, behaviourTagName = null }) => ({ ctaId, rule: wholeRule(rule), behaviourTagName }))
    .sort((left, right) => left.rule.priority - right.rule.priority);
  void storage.set('trivet:default:1:rules', JSON.stringify({ ctas, tags }));
  const trivet = createTrivet({
    url: 'http://trivet.invalid',
    ...(app && { app }),
    ...(onError && { onError }),
    storage,
    fetch: testServer(rules, tags, clock.now, measured),
    now: clock.now,
    random: () => 0.5,
    later: clock.later,
    lifecycle: () => () => {},
  });
  trivet.cta.setUser('1');
  return { ...trivet, advance: clock.advance, measured };
}
