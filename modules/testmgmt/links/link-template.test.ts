import { describe, expect, test } from 'bun:test';
import {
  addressOfKey,
  keyOfAddress,
  mistakeInTemplates,
  newIssueAddress,
  webAddress,
} from './link-template.ts';

const jira = { prefix: 'SHOP-', url: 'https://jira.example/browse/{key}' };
const api = { prefix: 'SHOP-API-', url: 'https://api.example/?issue={key}&view=full' };

test.each([
  ['SHOP-12', 'https://jira.example/browse/SHOP-12'],
  ['shop-12', 'https://jira.example/browse/shop-12'],
  ['SHOP-API-7', 'https://api.example/?issue=SHOP-API-7&view=full'],
  ['SHOP-1/../../x?y#z', 'https://jira.example/browse/SHOP-1%2F..%2F..%2Fx%3Fy%23z'],
  ['SHOP-\ud800', 'https://jira.example/browse/SHOP-%EF%BF%BD'],
  ['BUG-1', null],
  ['https://other.example/1', 'https://other.example/1'],
  ['javascript:alert(1)', null],
])('%s leads to %p', (key, url) => {
  expect(addressOfKey([jira, api], key)).toBe(url);
});

test.each([
  ['https://jira.example/browse/SHOP-12', 'SHOP-12'],
  ['https://api.example/?issue=SHOP-API-7&view=full', 'SHOP-API-7'],
  ['https://jira.example/browse/OTHER-1', 'https://jira.example/browse/OTHER-1'],
  ['https://jira.example/browse/SHOP-1/comments', 'https://jira.example/browse/SHOP-1/comments'],
  ['https://jira.example/browse/SHOP-%ZZ', 'SHOP-%ZZ'],
  ['https://elsewhere.example/SHOP-12', 'https://elsewhere.example/SHOP-12'],
])('%s has the key %s', (url, key) => {
  expect(keyOfAddress([jira, api], url)).toBe(key);
});

test.each([
  [[jira, api], undefined],
  [[jira, { ...jira, prefix: 'shop-' }], /twice/],
  [[{ ...jira, url: 'https://jira.example/' }], /does not contain/],
  [[{ ...jira, url: 'javascript:alert({key})' }], /not an http/],
  [[{ ...jira, url: 'https://{key}.example/' }], /not an http/],
  [[{ ...jira, url: 'https://jira.example{key}/' }], /not an http/],
  [[{ ...jira, url: 'https://user:pass@jira.example/{key}' }], /not an http/],
  [[{ ...jira, newIssueUrl: 'data:text/html,{body}' }], /newIssueUrl/],
  [[{ ...jira, newIssueUrl: 'https://jira.example/new?t={title}' }], undefined],
] as const)('templates %#', (templates, mistake) => {
  const found = mistakeInTemplates(templates);
  if (mistake === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(mistake);
});

test.each(['ftp://a.example/', 'a.example', '//a.example', 'https://', 'vbscript:x', 'file:///etc/passwd'])(
  '%s is no address',
  (text) => {
    expect(webAddress(text)).toBeUndefined();
  },
);

describe('a new issue', () => {
  const templates = [
    jira,
    { ...api, newIssueUrl: 'https://jira.example/new?summary={title}&description={body}' },
  ];

  test('has title and text, encoded', () => {
    expect(newIssueAddress(templates, { title: 'a & b', body: 'line 1\n{title}' })).toBe(
      'https://jira.example/new?summary=a%20%26%20b&description=line%201%0A%7Btitle%7D',
    );
  });

  test('is cut where an address would be too long', () => {
    const long =
      newIssueAddress(templates, { title: '🙂'.repeat(10_000), body: 'ü\n'.repeat(100_000) }) ?? '';
    expect(long.length).toBeLessThanOrEqual(7_100);
    expect(decodeURIComponent(long)).not.toContain('\ufffd\ufffd');
  });

  test('needs a template', () => {
    expect(newIssueAddress([jira], { title: 'a', body: 'b' })).toBeUndefined();
  });
});
