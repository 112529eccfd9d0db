import { describe, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { check } from '../../../core/base/schema.ts';
import recorded from '../device/app-sdk-cases.json' with { type: 'json' };
import { breakingRules, faultyRules, oddRules, soundRules } from '../testing/rule-cases.ts';
import { filtered, leaf, sound } from '../testing/sound-rule.ts';
import { checkRule } from './rule-check.ts';
import { ruleSchema } from './rule-schema.ts';
import { RuleInput } from './rule.ts';

/*
 * The published schema and the check of create-cta agree: a saved rule is valid, and a rule refused for its form is not.
 *
 * Mutation note: seen to fail when a leaf may have "operator", when the pattern of numerals accepts a word, and when the schema allows a
 * POPUP without template.
 */
const valid = new Ajv2020({ strict: false }).compile(ruleSchema('https://example.org/schemas/cta-rule.json'));

/** Problems that JSON Schema cannot express: how parts of a rule relate, and how deeply it is nested. */
const beyondForm = new Set([
  'names an actionId that actions does not hold',
  'is the same as that of an earlier action',
  'cannot be reached from the initial state "0"',
  'starts from a state that no transition enters',
  'must be nested at most 16 levels deep',
  'differs from lifeSpan, which means the same',
]);

/** Runs the check of `create-cta`: the schema of its parameter, then the rules. */
function judged(rule: unknown): 'saved' | 'of another form' | 'inconsistent' {
  const checked = check(RuleInput, rule);
  if (!checked.ok) return 'of another form';
  const problems = checkRule(checked.value);
  if (problems.length === 0) return 'saved';
  return problems.every(({ message }) => beyondForm.has(message)) ? 'inconsistent' : 'of another form';
}

describe('the tables of rules', () => {
  const asJson = (rule: unknown) => JSON.parse(JSON.stringify(rule)) as unknown;
  test.each([...soundRules, ...oddRules])('%s is valid', (_, rule) => {
    expect([judged(rule), valid(asJson(rule))]).toEqual(['saved', true]);
  });
  test.each([...faultyRules, ...breakingRules])('%s is what it is here too', (_, rule, _path, message) => {
    const consistent = !beyondForm.has(message);
    // A numeric id is not a text either.
    const textual = Object.values(rule['stateToAction'] as object).every((id) => typeof id === 'string');
    expect(valid(asJson(rule))).toBe(!consistent && textual);
  });
  test('every rule of the recorded cases that may be saved is valid', () => {
    const rules = (recorded as unknown as { rules: unknown[] }[]).flatMap((one) => one.rules);
    const saved = rules.filter((rule) => judged(rule) === 'saved');
    expect(saved.length).toBeGreaterThan(50);
    for (const rule of saved) expect([rule, valid(rule)]).toEqual([rule, true]);
  });
});

/** @see The pattern of numerals took 16 s for 200,000 spaces, in every program that validates rules of others by the schema. */
test.each([' ', '1', '.1', '1e', '0x1'])('a text of many "%s" is no long work', (piece) => {
  for (const [text, isNumeral] of [
    [`${piece.repeat(100_000)}x`, false],
    [`${' '.repeat(100_000)}5${' '.repeat(100_000)}`, true],
  ] as const) {
    const rule = filtered({ operator: 'AND', filter: [{ ...leaf, comparisonValue: text }] });
    const began = performance.now();
    expect(valid(rule)).toBe(isNumeral);
    expect(performance.now() - began).toBeLessThan(1_000);
  }
});

describe('random changes of a whole rule', () => {
  const leaf = { propertyName: 'price', propertyType: 'number', comparisonType: '>', comparisonValue: '5' };
  const sum = { operator: '+', operand1: '$.a', operand2: { operator: '-', operand1: 1, operand2: '$.b' } };
  const whole = {
    ...sound,
    stateTransition: {
      ...sound.stateTransition,
      opened: {
        '0': [
          {
            transitionTo: '1',
            filters: {
              operator: 'OR',
              filter: [leaf, { ...leaf, functions: sum }, { operator: 'AND', filter: [leaf] }],
            },
          },
        ],
      },
    },
    actions: [{ actionId: 'a', type: 'POPUP', template: {}, config: { triggerDelay: 5 } }],
    groupByConfig: { maxActiveStateMachineCount: 2, groupByKeys: ['shop'] },
    frequency: {
      session: { limit: 1 },
      window: { limit: 1, unit: 'days', value: 2 },
      lifeSpan: { limit: 3 },
    },
    cohortEligibility: { includes: ['all'], excludes: [] },
    appVersions: { min: '1', max: '2' },
    packageNames: ['a.b'],
    priority: 1,
    stateMachineTTL: 5,
    ctaValidTill: 5,
    contextParams: ['x'],
    resetCTAonFirstLaunch: true,
  };
  type Path = readonly string[];
  const pathsOf = (value: unknown, path: Path = []): Path[] =>
    typeof value === 'object' && value !== null
      ? [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))]
      : [path];
  const texts = ' |5|0x1f|1e3|-.5|+5|1_0|five|Infinity|$.|$.x|AND|+|=|!=|5.|.|\n5\u00a0'.split('|');
  const words = ['', 'string', 'number', 'boolean', 'TOOLTIP', 'POPUP', 'NUDGE_UI', 'days', 'weeks'];
  const others = [
    null,
    0,
    -1,
    1.5,
    2 ** 53,
    true,
    false,
    [],
    {},
    ['a'],
    [1],
    [[]],
    { filter: null },
    { a: null },
  ];
  const parts = [leaf, sum, { ...leaf, functions: null }, { ...leaf, operator: null }];
  const values: readonly unknown[] = [
    ...texts,
    ...words,
    ...others,
    ...parts,
    { operator: 'AND', filter: [leaf] },
  ];
  const names = [
    'operator',
    'filter',
    'functions',
    'template',
    'extra',
    'constructor',
    '__proto__',
    'limit',
    '1',
    'x',
  ];
  const change = fc.record({
    path: fc.constantFrom(...pathsOf(whole)),
    how: fc.constantFrom('replace', 'remove', 'add'),
    name: fc.constantFrom(...names),
    value: fc.constantFrom(...values),
  });

  test('are judged alike', () => {
    const seen = { saved: 0, 'of another form': 0, inconsistent: 0 };
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const rule = changes.reduce<unknown>((made, one) => changed(made, one.path, one), whole);
        const judgement = judged(rule);
        seen[judgement]++;
        // Only the relations between parts are wrong, so the schema may accept or refuse the rule.
        if (judgement !== 'inconsistent') expect([rule, valid(rule)]).toEqual([rule, judgement === 'saved']);
      }),
      { numRuns: 20_000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(500);
  }, 60_000);

  type Change = { readonly how: string; readonly name: string; readonly value: unknown };
  /** A copy with one place changed; if the path no longer exists, that part is left as it is. */
  function changed(value: unknown, [next, ...rest]: Path, one: Change): unknown {
    const inner: unknown = one.value;
    if (next === undefined) {
      if (one.how !== 'add' || typeof value !== 'object' || value === null) return inner;
      if (Array.isArray(value)) return [...(value as unknown[]), inner];
      return Object.fromEntries([...Object.entries(value), [one.name, inner]]);
    }
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, next)) return value;
    const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
      if (name !== next) return [[name, each]];
      if (rest.length === 0 && one.how === 'remove') return [];
      return [[name, changed(each, rest, one)]];
    });
    return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
  }
});
