import { expect, test } from 'bun:test';
import { DumpStatements, type DumpCell } from './dump-statement.ts';

/** Reads a dump in chunks of a size. */
function read(text: string, size: number) {
  const rows: Array<Record<string, DumpCell>> = [];
  const statements = new DumpStatements({
    wants: (table) => table === 'a',
    created: () => {},
    row: (_table, cells) => void rows.push(Object.fromEntries(cells)),
  });
  for (let at = 0; at < text.length; at += size) statements.push(text.slice(at, at + size));
  statements.end();
  return { rows, isUtc: statements.isUtc };
}

const create =
  "CREATE TABLE `a` (`x` int(11) NOT NULL, `y` varchar(9) DEFAULT 'a,b)', PRIMARY KEY (`x`)) ENGINE=InnoDB;\n";
const one = (y: DumpCell) => [{ x: 1, y }];

const cases: ReadonlyArray<
  readonly [name: string, dump: string, rows: ReadonlyArray<Record<string, DumpCell>>]
> = [
  ['a row', `${create}INSERT INTO \`a\` VALUES (1,'b');`, one('b')],
  [
    'many rows',
    `${create}INSERT INTO a VALUES (1,'b'),(2,NULL),\n(-3,'');`,
    [...one('b'), { x: 2, y: null }, { x: -3, y: '' }],
  ],
  ['columns of the INSERT', "INSERT INTO `a` (`y`, `x`) VALUES ('b', 1);", one('b')],
  [
    'a database',
    "INSERT IGNORE INTO `d`.`a` (y,x) VALUES ('b',1);REPLACE INTO d.a (x) VALUE (7);",
    [...one('b'), { x: 7 }],
  ],
  [
    'escapes',
    String.raw`INSERT INTO a (x,y) VALUES (1,'it\'s ''q'' \\ \n\t\0\Z \% \q');`,
    one("it's 'q' \\ \n\t\0\u001a \\% q"),
  ],
  ['signs in a text', "INSERT INTO a (x,y) VALUES (1,'); -- /* # ` \" ,(');", one('); -- /* # ` " ,(')],
  [
    'bytes',
    "INSERT INTO a (x,y) VALUES (1,0x68C3BC),(2,_binary 'b'),(3,x'68'),(4,b'101'),(5,_utf8mb4'ü');",
    [...one('hü'), { x: 2, y: 'b' }, { x: 3, y: 'h' }, { x: 4, y: 5 }, { x: 5, y: 'ü' }],
  ],
  [
    'numbers',
    'INSERT INTO a (x,y) VALUES (1,1.5e+3),(2,-7),(3,TRUE);',
    [...one(1500), { x: 2, y: -7 }, { x: 3, y: 1 }],
  ],
  [
    'comments',
    "-- INSERT INTO a\n# ;'\n/*!40000 ALTER TABLE `a` DISABLE KEYS */;\nINSERT /* ' */ INTO a (x,y) VALUES (1,'b'); --\n",
    one('b'),
  ],
  [
    'other tables',
    "INSERT INTO b VALUES (now(),((1)), 'it''s; \\'');INSERT INTO a (x,y) VALUES (1,'b');",
    one('b'),
  ],
  [
    'other statements',
    "DROP TABLE a; DELETE FROM a WHERE y = 'INSERT INTO a VALUES (1)'; ((((]]; LOCK TABLES `a` WRITE;CREATE VIEW v AS SELECT 1;",
    [],
  ],
  ['an INSERT of a selection into another table', 'INSERT INTO b SELECT * FROM a;', []],
  ['brackets that never close', `${'('.repeat(20_000)};${create}INSERT INTO a VALUES (1,'b');`, one('b')],
  ['nothing', '', []],
];

test('rows of a dump, in chunks of any size', () => {
  for (const [name, dump, rows] of cases)
    for (const size of [1, 2, 7, 100_000])
      expect([name, size, read(dump, size).rows]).toEqual([name, size, [...rows]]);
});

test('whether the times of a dump are in UTC', () => {
  for (const [dump, isUtc] of [
    ["/*!40103 SET TIME_ZONE='+00:00' */;", true],
    ["SET TIME_ZONE='+00:00';", true],
    ["SET TIME_ZONE='+02:00';", false],
    ['', false],
  ] as const)
    expect([dump, read(dump, 3).isUtc]).toEqual([dump, isUtc]);
});

const faults: ReadonlyArray<readonly [name: string, dump: string, fault: RegExp]> = [
  ['a text without end', "INSERT INTO a (x) VALUES ('b", /Line 1: the file ends in the middle of a text/],
  [
    'a row without end',
    '\nINSERT INTO a (x) VALUES (1,',
    /Line 2: the file ends in the middle of a statement/,
  ],
  ['an INSERT without end', 'INSERT INTO a (x) VALUES (1)', /in the middle of a statement/],
  ['a comment without end', '/* INSERT', /in the middle of a text/],
  ['no columns', 'INSERT INTO a VALUES (1);', /columns of "a" are not known.*--complete-insert/],
  ['too few values', `${create}INSERT INTO a VALUES (1);`, /has 1 values for 2 columns/],
  ['a function', 'INSERT INTO a (x) VALUES (now());', /"now" is not a value/],
  ['a selection', 'INSERT INTO a SELECT 1;', /has no VALUES/],
  ['nested brackets', `INSERT INTO a (x) VALUES (${'('.repeat(9)}1);`, /"\(" is not expected as a value/],
  ['two databases', create + create, /created a second time/],
  ['half a byte', 'INSERT INTO a (x) VALUES (0x123);', /"0x123" is not a value/],
  ['cut off between two statements', `-- MySQL dump 10.13\n${create}`, /"-- Dump completed" is missing/],
  ['too many columns', `INSERT INTO a (${'x,'.repeat(5_000)}x) VALUES (1);`, /too many columns/],
  ['too many values', `INSERT INTO a (x) VALUES (${'1,'.repeat(5_000)}1);`, /too long/],
];

test('a dump that cannot be read is refused with the line', () => {
  for (const [name, dump, fault] of faults)
    for (const size of [1, 100_000]) expect(() => read(dump, size), `${name}`).toThrow(fault);
});

test('one endless line is refused before it is held', () => {
  const chunk = 'x'.repeat(1024 * 1024);
  for (const [begin, fault] of [
    ["INSERT INTO a (x) VALUES ('", /a value has more than 16 MiB/],
    ['', /a value has more than 16 MiB/],
    ["INSERT INTO b VALUES ('", /a statement has more than 128 MiB/],
    ['/*', /a statement has more than 128 MiB/],
  ] as const) {
    const statements = new DumpStatements({
      wants: (table) => table === 'a',
      created: () => {},
      row: () => {},
    });
    statements.push(begin);
    let pushed = 0;
    expect(() => {
      for (; pushed < 1024; pushed++) statements.push(chunk);
    }).toThrow(fault);
    expect(pushed).toBeLessThan(129);
  }
}, 60_000);
