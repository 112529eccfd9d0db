import { expect, test } from 'bun:test';
import { readableText } from './readable-text.ts';

test.each([
  ['plain < text & more', 'plain < text & more'],
  ['a &amp; b', 'a &amp; b'],
  ['<p>One</p>\n\n<p>Two&nbsp;&quot;x&quot;</p>\n', 'One\n\nTwo "x"'],
  ['a<br/>b<br>c', 'a\nb\nc'],
  ['<ol>\n<li>First</li>\n<li>Second</li></ol>', '- First\n\n- Second'],
  ['<p>&lt;b&gt; &#39;&#x1F642;&unknown;</p>', "<b> '🙂&unknown;"],
  ['if a<b and c>d', 'if a<b and c>d'],
])('%p', (html, text) => expect(readableText(html)).toBe(text));

test('the worst text is read in linear time, and a longer one is not read', () => {
  for (const part of ['<', '<a ', '<p>&amp;', '&#1', '<a='] as const) {
    const text = `<p>${part.repeat(99_000 / part.length)}`;
    const before = performance.now();
    readableText(text);
    expect(performance.now() - before).toBeLessThan(500);
  }
  const long = '<p>'.repeat(100_000);
  expect(readableText(long)).toBe(long);
});
