import { expect, test } from 'bun:test';
import { isAddress } from '../base/mail-address.ts';
import { recipientOf } from './letter-address.ts';
import { letterHeaders, oneLine, writtenLetter } from './letter-text.ts';

const content = {
  to: 'ann@example.org',
  subject: 'Run <b>7</b>\r\nBcc: all@example.org',
  text: ['A <script>alert(1)</script> & more\nof it'],
  items: ['"quoted" \u202egnp.exe', 'second\u0007'],
  link: { name: 'Open it', url: 'https://trivet.example/x?a=1&b="2"' },
  reason: "You follow <i>O'Neill</i>.",
};

test('a letter says the same as text and as HTML, and every word of a stranger is escaped', () => {
  const { subject, text, html } = writtenLetter(content, 'https://trivet.example/letters/end?t=1&x=2');
  expect(subject).toBe('Run <b>7</b>  Bcc: all@example.org');
  expect(text).toBe(`A <script>alert(1)</script> & more of it

- "quoted"  gnp.exe
- second

Open it:
https://trivet.example/x?a=1&b="2"

-- 
You follow <i>O'Neill</i>.
No more letters of this kind: https://trivet.example/letters/end?t=1&x=2
`);
  expect(html).toContain('<p>A &lt;script&gt;alert(1)&lt;/script&gt; &amp; more of it</p>');
  expect(html).toContain('<li>&quot;quoted&quot;  gnp.exe</li><li>second</li>');
  expect(html).toContain('href="https://trivet.example/x?a=1&amp;b=&quot;2&quot;"');
  expect(html).toContain('href="https://trivet.example/letters/end?t=1&amp;x=2"');
  // Nothing is loaded when a letter is opened.
  expect(html).not.toMatch(/<img|<link|url\(|src=|<script/);
});

test.each([
  ['a line that fits', 20, 'a line that fits'],
  ['a line\nthat does not', 10, 'a line th…'],
  ['in an emoji 🎉🎉', 14, 'in an emoji …'],
  ['after an emoji 🎉🎉', 18, 'after an emoji 🎉…'],
])('%j is cut to %p characters as %j', (text, most, line) => {
  expect(oneLine(text, most)).toBe(line);
});

test('a letter without a link to end it has neither the line nor the headers', () => {
  const { text, html } = writtenLetter({ ...content, items: [] }, null);
  expect(text).not.toContain('No more letters');
  expect(html).not.toContain('<ul>');
  expect(letterHeaders('backup-failing', null)).not.toHaveProperty('List-Unsubscribe');
  expect(letterHeaders('invitation', 'https://trivet.example/e')).toMatchObject({
    'Auto-Submitted': 'auto-generated',
    'List-Unsubscribe': '<https://trivet.example/e>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
});

test('a long name is cut', () => {
  expect(oneLine('x'.repeat(400))).toHaveLength(300);
});

test.each([
  ['ann@example.org', true],
  ["o'neill+tests@example.org", true],
  ['ann@bücher.example', true],
  ['ann', false],
  ['ann@', false],
  ['a b@example.org', false],
  ['ann@example.org, bob@example.org', false],
  ['ann@example.org\r\nbcc: x', false],
  ['"ann"@example.org', false],
  ['Ann <ann@example.org>', false],
  [`${'x'.repeat(65)}@example.org`, false],
])('%s is an address: %p', (text, isOne) => {
  expect(isAddress(text)).toBe(isOne);
});

test('a recipient is stored as an id, or as a hash that ignores the case', () => {
  expect(recipientOf({ userId: 7 })).toBe('user:7');
  expect(recipientOf({ address: 'Ann@Example.org' })).toBe(recipientOf({ address: 'ann@example.org' }));
  expect(recipientOf({ address: 'ann@example.org' })).toMatch(/^address:[0-9a-f]{64}$/);
});
