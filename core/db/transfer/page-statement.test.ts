import { expect, test } from 'bun:test';
import { arrayText, insertStatement, rowKeyOf, pageStatement } from './page-statement.ts';
import { contentSum, type Row } from './row-checksum.ts';
import type { TableDescription } from './table-description.ts';

const one: TableDescription = {
  name: 't',
  columns: [
    { name: 'id', kind: 'int' },
    { name: 'open', kind: 'bool' },
  ],
  key: ['id'],
  identity: 'id',
  references: [],
};
const two: TableDescription = {
  ...one,
  columns: [
    { name: 'state', kind: 'text' },
    { name: 'user', kind: 'text' },
    { name: 'org', kind: 'int' },
  ],
  key: ['org', 'user'],
};

const withBytes: TableDescription = {
  ...one,
  columns: [
    { name: 'id', kind: 'int' },
    { name: 'content', kind: 'bytes' },
  ],
};

test('bytes are read as hexadecimal digits, and written from them', () => {
  expect(pageStatement('sqlite', withBytes, true)).toBe(
    'SELECT "id", lower(hex("content")) AS "content" FROM "t" ORDER BY "id" LIMIT 5000',
  );
  expect(pageStatement('postgres', withBytes, true)).toContain(`encode("content", 'hex') AS "content"`);
  expect(insertStatement('sqlite', withBytes)).toBe(
    'INSERT INTO "t" ("id", "content") VALUES (?1, unhex(?2))',
  );
  expect(insertStatement('postgres', withBytes)).toBe(
    `INSERT INTO "t" ("id", "content") SELECT c0, decode(c1, 'hex') FROM unnest($1::text::bigint[], $2::text::text[]) AS t (c0, c1)`,
  );
});

test.each([
  ['sqlite', one, true, 'SELECT "id", "open" FROM "t" ORDER BY "id" LIMIT 5000'],
  ['sqlite', one, false, 'SELECT "id", "open" FROM "t" WHERE ("id") > (?1) ORDER BY "id" LIMIT 5000'],
  [
    'postgres',
    one,
    false,
    'SELECT "id", "open"::int AS "open" FROM "t" WHERE ("id") > ($1::text::bigint) ORDER BY "id" LIMIT 5000',
  ],
  ['postgres', one, true, 'SELECT "id", "open"::int AS "open" FROM "t" ORDER BY "id" LIMIT 5000'],
  [
    'sqlite',
    two,
    false,
    'SELECT "state", "user", "org" FROM "t" WHERE ("org", "user") > (?1, ?2) ORDER BY "org", "user" LIMIT 5000',
  ],
  [
    'postgres',
    two,
    false,
    'SELECT "state", "user", "org" FROM (SELECT "state", "user", "org", coalesce(sum(coalesce(octet_length("state"), 0) + ' +
      'coalesce(octet_length("user"), 0)) OVER (ORDER BY "org", "user" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) ' +
      'AS trivet_bytes FROM "t" WHERE ("org", "user") > ($1::text::bigint, $2::text) ORDER BY "org", "user" LIMIT 5000) AS page ' +
      'WHERE trivet_bytes < 2000000 ORDER BY "org", "user"',
  ],
] as const)('a page on %s', (engine, table, first, expected) =>
  expect(pageStatement(engine, table, first)).toBe(expected),
);

test.each([
  ['sqlite', 'INSERT INTO "t" ("id", "open") VALUES (?1, ?2)'],
  [
    'postgres',
    'INSERT INTO "t" ("id", "open") SELECT * FROM unnest($1::text::bigint[], $2::text::boolean[])',
  ],
] as const)('rows are written on %s', (engine, expected) =>
  expect(insertStatement(engine, one)).toBe(expected),
);

test('the key of a row is in the order of the primary key', () =>
  expect(rowKeyOf(two, ['{}', 'u', 7])).toEqual([7, 'u']));

test.each<[string, Row, string]>([
  ['numbers', [1, 0, -9_007_199_254_740_991], '{1,0,-9007199254740991}'],
  ['null and the word', [null, 'NULL', ''], '{NULL,"NULL",""}'],
  ['quotes and backslashes', ['a"b', 'a\\b', '\\"'], '{"a\\"b","a\\\\b","\\\\\\""}'],
  ['signs of arrays', ['{a,b}', ' a ', 'a\nb\t'], '{"{a,b}"," a ","a\nb\t"}'],
  ['other letters', ['ä🧀'], '{"ä🧀"}'],
])('a column with %s as an array', (_what, values, expected) =>
  expect(
    arrayText(
      values.map((value) => ['x', value]),
      1,
    ),
  ).toBe(expected),
);

const contentOf = (...rows: Row[]) => {
  const sum = contentSum();
  for (const row of rows) sum.add(row);
  return sum.content();
};

test('a checksum depends on the rows and not on their order', () => {
  const [a, b]: Row[] = [
    [1, 'x', null],
    [2, 'y', 0],
  ];
  expect(contentOf(a ?? [], b ?? [])).toEqual(contentOf(b ?? [], a ?? []));
  // A stated value: programs may keep the printed checksum and compare it later.
  expect(contentOf([1, 'x', null])).toEqual({ rows: 1, checksum: '707ae84640de2dfa' });
});

test.each<[string, Row[], Row[]]>([
  ['a row is missing', [[1], [2]], [[1]]],
  ['a row is doubled', [[1], [2]], [[1], [2], [2]]],
  ['a row is there twice instead of another', [[1], [1]], [[2], [2]]],
  [
    'two rows have exchanged a value',
    [
      [1, 'a'],
      [2, 'b'],
    ],
    [
      [1, 'b'],
      [2, 'a'],
    ],
  ],
  ['a text is a number', [['1']], [[1]]],
  ['null is the empty text', [[null]], [['']]],
  ['a value moved to the next column', [['ab', '']], [['a', 'b']]],
])('contents differ when %s', (_what, one_, other) =>
  expect(contentOf(...one_)).not.toEqual(contentOf(...other)),
);

test.each([2 ** 53, 0.5, Number.NaN])('%p is not copied, because it was rounded', (value) =>
  expect(() => contentOf([value])).toThrow('cannot be copied exactly'),
);
