import { describe, expect, test } from 'bun:test';
import { dayAhead, fileNameHeader, linkOf, newIssueOf, requirementQuery, sizeText } from './link-text.ts';

test.each([
  ['defect', ' SHOP-7 ', { kind: 'defect', key: 'SHOP-7' }],
  ['reference', 'HTTPS://wiki.example/1', { kind: 'reference', url: 'HTTPS://wiki.example/1' }],
  ['defect', '  ', undefined],
  ['other', 'SHOP-7', undefined],
])('%s %p', (kind, text, link) => expect(linkOf(kind, text)).toEqual(link as never));

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1_600_000, '1.5 MiB'],
  [150 * 1024, '150 KiB'],
  [5 * 1024 ** 4, '5120 GiB'],
])('%d bytes are %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));

test.each([
  ['SHOP-1', 'req:"SHOP-1"'],
  ['a "b" \\c', String.raw`req:"a \"b\" \\c"`],
])('%s is found by %s', (key, query) => expect(requirementQuery(key)).toBe(query));

test('names and days', () => {
  expect(fileNameHeader('naïve (1).png')).toBe("UTF-8''na%C3%AFve%20(1).png");
  expect(dayAhead(Date.parse('2026-11-24T23:00:00Z'), 14)).toBe('2026-12-08');
});

describe('a new issue', () => {
  const failed = { testName: 'Pay', runName: 'CI #1', message: 'no', address: 'https://trivet.example/1' };
  const template = { prefix: 'SHOP-', url: 'https://jira.example/{key}' };

  test('has the test, its message, the run and the way back', () => {
    const newIssueUrl = 'https://jira.example/new?t={title}&d={body}';
    expect(newIssueOf([{ ...template, newIssueUrl }], failed)).toBe(
      `https://jira.example/new?t=Pay%20fails&d=${encodeURIComponent('no\n\nRun: CI #1\n\nhttps://trivet.example/1')}`,
    );
  });

  test('needs a template for it', () => expect(newIssueOf([template], failed)).toBeUndefined());
});
