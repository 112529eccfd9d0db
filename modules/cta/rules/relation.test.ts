import { expect, test } from 'bun:test';
import type { Relation } from '../state/snapshot.ts';
import { enters, mayAct } from './relation.ts';

const any: Relation = { rule: 'ANY', ctaList: [] };
const rest: Relation = { rule: 'REST', ctaList: [] };
const list = (...ctaList: string[]): Relation => ({ rule: 'LIST', ctaList });
const anyRest = { shownCta: any, hideCta: rest };
const lists = { shownCta: list('1', '2'), hideCta: list('3') };
const overlap = { shownCta: list('1'), hideCta: list('1', '2') };

/** Whether the CTA may act, and whether it enters when it runs an action. */
test.each<[string, Parameters<typeof mayAct>[0], string[], string, boolean, boolean]>([
  ['ANY and REST, none active', anyRest, [], '2', true, true],
  ['ANY and REST, another active', anyRest, ['1'], '2', false, false],
  ['ANY and REST, itself active', anyRest, ['2'], '2', true, false],
  ['ANY and REST, two active by two devices', anyRest, ['2', '3'], '2', true, false],
  ['LIST and LIST, in neither', lists, ['1', '2'], '9', true, false],
  ['LIST and LIST, in neither, none active', lists, [], '9', true, false],
  ['LIST and LIST, shown, a place left', lists, ['1'], '2', true, true],
  ['LIST and LIST, shown, already in', lists, ['1', '2'], '2', true, false],
  ['LIST and LIST, shown, no place left', { ...lists, shownCta: list('1') }, ['9'], '1', false, false],
  ['LIST and LIST, hidden, none active', lists, [], '3', true, false],
  ['LIST and LIST, hidden, one active', lists, ['1'], '3', false, false],
  ['LIST and LIST, in both, itself active', overlap, ['1'], '1', true, false],
  ['LIST and LIST, in both, none active', overlap, [], '1', true, true],
  ['a list that is missing', { shownCta: { rule: 'LIST' }, hideCta: list('2') }, ['1'], '2', false, false],
  ['half a relation', { shownCta: any }, [], '2', false, false],
  ['ANY and LIST, which the app does not know', { shownCta: any, hideCta: list('2') }, [], '3', false, false],
])('%s', (_, relation, active, ctaId, acts, enter) => {
  expect([mayAct(relation, active, ctaId), enters(relation, active, ctaId)]).toEqual([acts, enter]);
});
