import { expect, test } from 'bun:test';
import { typedAfter } from './typed-after.ts';

const sent = { name: 'Pay', text: 'a', seenAt: '1' };
const stored = { name: 'Pay', text: 'a', seenAt: '2' };

test.each([
  ['nothing more was typed', sent, stored],
  ['a text was typed on', { ...sent, text: 'ab' }, { ...stored, text: 'ab' }],
  ['a text was taken away', { ...sent, text: '' }, { ...stored, text: '' }],
])('%s', (_, typed, expected) => expect(typedAfter(typed, sent, stored)).toEqual(expected));
