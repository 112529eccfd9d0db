import { expect, test } from 'bun:test';
import { hasParts, templatePart, withPart } from './template-parts.ts';

const cases: ReadonlyArray<
  readonly [string, unknown, Parameters<typeof withPart>[1], string, string, unknown]
> = [
  ['the usual name', { title: 'A', other: 1 }, 'title', 'A', 'B', { title: 'B', other: 1 }],
  ['another name', { headline: 'A' }, 'title', 'A', 'B', { headline: 'B' }],
  ['a part that is not there yet', { title: 'A' }, 'button', '', 'Go', { title: 'A', button: 'Go' }],
  [
    'a button that is an object',
    { cta: { label: 'A', link: '/x' } },
    'button',
    'A',
    'B',
    { cta: { label: 'B', link: '/x' } },
  ],
  [
    'the first of several buttons',
    { buttons: [{ text: 'A' }, { text: 'No' }] },
    'button',
    'A',
    'B',
    { buttons: [{ text: 'B' }, { text: 'No' }] },
  ],
  ['a list of words', { buttons: ['A', 'No'] }, 'button', 'A', 'B', { buttons: ['B', 'No'] }],
  [
    'a picture in an object',
    { image: { url: '/a.png', alt: 'x' } },
    'image',
    '/a.png',
    '/b.png',
    { image: { url: '/b.png', alt: 'x' } },
  ],
  ['a text that becomes more', 'Hello', 'title', '', 'Hi', { text: 'Hello', title: 'Hi' }],
  ['a text that stays one', 'Hello', 'text', 'Hello', 'Bye', 'Bye'],
  ['nothing yet', undefined, 'title', '', 'Hi', { title: 'Hi' }],
  ['a part that is emptied', { title: 'A', text: 'B' }, 'title', 'A', '', { text: 'B' }],
];

test.each(cases)('%s', (_name, template, part, before, text, after) => {
  expect(templatePart(template, part)).toBe(before);
  expect(withPart(template, part, text)).toEqual(after);
});

test('a list has no parts', () => {
  expect([hasParts([1]), hasParts({}), hasParts('x'), hasParts(undefined), hasParts(7)]).toEqual([
    false,
    true,
    true,
    true,
    false,
  ]);
});
