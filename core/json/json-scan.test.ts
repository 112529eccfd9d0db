import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { JsonScan, parsePieces, tokensAtOnce, type Cut, type LongText } from './json-scan.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const limits = { depth: 64, tokens: 400_000 };

/** Parses a text as a body is: scanned in chunks of this size, then in pieces. */
function parsed(text: string, chunk = 1000): unknown {
  const scan = new JsonScan(limits);
  const all = bytes(text);
  for (let at = 0; at < all.length; at += chunk) {
    const fault = scan.take(all.subarray(at, at + chunk));
    if (fault) return fault;
  }
  return pieces(text, scan);
}

function pieces(
  text: string,
  scanned: { readonly cuts: readonly Cut[]; readonly longTexts: readonly LongText[] },
): unknown {
  const work = parsePieces(bytes(text), scanned);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

const items = (count: number, item: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => item(n));
const record = (n: number) => ({
  testName: `a "b" [${n}] {,:} \\`,
  labels: [n, 1],
  steps: [{ action: 'x\n' }],
});

describe('what a text costs is known before it is parsed', () => {
  const cases: ReadonlyArray<readonly [string, string, unknown]> = [
    ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`, 'parsed'],
    ['65 levels', '['.repeat(65), 'depth'],
    ['65 levels of objects', '{"a":'.repeat(65), 'depth'],
    ['brackets in a text', `"${'['.repeat(100_000)}"`, 'parsed'],
    ['an escaped quote before brackets', `"\\"${'['.repeat(100)}"`, 'parsed'],
    ['an escaped backslash ends no escape', `["\\\\",${'['.repeat(64)}`, 'depth'],
    ['many commas in one list of lists', `[[${'1,'.repeat(tokensAtOnce)}`, 'tokens'],
    ['many members of one object', `{"a":{${'"k":1,'.repeat(tokensAtOnce)}`, 'tokens'],
    ['many items', `[${'1,'.repeat(400_001)}`, 'tokens'],
    ['brackets that do not match', '{"a":[1}', 'syntax'],
    ['a bracket too many', ']', 'syntax'],
  ];
  test.each(cases)('%s', (_title, text, expected) => {
    const scan = new JsonScan(limits);
    expect(scan.take(bytes(text)) ?? 'parsed').toBe(expected as string);
  });

  test('16 MiB of [ are refused at byte 65', () => {
    const scan = new JsonScan(limits);
    expect(scan.take(Buffer.alloc(64, '['))).toBeNull();
    expect(scan.take(Buffer.alloc(1, '['))).toBe('depth');
  });
});

describe('a text in pieces is the text', () => {
  const whole: ReadonlyArray<readonly [string, unknown]> = [
    ['a list of records', items(5_000, record)],
    ['a list in arguments', { projectId: 1, tests: items(5_000, record), strict: true }],
    [
      'a message of MCP',
      { id: 1, params: { name: 'x', arguments: { a: [1], tests: items(5_000, record) }, _meta: {} } },
    ],
    ['two lists', { a: items(5_000, record), b: items(5_000, record), c: 'ä' }],
    ['ids', { testIds: items(100_000, (n) => n) }],
    ['few values', { a: [1, 2, 3] }],
    ['a member named __proto__', { list: items(5_000, record), ['__proto__x']: 1 }],
  ];
  test.each(whole)('%s', (_title, value) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 1)]) {
      for (const chunk of [777, 1 << 20]) expect(parsed(text, chunk)).toEqual(JSON.parse(text));
    }
  });

  test('a member named __proto__ after a cut is a member', () => {
    const text = `{"list":${JSON.stringify(items(5_000, record))},"__proto__":{"x":1}}`;
    expect(Object.keys(parsed(text) as object)).toEqual(['list', '__proto__']);
  });

  const list = JSON.stringify(items(30_000, (n) => [n]));
  const faulty: ReadonlyArray<readonly [string, string]> = [
    ['a comma at the end', `${list.slice(0, -1)},]`],
    ['two commas', list.replace('],[11000]', '],,[11000]')],
    ['no end', list.slice(0, -1)],
    ['text behind it', `${list} x`],
    ['a comma before the end that is a place to cut', `[${'[1],'.repeat(30_000)}]`],
    ['members with numbers as names around a list', `{"1":${list},"2":2}`],
  ];
  test.each(faulty)('%s is refused', (_title, text) => {
    expect(() => parsed(text)).toThrow();
  });

  const texts: ReadonlyArray<readonly [string, string]> = [
    ['letters', 'x'.repeat(1_000_000)],
    ['escapes', '\n"\\'.repeat(300_000)],
    ['escapes by number', '\u0001\u001f'.repeat(150_000)],
    ['characters of two, three and four bytes', 'äあ😀'.repeat(100_000)],
    ['both', 'ä\n😀"あ\u0002'.repeat(100_000)],
    ['a quarter of a MiB and one', 'x'.repeat(256 * 1024 + 1)],
  ];
  test.each(texts)('long texts: %s', (_title, long) => {
    const value = { a: 1, content: long, list: [long, { inner: long }, items(10, record)], end: 'x' };
    for (const text of [JSON.stringify(value), JSON.stringify(long), JSON.stringify([long])]) {
      for (const chunk of [65_537, 1 << 24]) expect(parsed(text, chunk)).toEqual(JSON.parse(text));
    }
    // Escapes that JSON.stringify does not write.
    const odd = `{"content":"${'\\u00e4\\/\\ud83d\\ude00'.repeat(30_000)}"}`;
    expect(parsed(odd, 99_991)).toEqual(JSON.parse(odd));
  });
  test('a long text between items that are cut', () => {
    const value = {
      list: items(20_000, (n) => (n === 10_000 ? { testName: 'y'.repeat(700_000) } : record(n))),
      end: 1,
    };
    const text = JSON.stringify(value);
    const scan = new JsonScan(limits);
    expect([scan.take(bytes(text)), scan.cuts.length > 2, scan.longTexts.length]).toEqual([null, true, 1]);
    expect(parsed(text, 50_000)).toEqual(value);
  });
  test.each(['\\x', '\\u12', '\n'])('a long text with %j in it is no JSON', (wrong) => {
    expect(() => parsed(`{"content":"${'x'.repeat(300_000)}${wrong}${'x'.repeat(300_000)}"}`)).toThrow();
  });

  test('wherever it is cut', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), value, fc.nat(), (list, other, nth) => {
        const text = JSON.stringify({ before: other, inner: { list, after: other }, end: other });
        const places = commasBetween(text, list);
        const cuts = places.filter((_, index) => (nth >> (index % 30)) & 1).map((at) => ({ at, depth: 3 }));
        expect(pieces(text, { cuts, longTexts: [] })).toEqual(JSON.parse(text));
      }),
    );
  });
});

/** The places of the commas between the items of `list` in the text of the property above. */
function commasBetween(text: string, list: readonly unknown[]): number[] {
  let at = bytes(text.slice(0, text.indexOf('"list":[') + '"list":['.length)).length;
  const places: number[] = [];
  for (const item of list.slice(0, -1)) {
    at += bytes(JSON.stringify(item)).length;
    places.push(at);
    at += 1;
  }
  return places;
}
