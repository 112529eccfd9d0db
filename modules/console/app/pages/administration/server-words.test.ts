import { expect, test } from 'bun:test';
import { checkWord, surfaceWord } from './server-words.ts';

test.each([
  ['cli', 'command line'],
  ['stdio', 'MCP on the server'],
  // What a newer server names stays.
  ['pigeon', 'pigeon'],
  ['constructor', 'constructor'],
])('the surface %s is called %s', (surface, word) => expect(surfaceWord(surface)).toBe(word));

test.each([
  ['disk', 'Space on the disk'],
  ['notes', 'notes'],
  ['toString', 'toString'],
])('the check %s is called %s', (check, word) => expect(checkWord(check)).toBe(word));
