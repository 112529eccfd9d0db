import { expect, test } from 'bun:test';
import { hiddenBy } from './relation.ts';
import type { Relation } from './snapshot.ts';

const any: Relation = { rule: 'ANY', ctaList: [] };
const rest: Relation = { rule: 'REST', ctaList: [] };
const list = (...ctaList: string[]): Relation => ({ rule: 'LIST', ctaList });

test.each<[string, Parameters<typeof hiddenBy>[0], string[], string, string | null]>([
  ['no relations', {}, ['1'], '2', null],
  ['ANY and REST, none active', { shownCta: any, hideCta: rest }, [], '2', null],
  ['ANY and REST, another active', { shownCta: any, hideCta: rest }, ['1'], '2', '1'],
  ['ANY and REST, itself active', { shownCta: any, hideCta: rest }, ['2'], '2', null],
  ['ANY and REST, itself and another active', { shownCta: any, hideCta: rest }, ['2', '3'], '2', '3'],
  ['LIST and LIST, one of the first active', { shownCta: list('1'), hideCta: list('2') }, ['1'], '2', '1'],
  ['LIST and LIST, another active', { shownCta: list('1'), hideCta: list('2') }, ['3'], '2', null],
  ['LIST and LIST, not in the second', { shownCta: list('1'), hideCta: list('2') }, ['1'], '3', null],
  [
    'LIST and LIST, in both and active',
    { shownCta: list('1', '2'), hideCta: list('1', '2') },
    ['2'],
    '2',
    null,
  ],
  [
    'LIST and LIST, in both and another active',
    { shownCta: list('1', '2'), hideCta: list('1', '2') },
    ['1', '2'],
    '2',
    '1',
  ],
  ['a list that is missing', { shownCta: { rule: 'LIST' }, hideCta: list('2') }, ['1'], '2', null],
  ['half a relation', { shownCta: any }, ['1'], '2', null],
  ['ANY and LIST, which means nothing', { shownCta: any, hideCta: list('2') }, ['1'], '2', null],
  ['REST and ANY, which means nothing', { shownCta: rest, hideCta: any }, ['1'], '2', null],
])('%s', (_, relation, active, ctaId, by) => expect(hiddenBy(relation, active, ctaId)).toBe(by));
