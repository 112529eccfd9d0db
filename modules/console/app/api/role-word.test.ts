import { expect, test } from 'bun:test';
import { causeWord, roleWord } from './role-word.ts';

test.each([
  ['admin', 'admin'],
  ['none', 'none'],
  ['constructor', 'constructor'],
])('%p is %p in English', (role, word) => expect(roleWord(role)).toBe(word));
test.each(['disabled', 'reader', 'idle_timeout'])('the cause %p is the same in English', (cause) =>
  expect(causeWord(cause)).toBe(cause),
);
