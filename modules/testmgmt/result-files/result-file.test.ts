import { describe, expect, test } from 'bun:test';
import { attributeLimit, depthLimit, tagLimit } from './text/xml-reader.ts';
import { messageLimit, nameLimit, outputLimit } from './cases/reported-case.ts';
import { readContent, refusalOf } from './testing/read-text.ts';

const one = '<testsuite name="s"><testcase name="a"/></testsuite>';
const suite = (inside: string) => `<testsuite name="s">${inside}</testsuite>`;
const utf16 = (text: string, bigEndian = false) => {
  const bytes = new Uint8Array(2 + text.length * 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, !bigEndian);
  for (let i = 0; i < text.length; i++) view.setUint16(2 + i * 2, text.charCodeAt(i), !bigEndian);
  return bytes;
};
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const gzipped = (text: string) => Bun.gzipSync(text);
const laughs = `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]>${suite('<testcase name="&lol2;"/>')}`;

describe('a file that cannot be read names its fault', () => {
  const refused: ReadonlyArray<readonly [string, string | Uint8Array, string]> = [
    ['an empty file', '', 'results: It is empty.'],
    ['only space', ' \n\t ', 'results: It begins with nothing but space.'],
    [
      'a page',
      '<!DOCTYPE html>\n<html><body>404</body></html>',
      'results, line 1, column 10: It is an HTML page',
    ],
    ['a page without document type', '<HTML><body/></HTML>', 'It is an HTML page'],
    ['a PNG image', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]), 'It is a PNG image'],
    ['a ZIP archive', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]), 'It is a ZIP archive'],
    ['other bytes', new Uint8Array([7, 1, 0, 0, 0, 9, 200]), 'It is a binary file'],
    ['prose', 'All tests passed.', 'It is in no format that is known here'],
    ['another XML', '<project><target/></project>', 'line 1, column 9: Its outermost element is <project>'],
    ['an element of JavaScript', '<constructor/>', 'Its outermost element is <constructor>'],
    [
      'cut off in an element',
      '<testsuite>\n<testcase name="a">',
      'line 2, column 19: It ends before <testcase> is closed',
    ],
    ['cut off in a tag', '<testsuite>\n<testcase na', 'It ends before <testsuite> is closed'],
    [
      'cut off in CDATA',
      suite('<testcase><failure><![CDATA[a').slice(0, -12),
      'It ends before <failure> is closed',
    ],
    ['cut off in the first tag', '<testsuite na', 'It is not well-formed XML: unexpected end'],
    [
      'wrong nesting',
      '<testsuite>\n  <testcase></testsuite>',
      'line 2, column 24: It is not well-formed XML',
    ],
    [
      'two roots',
      `${one}\n${one}`,
      'line 2, column 11: It is not well-formed XML: documents may contain only one root',
    ],
    ['text after the root', `${one} done`, 'text data outside of root node'],
    ['an attribute twice', suite('<testcase name="a" name="b"/>'), 'duplicate attribute: name'],
    ['an attribute without quotes', suite('<testcase name=a/>'), 'unquoted attribute value'],
    [
      'a "<" in an attribute',
      suite('<testcase name="a<b"/>'),
      'line 1, column 38: It is not well-formed XML',
    ],
    ['an "&" alone', suite('<testcase name="a & b"/>'), 'line 1, column 39: An "&" stands alone'],
    [
      'an unknown entity',
      suite('\n<testcase name="&nbsp;"/>'),
      'line 2, column 17: The entity "&nbsp;" is refused',
    ],
    [
      'an entity of JavaScript',
      suite('<testcase name="&constructor;"/>'),
      'The entity "&constructor;" is refused',
    ],
    ['billion laughs', laughs, 'line 1, column 10: It declares a document type with content'],
    [
      'an entity that reads a file',
      `<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${suite('&x;')}`,
      'line 2, column 10: It declares a document type with content',
    ],
    [
      'an external document type',
      `<!DOCTYPE a SYSTEM "http://example.org/a.dtd">${one}`,
      'refers to an external',
    ],
    ['a public document type', `<!DOCTYPE a PUBLIC "-//A" "a.dtd">${one}`, 'refers to an external'],
    ['parameter entities', `<!DOCTYPE a [<!ENTITY % p SYSTEM "x"> %p;]>${one}`, 'document type with content'],
    [
      'deep elements',
      '<testsuite>'.repeat(depthLimit + 1),
      `nests elements deeper than ${depthLimit} levels`,
    ],
    [
      'many attributes',
      `<testsuite ${Array.from({ length: attributeLimit + 1 }, (_, i) => `a${i}=""`).join(' ')}/>`,
      `An element has more than ${attributeLimit} attributes`,
    ],
    [
      'a huge tag',
      `<testsuite name="${'a'.repeat(tagLimit + 65_536)}"/>`,
      `A tag has more than ${tagLimit} characters`,
    ],
    [
      'a huge comment',
      `<!--${'a'.repeat(1_100_000)}-->${one}`,
      'A comment or instruction has more than 1048576',
    ],
    [
      'a long name',
      suite(`<testcase name="${'a'.repeat(nameLimit)}"/>`),
      `has ${nameLimit + 1} characters; the limit is`,
    ],
    [
      'an unknown status',
      suite('<testcase name="a" status="whatever"/>'),
      'A case has the status "whatever"',
    ],
    ['a case in a case', suite('<testcase><testcase/></testcase>'), 'A <testcase> stands inside another'],
    ['a case outside suites', suite('<other><testcase/></other>'), 'A <testcase> stands inside <other>'],
    [
      'an unknown encoding',
      `<?xml version="1.0" encoding="ebcdic-x"?>${one}`,
      'Its encoding "ebcdic-x" is unknown',
    ],
    ['gzip of an empty file', gzipped(''), 'It is empty'],
    ['gzip that was cut off', gzipped(one.repeat(20)).slice(0, 40), 'Its gzip data is broken or was cut off'],
    [
      'gzip of nothing',
      new Uint8Array([0x1f, 0x8b, 1, 2, 3, 4, 5, 6]),
      'Its gzip data is broken or was cut off',
    ],
  ];

  test.each(refused)('%s', async (_title, content, sentence) => {
    const said = await refusalOf(content);
    expect(said).toContain(sentence);
    // The boundaries of chunks must not matter. The parser sees text after the root at the end of a chunk, wherever that is.
    const told = (message: string) =>
      message.includes('outside of root') ? message.replace(/column \d+/, 'column') : message;
    for (const chunk of content.length < 2_000 ? [1, 2, 3, 7] : [])
      expect(told(await refusalOf(content, { chunk }))).toBe(told(said));
  });

  test('a bomb ends at the limit of unpacked bytes', async () => {
    const bomb = gzipped(`<testsuite>${' '.repeat(20_000_000)}</testsuite>`);
    expect(bomb.length).toBeLessThan(30_000);
    expect(await refusalOf(bomb, { bytesLimit: 1_000_000 })).toContain(
      'It has more than 1000000 bytes when unpacked',
    );
  });

  test('many long tags are no huge one, wherever the chunks end', async () => {
    const long = suite(`<testcase name="${' '.repeat(3_000)}"/>`.repeat(2_000));
    expect(long.length).toBeGreaterThan(tagLimit);
    expect(await refusalOf(long)).toBe('read 2000 cases');
    const messages = `<testcase><failure message="${'x'.repeat(1_000_000)}"/></testcase>`.repeat(5);
    expect(await refusalOf(suite(messages))).toBe('read 5 cases');
  });

  test('the limits of cases and bytes', async () => {
    expect(await refusalOf(suite('<testcase name="a"/>'.repeat(4)), { caseLimit: 3 })).toContain(
      'more than 3 cases',
    );
    expect(await refusalOf(one, { bytesLimit: 10 })).toBe(
      'results: It has more than 10 bytes. Upload it in parts.',
    );
  });
});

describe('a file that a strict parser refuses is read', () => {
  const esc = '\u001b[31mred\u001b[0m';
  const readable: ReadonlyArray<readonly [string, string | Uint8Array, string]> = [
    ['a byte order mark', `\ufeff${suite('<testcase name="ä"/>')}`, 'ä'],
    ['UTF-16, little endian', utf16(suite('<testcase name="ä🙂"/>')), 'ä🙂'],
    ['UTF-16, big endian', utf16(suite('<testcase name="ä🙂"/>'), true), 'ä🙂'],
    ['UTF-16 without mark', utf16(suite('<testcase name="ä"/>')).slice(2), 'ä'],
    [
      'UTF-8 that says UTF-16',
      `<?xml version="1.0" encoding="utf-16"?>${suite('<testcase name="ä"/>')}`,
      'ä',
    ],
    [
      'Latin-1',
      latin1(`<?xml version="1.0" encoding="ISO-8859-1"?>${suite('<testcase name="\u00e4"/>')}`),
      'ä',
    ],
    ['bytes that are no UTF-8', latin1(suite('<testcase name="\u00e4"/>')), '\ufffd'],
    ['gzip', gzipped(suite('<testcase name="ä"/>')), 'ä'],
    ['a plain document type', `<!DOCTYPE testsuite>${suite('<testcase name="a"/>')}`, 'a'],
    ['a control character', suite('<testcase name="a\u0001b"/>'), 'a\u2401b'],
    ['a reference to one', suite('<testcase name="a&#1;b&#x1B;&#xFFFE;"/>'), 'a\u2401b\u241b\ufffd'],
    ['references to others', suite('<testcase name="&#228;&#x1F642;&#9;"/>'), 'ä🙂\t'],
    ['a ">" in a name', suite('<testcase name="a > b ]]&gt; c"/>'), 'a > b ]]> c'],
    ['a prefix', '<j:testsuite xmlns:j="x"><j:testcase name="a"/></j:testsuite>', 'a'],
    ['an empty name', suite('<testcase name=""/>'), ''],
    ['the names of JavaScript', suite('<testcase name="__proto__" constructor="a"/>'), '__proto__'],
  ];

  test.each(readable)('%s', async (_title, content, name) => {
    const { cases } = await readContent(content);
    expect(cases.map((each) => each.name)).toEqual([name]);
    expect(await readContent(content, { chunk: 1 })).toEqual(await readContent(content));
  });

  test('names with bytes that are not in the encoding of the file are said, once', async () => {
    const names = suite('<testcase name="\u00e4"/><testcase name="\u00f6"/>');
    expect((await readContent(latin1(names))).warnings).toEqual([
      expect.stringContaining('Names of cases have bytes that are not in the encoding of the file') as string,
    ]);
    expect((await readContent(names)).warnings).toEqual([]);
    // What the tested program printed is nobody's fault.
    const printed = suite('<testcase name="a"><failure>\u00e4</failure></testcase>');
    expect((await readContent(latin1(printed))).warnings).toEqual([]);
  });

  const messages: ReadonlyArray<readonly [string, string, string]> = [
    ['codes of a terminal', `<failure>${esc}</failure>`, 'red'],
    ['references to them', '<failure message="&#27;[1mbold&#27;[22m"/>', 'bold'],
    ['a bare ]]>', '<failure>a ]]> b]]]>c</failure>', 'a ]]> b]]]>c'],
    [
      'CDATA with brackets',
      '<failure><![CDATA[a ]] > ] b]]]]><![CDATA[>c & <d>]]></failure>',
      'a ]] > ] b]]>c & <d>',
    ],
    ['a comment inside', '<failure>a<!-- & ]]> <testcase/> -->b</failure>', 'ab'],
    ['an instruction inside', '<failure>a<?php & echo ?>b</failure>', 'ab'],
    ['CR LF', '<failure>a\r\nb\rc</failure>', 'a\nb\nc'],
    ['CR LF in CDATA', '<failure><![CDATA[a\r\n\r\nb\r]]>\r\nc</failure>', 'a\n\nb\n\nc'],
    ['letters beyond the first plane', '<failure>🙂<![CDATA[🙂]]></failure>', '🙂🙂'],
    ['message and text', '<failure message="no">at x:1</failure>', 'no\nat x:1'],
    [
      'the message again in the text',
      '<failure message="no">Error: no\n at x:1</failure>',
      'Error: no\n at x:1',
    ],
    ['only a type', '<failure type="AssertionError"/>', 'AssertionError'],
    ['two failures', '<failure message="a"/><error message="b"/>', 'a\n\nb'],
  ];

  test.each(messages)('in a message: %s', async (_title, inside, message) => {
    for (const chunk of [undefined, 1, 5]) {
      const { cases } = await readContent(
        suite(`<testcase name="a">${inside}</testcase>`),
        chunk ? { chunk } : {},
      );
      expect(cases[0]).toEqual({
        suites: ['s'],
        name: 'a',
        status: 'failed',
        attempts: [{ status: 'failed', message }],
      });
    }
  });

  test('of a long text the head or the tail is kept', async () => {
    const long = `<failure><![CDATA[start ${'x'.repeat(300_000)} end]]></failure>`;
    const printed = `<system-out>start ${'y &amp; '.repeat(60_000)} [[ATTACHMENT|a.png]] end</system-out>`;
    const { cases } = await readContent(suite(`<testcase name="a">${long}${printed}</testcase>`));
    expect(cases[0]?.attempts[0]?.message).toHaveLength(messageLimit);
    expect(cases[0]?.attempts[0]?.message).toStartWith('start xxx');
    expect(cases[0]?.output?.length).toBeWithin(outputLimit - 30, outputLimit);
    expect(cases[0]?.output).toEndWith('y & y &   end');
    expect(cases[0]?.attachments).toEqual(['a.png']);
  });

  test('the attachments that an output names are found wherever its chunks end', async () => {
    const named = '[x [[ATTACHMENT|a.png]] [[other [[ATTACHMENT|b.png]]';
    const content = suite(`<testcase name="a"><system-out>${named}</system-out></testcase>`);
    for (const chunk of [1, 2, 3, 5]) {
      const { cases } = await readContent(content, { chunk });
      expect(cases[0]?.attachments).toEqual(['a.png', 'b.png']);
    }
  });

  test('a fault after a long line of text is found in its column', async () => {
    const content = suite(`<testcase><system-out>${'x'.repeat(200_000)}</system-out></wrong>`);
    expect(await refusalOf(content)).toContain(`line 1, column ${content.indexOf('</wrong>') + 8}`);
  });
});
