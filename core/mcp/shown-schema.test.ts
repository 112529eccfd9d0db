import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { closedObject, nullable, recordId, words } from '../base/schema.ts';
import { pagingBy } from '../tools/page.ts';
import { shortenInput, shortenOutput, type Said } from './shown-schema.ts';

const many = Array.from({ length: 13 }, (_, n) => `word${n}`);
const description = 'What it is about, e.g. 3.';

const inputs: ReadonlyArray<readonly [string, object, object]> = [
  ['an id', recordId(description), { type: 'integer', maximum: Number.MAX_SAFE_INTEGER, description }],
  [
    'a text',
    Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description }),
    { type: 'string', description },
  ],
  [
    'a number with limits that matter',
    Type.Integer({ minimum: 2, maximum: 90, description }),
    { type: 'integer', minimum: 2, maximum: 90, description },
  ],
  [
    'a few words',
    words(['a', 'b'], { description, default: 'a' }),
    { type: 'string', enum: ['a', 'b'], default: 'a', description },
  ],
  ['many words', words(many, { description }), { type: 'string', description }],
  [
    'a list of records',
    Type.Array(closedObject({ name: Type.String({ description }) }), {
      minItems: 1,
      maxItems: 3,
      description,
    }),
    {
      type: 'array',
      description,
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string', description } } },
    },
  ],
  [
    'a parameter that is called like a limit',
    closedObject({ format: Type.String({ description }) }),
    { type: 'object', required: ['format'], properties: { format: { type: 'string', description } } },
  ],
  [
    'paging',
    closedObject(pagingBy(50).paging),
    {
      type: 'object',
      properties: {
        limit: { type: 'integer' },
        offset: { type: 'integer' },
      },
    },
  ],
];
test.each(inputs)('what a model is told of the arguments: %s', (_title, schema, shown) => {
  const given = closedObject({ it: schema as never });
  expect(JSON.parse(JSON.stringify(shortenInput(given, new Set())))).toEqual({
    type: 'object',
    required: ['it'],
    properties: { it: shown },
  });
});

test('what a parameter is, is said once in a list', () => {
  const said: Said = new Set();
  const note = closedObject({ noteId: recordId('From list-notes.'), text: Type.String({ description }) });
  const shown = () => JSON.stringify(shortenInput(note, said));
  expect(shown()).toContain('From list-notes.');
  const again = shown();
  expect(again).not.toContain('From list-notes.');
  expect(again).not.toContain(description);
  const other = closedObject({ noteId: recordId('Another one, from list-notes.') });
  expect(JSON.stringify(shortenInput(other, said))).toContain('Another one, from list-notes.');
});

const outputs: ReadonlyArray<readonly [string, object, object]> = [
  [
    'a record',
    closedObject({ a: Type.Integer({ minimum: 1 }), b: Type.Optional(Type.String({ description })) }),
    { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } },
  ],
  ['what may be null', nullable(Type.String()), { type: ['string', 'null'] }],
  [
    'words that may be null',
    nullable(words(['a'], { description })),
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
  ],
  [
    'either of two',
    Type.Union([Type.Integer(), Type.String()]),
    { anyOf: [{ type: 'integer' }, { type: 'string' }] },
  ],
  [
    'a list that may be null',
    nullable(Type.Array(Type.Integer())),
    { type: ['array', 'null'], items: { type: 'integer' } },
  ],
  ['anything', Type.Unknown(), {}],
  [
    'one of several objects: the usual one',
    Type.Union([closedObject({ name: Type.String() }), closedObject({ message: Type.String() })], {
      type: 'object',
    }),
    { type: 'object', properties: { name: { type: 'string' } } },
  ],
];
test.each(outputs)('what a model is told of the data: %s', (_title, schema, shown) => {
  expect(JSON.parse(JSON.stringify(shortenOutput(schema as never)))).toEqual(shown);
});

test('a description that says no more than the name is left out', () => {
  const texts = {
    plain: 'The new name.',
    tool: 'From get-runs.',
    example: 'e.g. 2 days',
    words: 'records: with names',
  };
  const given = closedObject(
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, Type.String({ description: text })]),
    ),
  );
  const { properties } = shortenInput(given, new Set()) as { properties: Record<string, object> };
  expect(properties).toEqual({
    plain: { type: 'string' },
    tool: { type: 'string', description: texts.tool },
    example: { type: 'string', description: texts.example },
    words: { type: 'string', description: texts.words },
  });
});

test('the values of an enum are told once for each name', () => {
  const said: Said = new Set();
  const status = words(['passed', 'failed'], { description: 'The result of it all.' });
  const shown = () =>
    (shortenInput(closedObject({ status }), said) as { properties: { status: object } }).properties.status;
  expect([shown(), shown()]).toEqual([{ type: 'string', enum: ['passed', 'failed'] }, { type: 'string' }]);
});
