import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeText, operationText, operationWords, surfaceWord, toldChanges } from './operation-words.ts';

/** Tools that write and leave an entry, from the generated reference: `| name | description | parameters | effect |`. */
const writing = readFileSync(
  join(import.meta.dir, '..', '..', '..', '..', 'docs', 'operations.md'),
  'utf8',
).matchAll(/^\| `([a-z]+(?:-[a-z]+)+)` \|.*\| (?:create|update|delete) \|$/gm);

test('every tool that writes is a sentence, and none else', () => {
  const names = [...writing].map(([, name = '']) => name).toSorted();
  expect(names.length).toBeGreaterThan(60);
  expect(Object.keys(operationWords).toSorted()).toEqual(names);
});

test('a tool of a plugin is not silent', () => {
  expect(operationText('send-webhook')).toBe('used send webhook');
  expect(operationText('constructor')).toBe('used constructor');
});

test('a change is told with the words of the forms; the number of what was taken back is not told', () => {
  expect(changeText({ field: 'testDescription', from: null, to: 'Pay by card' })).toBe(
    'Description: nothing → Pay by card',
  );
  expect(changeText({ field: 'squadId', count: 2 })).toBe('Squad: 2 changed');
  expect(changeText({ field: 'constructor', to: 1 })).toBe('constructor: nothing → 1');
  expect(toldChanges([{ field: 'activity', to: 369 }])).toEqual([]);
});

test.each([
  ['cli', 'CLI'],
  ['stdio', 'MCP on the server'],
  // What a newer server names stays.
  ['pigeon', 'pigeon'],
  ['constructor', 'constructor'],
])('the surface %s is called %s', (surface, word) => expect(surfaceWord(surface)).toBe(word));
