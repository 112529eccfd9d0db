import { expect, test } from 'bun:test';
import { nudgeContent, type NudgeContent } from './nudge-content.ts';

const empty: NudgeContent = { title: null, texts: [], image: null, buttons: [], rest: null };

test.each<[string, unknown, Partial<NudgeContent>]>([
  ['nothing', undefined, {}],
  ['HTML, which stays a text', '<p>{{amount}}</p>', { texts: ['<p>{{amount}}</p>'] }],
  ['JSON that is not complete', '{"title": ', { texts: ['{"title": '] }],
  ['JSON as text', '{"title": "A"}', { title: 'A' }],
  [
    'all that is known',
    {
      title: 'A',
      message: 'B',
      body: 'C',
      image: { url: 'https://x.org/y.png' },
      buttons: [{ text: 'Yes' }, 'No'],
      cta: { label: 'More' },
    },
    { title: 'A', texts: ['B', 'C'], image: 'https://x.org/y.png', buttons: ['Yes', 'No', 'More'] },
  ],
  [
    'what is not known',
    { text: 'A', screen: 'home', content: { x: 1 } },
    { texts: ['A'], rest: JSON.stringify({ screen: 'home', content: { x: 1 } }, null, 2) },
  ],
  ['a list', [1], { rest: JSON.stringify([1], null, 2) }],
  ['a number', 7, { texts: ['7'] }],
])('%s', (_, template, content) => expect(nudgeContent(template)).toEqual({ ...empty, ...content }));
