import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { quickest } from '../../../../test/measure.ts';
import { csvLine, csvRows, InvalidCsv, type CsvLimits } from './csv.ts';

const wide: CsvLimits = { columns: 1_000, cellLength: 1_048_576, rows: 1_000_000 };

/** The rows, or the error message. */
function read(text: string, limits = wide): string[][] | string {
  try {
    return [...csvRows(text, limits)].flatMap((row) => (row ? [[...row.cells]] : []));
  } catch (error) {
    if (error instanceof InvalidCsv) return error.message;
    throw error;
  }
}

/** A reader as strict as RFC 4180 §2: CRLF ends each row, and a field with a quote, comma, CR or LF is quoted. */
function strictRows(text: string): string[][] {
  const rows: string[][] = [];
  const fieldAt = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (fieldAt.lastIndex < text.length) {
    const at = fieldAt.lastIndex;
    const found = fieldAt.exec(text);
    if (!found) throw new Error(`no field of RFC 4180 at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

const awkward = [
  ['id', 'text'],
  ['1', 'a\nb'],
  ['2', '\n'],
  ['3', 'a\rb'],
  ['4', 'a\r\nb\r\n'],
  ['5', '"'],
  ['6', 'say "hi", please'],
  ['7', ' space at both ends '],
  ['8', ''],
  ['9', 'ü 🙂 日本語'],
  ['10', "'=1+1"],
  ['11', '\ttab'],
];

describe('what is written', () => {
  const text = awkward.map(csvLine).join('');

  test.each([
    ['an LF alone', 'a\nb', '"a\nb"'],
    ['a CR alone', 'a\rb', '"a\rb"'],
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'a"b', '"a""b"'],
    ['space at an end', ' a', '" a"'],
    ['nothing special', 'a b', 'a b'],
    ['nothing', '', ''],
  ])('%s', (_title, cell, written) => expect(csvLine([cell, 'x'])).toBe(`${written},x\r\n`));

  test('a strict reader of RFC 4180 reads it', () => expect(strictRows(text)).toEqual(awkward));

  test('our own reader and csv-parse read it', () => {
    expect(read(text)).toEqual(awkward);
    expect(parse(text) as unknown).toEqual(awkward);
  });

  test('any cells come back, by every reader', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '=', 'é', '🙂') });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 4 }), (rows) => {
        const written = rows.map(csvLine).join('');
        expect(strictRows(written)).toEqual(rows);
        expect(read(written)).toEqual(rows);
      }),
      { numRuns: 2_000 },
    );
  });

  const file = (work: (path: string) => void) => {
    const directory = mkdtempSync(join(tmpdir(), 'trivet-csv-'));
    const path = join(directory, 'tests.csv');
    writeFileSync(path, text);
    try {
      work(path);
    } finally {
      rmSync(directory, { recursive: true });
    }
  };
  const has = (...command: string[]) => {
    try {
      return Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
    } catch {
      return false;
    }
  };

  test.skipIf(!has('python3', '-c', 'import csv'))("Python's csv module reads it", () =>
    file((path) => {
      const program =
        'import csv,json,sys;print(json.dumps(list(csv.reader(open(sys.argv[1],newline="",encoding="utf-8")))))';
      const child = Bun.spawnSync(['python3', '-c', program, path]);
      expect(JSON.parse(child.stdout.toString())).toEqual(awkward);
    }),
  );

  test.skipIf(!has('sqlite3', '--version'))("SQLite's .import reads it", () =>
    file((path) => {
      const child = Bun.spawnSync([
        'sqlite3',
        ':memory:',
        '.mode csv',
        `.import ${path} t`,
        '.mode json',
        'select id, hex(text) as text from t order by rowid;',
      ]);
      const rows = JSON.parse(child.stdout.toString()) as Array<{ id: string; text: string }>;
      const texts = rows.map(({ id, text: hex }) => [id, Buffer.from(hex, 'hex').toString('utf8')]);
      expect(texts).toEqual(awkward.slice(1));
    }),
  );
});

const filled = (rows: string[][]) => rows.filter((row) => row.length > 1 || row[0] !== '');

/** The result of csv-parse for the same text, with the options used in earlier versions; for an error, its code. */
function byCsvParse(text: string): unknown {
  try {
    return parse(text, { bom: true, relax_column_count: true });
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('what is read, beside csv-parse', () => {
  test.each([
    ['one cell', 'a'],
    ['a row without its end', 'a,b'],
    ['a row with its end', 'a,b\n'],
    ['CRLF', 'a,b\r\nc,d\r\n'],
    ['CR', 'a,b\rc,d\r'],
    ['an empty last cell', 'a,\nb,'],
    ['only a comma', ','],
    ['short and long rows', 'a,b\nc\nd,e,f\n'],
    ['quotes', '"a","b""c"\n'],
    ['an empty quoted cell', '"",""\n'],
    ['a quoted line end', '"a\nb",c\n'],
    ['a quoted CRLF in a file of LF', '"a\r\nb",c\nd,e\n'],
    ['a lone LF in a file of CRLF', 'a,b\r\nc\nd,e\r\n'],
    ['a lone CR in a file of CRLF', 'a,b\r\nc\rd,e\r\n'],
    ['a byte order mark', '\ufeffa,b\n'],
    ['a byte order mark and a quote', '\ufeff"a,b"\n'],
    ['a semicolon is text', 'a;b\n'],
    ['spaces stay', ' a , b \n'],
  ])('the same: %s', (_title, text) => expect(read(text)).toEqual(byCsvParse(text) as string[][]));

  test.each<[string, string, string, RegExp]>([
    ['an open quote', 'a\n"b', 'CSV_QUOTE_NOT_CLOSED', /^A quote in row 2 is not closed/],
    ['text after a quote', '"a"b\n', 'CSV_INVALID_CLOSING_QUOTE', /^In row 1 a closing quote/],
    ['a quote inside', 'a"b\n', 'INVALID_OPENING_QUOTE', /^In row 1 a quote stands inside/],
  ])('both refuse %s', (_title, text, code, sentence) => {
    expect(byCsvParse(text)).toBe(code);
    expect(read(text)).toMatch(sentence);
  });

  test('different on purpose: empty lines are left out, and a CRLF ends a row of a file of LF', () => {
    expect([byCsvParse('a\n\nb'), read('a\n\nb')]).toEqual([
      [['a'], [''], ['b']],
      [['a'], ['b']],
    ]);
    expect(byCsvParse('a,b\n"c",d\r\ne')).toEqual([['a', 'b'], ['c', 'd\r'], ['e']]);
    expect(read('a,b\n"c",d\r\ne')).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test.each<[string, readonly string[]]>([
    ['quoted cells', ['"b"', 'c', '"d""e"', '', '"f,g"']],
    ['cells without a text', ['""', '', '', '""', '']],
    ['plain cells', ['b', '', 'c', 'd']],
  ])('a pause of the reader beside %s changes no cell', (_title, cells) => {
    const row = cells.join(',');
    for (let before = 64 * 1024 - row.length - 4; before <= 64 * 1024 + 4; before++) {
      const rows = read(`${'a'.repeat(before)},${row}\r\nz,${row}\r\n`) as string[][];
      const expected = (byCsvParse(row) as string[][])[0] ?? [];
      expect({ before, rows: rows.map(([, ...cells]) => cells) }).toEqual({
        before,
        rows: [expected, expected],
      });
    }
  });

  test('rows are counted as a spreadsheet counts them', () => {
    const rows = [...csvRows('a\n\n\nb\n"c\nd"\ne', wide)].flatMap((row) => (row ? [row.row] : []));
    expect(rows).toEqual([1, 4, 5, 6]);
  });

  test('any text is answered alike, or refused by both', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ';'), maxLength: 30 });
    fc.assert(
      fc.property(text, (any) => {
        const [ours, theirs] = [read(any), byCsvParse(any)];
        if (typeof theirs === 'string') expect(typeof ours).toBe('string');
        else expect(filled(ours as string[][])).toEqual(filled(theirs as string[][]));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('limits are asked while the file is read', () => {
  test.each<[string, string, RegExp]>([
    ['columns', `${','.repeat(1_000)}\n`, /^Row 1 has more than 1000 columns/],
    ['a cell', 'a'.repeat(1_048_578), /^A cell of row 1 has more than 1048576/],
    ['a quoted cell', `"${'a'.repeat(1_048_578)}"`, /^A cell of row 1 has more than 1048576/],
    ['rows', 'a\n'.repeat(1_000_001), /more than 1000000 rows/],
  ])('%s', (_title, text, sentence) => expect(read(text)).toMatch(sentence));

  test.each<[string, string]>([
    ['commas', ','],
    ['blank lines', '\n'],
    ['rows of nothing', ',\n'],
    ['rows', 'a,b,c\n'],
    ['one cell', 'a'],
    ['quotes', '"'],
    ['rows of quotes', '"""",""\n'],
  ])(
    '16 MiB of %s: no step is long',
    (_title, unit) => {
      const text = unit.repeat((16 * 1024 * 1024) / unit.length);
      const longestStep = () => {
        let longest = 0;
        let since = performance.now();
        try {
          for (const row of csvRows(text, wide)) {
            void row;
            const now = performance.now();
            longest = Math.max(longest, now - since);
            since = now;
          }
        } catch (error) {
          if (!(error instanceof InvalidCsv)) throw error;
        }
        return longest;
      };
      // Measured 1 to 6 ms.
      expect(quickest(longestStep, 30)).toBeLessThan(30);
    },
    20_000,
  );
});
