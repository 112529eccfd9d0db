import { expect, test } from 'bun:test';
import { definitionOf, formOf, limitsText, relationText, type TagForm } from './tag-words.ts';

const form: TagForm = {
  session: '',
  lifespan: '',
  window: '',
  value: '1',
  unit: 'days',
  relation: 'none',
  shown: [],
  hidden: [],
};

test.each<[string, Partial<TagForm>, ReturnType<typeof definitionOf>]>([
  ['nothing', {}, {}],
  [
    'limits',
    { session: '1', window: '2', value: '3', unit: 'hours', lifespan: '10' },
    {
      exposureRule: {
        session: { limit: 1 },
        window: { limit: 2, unit: 'hours', value: 3 },
        lifespan: { limit: 10 },
      },
    },
  ],
  [
    'one hides the rest',
    { relation: 'any' },
    { ctaRelation: { shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } } },
  ],
  [
    'a list hides a list',
    { relation: 'list', shown: ['1'], hidden: ['2', '3'] },
    {
      ctaRelation: {
        shownCta: { rule: 'LIST', ctaList: ['1'] },
        hideCta: { rule: 'LIST', ctaList: ['2', '3'] },
      },
    },
  ],
])('%s becomes a definition, and that the same form', (_, fields, definition) => {
  const given = { ...form, ...fields };
  expect(definitionOf(given)).toEqual(definition);
  expect(formOf(definition)).toEqual(given);
});

test('what is no number is sent as it was typed', () =>
  expect(definitionOf({ ...form, session: 'many' })).toEqual({
    exposureRule: { session: { limit: 'many' } },
  } as never));

test.each([
  [limitsText({ window: { limit: 2, unit: 'hours', value: 1 } }), '2 in an hour'],
  [limitsText(undefined), 'No limit'],
  [limitsText({ session: { limit: 0 } }), 'No limit'],
  [
    limitsText({ window: { limit: 2, unit: 'days', value: 7 }, lifespan: { limit: 9 } }),
    '2 in 7 days, 9 ever',
  ],
  [relationText(undefined), 'None hides another'],
  [
    relationText({ shownCta: { rule: 'ANY' }, hideCta: { rule: 'REST' } }),
    'The first that is shown hides the rest',
  ],
  [
    relationText({
      shownCta: { rule: 'LIST', ctaList: ['1'] },
      hideCta: { rule: 'LIST', ctaList: ['2', '3'] },
    }),
    'CTA 1 hides CTA 2, 3',
  ],
])('%s', (text, expected) => expect(text).toBe(expected));
