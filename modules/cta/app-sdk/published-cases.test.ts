import { describe, expect, test } from 'bun:test';
import recorded from '../device/app-sdk-cases.json';
import derived from '../device/app-sdk-derived.json';
import { publishedCases, type KnownCase } from './published-cases.ts';

/*
 * What other languages test their SDK with: plain JSON, the same each time, and the engine's own outcomes agree with what was recorded.
 *
 * Mutation note: seen to fail when a time stays relative, when CTAs are in the order of the file, and when a reset is left out.
 */
const sources = { recorded: recorded as unknown as KnownCase[], derived: derived as unknown as KnownCase[] };
const { format, cases } = publishedCases(sources);

test('every known case is in it, with a name of its own', () => {
  expect(format).toBe(1);
  expect(cases.length).toBe(recorded.length + derived.length);
  const known = [...sources.recorded, ...sources.derived];
  expect(cases.map(({ expected }) => 'resets' in expected)).toEqual(known.map(({ sdk }) => 'resets' in sdk));
  expect(new Set(cases.map(({ source, name }) => `${source} ${name}`)).size).toBe(cases.length);
});

test('it is plain JSON: no placeholder, nothing that JSON cannot say, the same each time', () => {
  const text = JSON.stringify(publishedCases(sources));
  expect(text).not.toMatch(/\$now|<cta:|<ctaId>|afterMs/);
  expect(JSON.parse(text) as object).toEqual(publishedCases(sources));
  expect(text).toBe(JSON.stringify(publishedCases(sources)));
});

test('times are whole milliseconds that never go back', () => {
  for (const { steps } of cases) {
    const times = steps.map(({ at }) => at);
    expect(times.every(Number.isSafeInteger)).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
});

describe('the outcomes of the engine say what was recorded', () => {
  test.each(cases.map((one) => [`${one.source}: ${one.name}`, one] as const))('%s', (_name, one) => {
    const shown = one.steps.map(({ outcomes }) =>
      outcomes.flatMap(({ kind, ctaId, actionId, type }) =>
        kind === 'action' ? [{ ctaId, actionId, type }] : [],
      ),
    );
    const resets = one.steps.map(({ outcomes }) =>
      outcomes.flatMap(({ kind, ctaId, groupKey }) => (kind === 'reset' ? [{ ctaId, groupKey }] : [])),
    );
    expect(shown as object).toEqual(one.expected.shown);
    if ('resets' in one.expected) expect(resets as object).toEqual(one.expected.resets as object);
    for (const [ctaId, held] of Object.entries(one.expected.machines)) {
      expect(Object.keys(one.machines[ctaId] ?? {}).toSorted()).toEqual(Object.keys(held).toSorted());
      for (const [key, machine] of Object.entries(held))
        expect(one.machines[ctaId]?.[key]).toMatchObject(machine as object);
    }
  });
});
