import { afterAll, describe, expect, test } from 'bun:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { stillClock } from '../../../test/kernel.ts';
import { ruleSchema, ruleSchemaPath } from '../rules/rule-schema.ts';
import { freshTenant, startCtaKernel } from './cta-kernel.ts';
import { examples, fieldRows, page, type Example } from './rule-page.ts';

/*
 * docs/cta-rules.md is true: its examples are created and run, and its table of fields equals the one derived from the schema.
 *
 * Mutation note: seen to fail when a state in a table is another, when a field is left out of the table of fields, and when an example has
 * a popup without template.
 */
const trivet = await startCtaKernel(stillClock());
afterAll(() => trivet.stop());

const start = Date.UTC(2026, 0, 1);
const valid = new Ajv2020({ strict: false }).compile(ruleSchema('https://example.org/rule.json'));

interface Outcome extends Readonly<Record<string, unknown>> {
  readonly kind: string;
  readonly ctaId: string;
  readonly groupKey: string;
}

/** Creates the tags and the CTA of an example, runs its steps, and describes the outcome in the words of the page. */
async function played({ blocks, steps }: Example) {
  const tenantId = freshTenant();
  const names = new Map<string, string>();
  for (const block of blocks) {
    if (!('rule' in block)) await trivet.call('create-behaviour-tag', { tenantId, ...block });
    else
      names.set(
        String((await trivet.call('create-cta', { tenantId, ...block }))['ctaId']),
        String(block['name']),
      );
  }
  let at = start;
  const sent = steps.map(({ after, event, properties }) => {
    at += after * 1000;
    return event === '(app launched)' ? { kind: 'session', at } : { event, properties, at };
  });
  const answer = await trivet.call('simulate-cta', { tenantId, ctaIds: [...names.keys()], steps: sent });
  return (answer['steps'] as { outcomes: Outcome[] }[]).map(({ outcomes }) => {
    const told = Map.groupBy(outcomes, ({ ctaId, groupKey }) =>
      [...(names.size > 1 ? [names.get(ctaId)] : []), ...(groupKey === ctaId ? [] : [groupKey])].join(' '),
    );
    const parts = [...told].map(
      ([who, each]) => `${who === '' ? '' : `${who}: `}${each.map(toldOf).join(', ')}`,
    );
    return parts.length > 0 ? parts.join('; ') : 'nothing';
  });
}

function toldOf(outcome: Outcome): string {
  const { kind, from, to, state, actionId, triggerDelay, hold } = outcome;
  switch (kind) {
    case 'started':
      return `waits in ${String(state)}`;
    case 'transition':
      return `${String(from)} → ${String(to)}`;
    case 'action':
      return `runs ${String(actionId)}${triggerDelay === 0 ? '' : ` after ${String(triggerDelay)} ms`}`;
    case 'reset':
      return `resets in ${String(state)}`;
    case 'expired':
      return `ends in ${String(state)}, too old`;
    default:
      return `held by ${String(hold)}`;
  }
}

describe('the examples', () => {
  test('there are six, from the simplest to one with a tag', () => expect(examples.length).toBe(6));
  test.each(examples.map((example) => [example.title, example] as const))('%s', async (_, example) => {
    const rules = example.blocks.flatMap((block) => ('rule' in block ? [block['rule']] : []));
    expect(rules.length).toBeGreaterThan(0);
    for (const rule of rules) expect([rule, valid(rule)]).toEqual([rule, true]);
    expect(example.steps.length).toBeGreaterThan(2);
    expect(await played(example)).toEqual(example.steps.map(({ happens }) => happens));
  });
});

describe('the table of fields', () => {
  const plain = (line: string) => line.replaceAll(/ +/g, ' ');
  const section = /^## Fields$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map(plain);
  test('has every field of the schema as it is, and no other', () => {
    expect(fieldRows().length).toBeGreaterThan(40);
    expect(rows).toEqual(fieldRows().map(plain));
  });
});

test('the page names the address of the schema', () => expect(page).toContain(`GET ${ruleSchemaPath}`));
