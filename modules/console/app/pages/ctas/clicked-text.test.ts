import { expect, test } from 'bun:test';
import { clickedText } from './clicked-text.ts';

test.each([
  ['an app that reports nothing', { saw: 0, clicked: 0 }, '–'],
  ['nobody clicked', { saw: 12, clicked: 0 }, '0 (0 %)'],
  ['some did', { saw: 1_200, clicked: 300 }, '300 (25 %)'],
  ['clicks without impressions', { saw: 0, clicked: 3 }, '3'],
  ['more clicks than impressions', { saw: 2, clicked: 3 }, '3 (100 %)'],
])('%s', (_, users, text) => expect(clickedText(users)).toBe(text));
