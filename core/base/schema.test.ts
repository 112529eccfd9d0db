import { describe, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { check, checkInTurns, clearable, recordId, withDefaults, words } from './schema.ts';
import { itemShapes, sentence } from './problem.ts';

const schema = Type.Object(
  {
    id: recordId('An id.'),
    name: Type.String({ minLength: 1, maxLength: 5, description: 'A name.' }),
    color: Type.Optional(words(['red', 'blue'], { description: 'A colour.' })),
    list: Type.Optional(
      Type.Array(Type.Object({ n: Type.Integer({ maximum: 9 }) }, { additionalProperties: false }), {
        maxItems: 2,
      }),
    ),
  },
  { additionalProperties: false },
);

describe('what is wrong is named by path and remedy, never by value', () => {
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ['missing', { id: 1 }, 'name is required'],
    [
      'unknown, close to a known one',
      { id: 1, name: 'a', colour: 'red' },
      'colour is not a parameter (did you mean color?)',
    ],
    ['unknown', { id: 1, name: 'a', zzzz: 1 }, 'zzzz is not a parameter (known: id, name, color, list)'],
    ['wrong type', { id: '1', name: 'a' }, 'id must be a whole number'],
    ['float', { id: 1.5, name: 'a' }, 'id must be a whole number'],
    ['zero', { id: 0, name: 'a' }, 'id must be at least 1'],
    ['beyond 2^53-1', { id: 2 ** 53, name: 'a' }, 'id must be at most 9007199254740991'],
    ['empty text', { id: 1, name: '' }, 'name must not be empty'],
    ['long text', { id: 1, name: 'abcdef' }, 'name must have at most 5 characters'],
    ['unknown word', { id: 1, name: 'a', color: 'green' }, 'color must be one of red, blue'],
    ['inside a list', { id: 1, name: 'a', list: [{ n: 1 }, { n: 10 }] }, 'list[1].n must be at most 9'],
    [
      'too many',
      { id: 1, name: 'a', list: [{ n: 1 }, { n: 1 }, { n: 1 }] },
      'list must have at most 2 items',
    ],
    ['two faults', { id: 0, name: '' }, 'id must be at least 1; name must not be empty'],
    ['no object', [], 'the arguments must be an object'],
    ['null', null, 'the arguments must be an object'],
    ['U+0000', { id: 1, name: 'a\u0000' }, 'name must not contain U+0000 or half a character'],
    ['half a surrogate pair', { id: 1, name: '\ud800' }, 'name must not contain U+0000 or half a character'],
    [
      '__proto__ as a parameter',
      JSON.parse('{"id":1,"name":"a","__proto__":{"x":1}}'),
      '__proto__ is not a parameter (known: id, name, color, list)',
    ],
  ];
  test.each(cases)('%s', (_title, value, expected) => {
    const result = check(schema, value);
    expect(result.ok ? 'accepted' : sentence(result.problems)).toBe(expected);
  });
});

test.each([
  [
    Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.Integer(), { additionalProperties: false }),
    { Company: 1 },
    '.Company must match ^[a-z]+$',
  ],
  [Type.Number({ exclusiveMinimum: 0 }), 0, 'must be above 0'],
  [Type.Integer({ exclusiveMaximum: 5 }), 5, 'must be below 5'],
  [Type.String({ minLength: 3 }), 'ab', 'must have at least 3 characters'],
  [Type.Object({ a: Type.Optional(Type.String()) }, { minProperties: 1 }), {}, 'must not be empty'],
  [Type.Union([Type.Literal('RS256'), Type.Literal('ES256')]), 'HS256', 'must be RS256 or ES256'],
  [Type.Union([Type.Array(Type.Integer()), Type.Null()]), 'x', 'must be [integer, …] or null'],
  [
    Type.Union([Type.Object({ state: Type.String() }), Type.Object({ event: Type.String() })]),
    {},
    'must be {state: string} or {event: string}',
  ],
])('the limit is named: %#', (on, value, expected) => {
  const result = check(Type.Object({ on }), { on: value });
  expect(result.ok ? 'accepted' : sentence(result.problems)).toBe(
    `on${expected.startsWith('.') ? '' : ' '}${expected}`,
  );
});

describe('null clears where the schema says so', () => {
  const changes = Type.Object(
    {
      id: Type.Optional(clearable(recordId('An id.'))),
      name: Type.Optional(clearable(Type.String({ maxLength: 5 }))),
    },
    { additionalProperties: false },
  );
  const cases: ReadonlyArray<readonly [unknown, string]> = [
    [{ id: null, name: null }, 'accepted'],
    [{ id: 7, name: 'a' }, 'accepted'],
    [{ id: '7' }, 'id must be a whole number'],
    [{ id: 0 }, 'id must be at least 1'],
    [{ id: [] }, 'id must be a whole number'],
    [{ name: 'abcdef' }, 'name must have at most 5 characters'],
    [{ id: 1.5, name: 7 }, 'id must be a whole number; name must be a string'],
  ];
  test.each(cases)('%j', (value, expected) => {
    const result = check(changes, value);
    expect(result.ok ? 'accepted' : sentence(result.problems)).toBe(expected);
  });

  test('clients see the short form', () => {
    expect(JSON.parse(JSON.stringify(changes.properties.id))).toEqual({
      type: ['integer', 'null'],
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'An id.',
    });
  });
});

test('free-form data is walked to a bound, not to the end of the stack', () => {
  const free = Type.Object(
    { data: Type.Object({}, { additionalProperties: true }) },
    { additionalProperties: false },
  );
  const nested = (levels: number) => ({
    data: JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as unknown,
  });
  expect(check(free, nested(99)).ok).toBe(true);
  const deep = check(free, nested(100_000));
  expect(deep.ok ? '' : sentence(deep.problems)).toEndWith('must not be nested deeper than 100 levels');
  expect(check(free, { data: { 'a\u0000': 1 } }).ok).toBe(false);
});

test('a right value comes back as it is', () => {
  const value = { id: 1, name: '😀', color: 'red', list: [{ n: 1 }] };
  const result = check(schema, value);
  expect(result).toEqual({ ok: true, value } as never);
});

test('a value is judged alike the first time, interpreted, and later, compiled', () => {
  const make = () =>
    Type.Object(
      {
        id: Type.Optional(clearable(recordId('An id.'))),
        color: words(['red', 'blue'], { description: 'A colour.' }),
        note: Type.Optional(Type.Union([Type.String({ maxLength: 3 }), Type.Null()])),
      },
      { additionalProperties: false },
    );
  const cases: ReadonlyArray<readonly [unknown, boolean]> = [
    [{ color: 'red' }, true],
    [{ color: 'red', id: null, note: null }, true],
    [{ color: 'green' }, false],
    [{ color: 'red', id: 0 }, false],
    [{ color: 'red', note: 'long' }, false],
    [{ color: 'red', other: 1 }, false],
  ];
  for (const [value, fits] of cases) {
    const schema = make();
    expect([1, 2, 3].map(() => check(schema, value).ok)).toEqual([fits, fits, fits]);
  }
});

test('at most 20 problems are named', () => {
  const many = Type.Object({ list: Type.Array(Type.Integer()) }, { additionalProperties: false });
  const result = check(many, { list: Array.from({ length: 1000 }, () => 'x') });
  expect(result.ok ? 0 : result.problems.length).toBe(20);
});

test('defaults fill what is missing and change nothing that was given', () => {
  const input = Type.Object({ limit: Type.Optional(Type.Integer({ default: 50 })) });
  const given = Object.freeze({});
  expect(withDefaults(input, given)).toEqual({ limit: 50 });
  expect(withDefaults(input, { limit: 7 })).toEqual({ limit: 7 });
  expect(withDefaults(input, { limit: null })).toEqual({ limit: null });
  expect(withDefaults(input, 'no object')).toBe('no object');
});

describe('a wrong item is answered with what an item is, required members first', () => {
  const closed = { additionalProperties: false };
  const properties = {
    comment: Type.Optional(Type.String()),
    testId: recordId('An id.'),
    status: words(['passed', 'failed'], { description: 'The result.' }),
    steps: Type.Optional(
      Type.Array(Type.Object({ data: Type.Optional(Type.String()), action: Type.String() })),
    ),
  };
  const item = Type.Object(properties, closed);
  const lists = Type.Object({
    results: Type.Array(item),
    ids: Type.Array(Type.Integer()),
    name: Type.String(),
  });
  const shape =
    'Each item of results is {testId: integer, status: passed|failed, comment?: string, steps?: [{action: string, data?: string}, …]}.';
  test.each<[string, object, string[]]>([
    ['a missing member', { results: [{ testId: 1 }], ids: [], name: 'a' }, [shape]],
    ['an unknown member', { results: [{ testId: 1, status: 'passed', id: 1 }], ids: [], name: 'a' }, [shape]],
    ['no object', { results: ['passed'], ids: [], name: 'a' }, [shape]],
    ['two lists', { results: [1], ids: ['x'], name: 'a' }, [shape, 'Each item of ids is integer.']],
    ['no list', { results: 7, ids: [], name: 'a' }, [shape]],
    ['nothing wrong about a list', { results: [], ids: [], name: 7 }, []],
  ])('%s', (_title, value, sentences) => {
    const result = check(lists, value);
    expect(result.ok ? ['accepted'] : itemShapes(lists, result.problems)).toEqual(sentences);
  });
});

describe('thousands of records are checked in turns, with the same result', () => {
  const item = Type.Object(
    { n: Type.Integer({ maximum: 9 }), name: Type.Optional(Type.String({ minLength: 1 })) },
    { additionalProperties: false },
  );
  const many = Type.Object(
    {
      id: recordId('An id.'),
      list: Type.Array(item, { minItems: 1, maxItems: 5_000 }),
      ids: Type.Optional(Type.Array(recordId('An id.'), { maxItems: 5_000 })),
    },
    { additionalProperties: false },
  );
  const list = (count: number, spoil: (n: number) => object | undefined = () => undefined) =>
    Array.from({ length: count }, (_, n) => spoil(n) ?? { n: n % 10 });
  const cases: ReadonlyArray<readonly [string, object]> = [
    ['all is well', { id: 1, list: list(5_000), ids: Array.from({ length: 5_000 }, (_, n) => n + 1) }],
    ['one item is faulty', { id: 1, list: list(5_000, (n) => (n === 4_000 ? { n: 10 } : undefined)) }],
    ['many are', { id: 1, list: list(1_000, (n) => (n % 7 === 3 ? { n: 'x', extra: 1 } : undefined)) }],
    [
      'what cannot be stored',
      { id: 1, list: list(1_000, (n) => (n === 900 ? { n: 1, name: '\u0000' } : undefined)) },
    ],
    ['an id is none', { id: 1, list: list(1), ids: Array.from({ length: 1_000 }, (_, n) => n) }],
    ['too many items', { id: 1, list: list(5_001) }],
    ['something else is faulty', { id: 0, list: list(1_000) }],
    ['a short list', { id: 1, list: [] }],
  ];
  test.each(cases)('%s', async (_title, value) => {
    expect(await checkInTurns(many, value)).toEqual(check(many, value));
  });
  test('what is no object', async () => {
    for (const value of [null, 1, 'x', [], undefined])
      expect(await checkInTurns(many, value)).toEqual(check(many, value));
  });
});
