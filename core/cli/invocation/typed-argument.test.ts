import { expect, test } from 'bun:test';
import { typedArgument, type ParameterType } from './typed-argument.ts';

const day = { type: ['string', 'null'], pattern: '^[0-9-]+$' };
const ids = { type: 'array', items: { type: 'integer' } };
const idsOrNull = { anyOf: [ids, { type: 'null' }] };
const objects = { anyOf: [{ type: 'object' }, { type: 'object' }] };
const words = { anyOf: [{ type: 'string' }, { type: 'string' }] };

test.each<[string, ParameterType | undefined, unknown]>([
  ['12', { type: 'integer' }, 12],
  ['-1.5', { type: 'number' }, -1.5],
  ['1e3', { type: 'integer' }, '1e3'],
  ['null', { type: 'integer' }, 'null'],
  ['null', { type: ['integer', 'null'] }, null],
  ['12', { type: ['integer', 'null'] }, 12],
  ['', { type: ['integer', 'null'] }, ''],
  ['true', { type: 'boolean' }, true],
  ['12', { type: 'string' }, '12'],
  ['', { type: 'string' }, ''],
  ['', { type: ['string', 'null'] }, null],
  ['null', { type: ['string', 'null'] }, 'null'],
  ['', day, null],
  ['null', day, null],
  ['2026-11-30', day, '2026-11-30'],
  ['1, 2', ids, [1, 2]],
  ['[1,2]', ids, [1, 2]],
  ['a,b', { type: 'array', items: { type: 'string' } }, 'a,b'],
  ['["a"]', { type: 'array', items: { type: 'string' } }, ['a']],
  ['null', idsOrNull, null],
  ['2', idsOrNull, [2]],
  ['2,3', idsOrNull, [2, 3]],
  ['[2]', idsOrNull, [2]],
  ['{"state":"1"}', objects, { state: '1' }],
  ['{', objects, '{'],
  ['tests', words, 'tests'],
  ['12', undefined, '12'],
])('%p by %j is %p', (text, schema, value) => expect(typedArgument(text, schema)).toEqual(value));
