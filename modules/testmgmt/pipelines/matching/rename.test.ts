import { describe, expect, test } from 'bun:test';
import { similarityOfNames } from './name-similarity.ts';
import { offeredFrom, renamesOf, sureFrom, type RenameCandidate } from './rename.ts';

/** `suite > name[parameters]` as a candidate. */
function candidate(text: string): RenameCandidate & { text: string } {
  const at = text.lastIndexOf(' > ');
  const [, name = '', suffix = ''] = /^(.*?)(\[.*\])?$/.exec(at < 0 ? text : text.slice(at + 3)) ?? [];
  return { text, key: { suite: at < 0 ? '' : text.slice(0, at), name, suffix } };
}

function pairs(vanished: readonly string[], appeared: readonly string[]): readonly string[] {
  const work = renamesOf(vanished.map(candidate), appeared.map(candidate));
  for (;;) {
    const { done, value } = work.next();
    if (done) return value.map(({ from, to }) => `${from.text} → ${to.text}`).toSorted();
  }
}

describe('a name that changed', () => {
  test.each([
    ['adds an item to the cart', 'adds one item to the cart', true],
    ['adds an item', 'should add an item', true],
    ['testAddsAnItem', 'adds an item', true],
    ['test_adds_an_item', 'testAddsAnItem', true],
    ['rejects an expired card', 'refuses an expired card', true],
    ['pays by card', 'pays by card and sends a receipt', true],
    ['shows the total', 'shows the cart total', true],
    // Different tests, however similar the letters are.
    ['accepts 3 items', 'accepts 4 items', false],
    ['is allowed', 'is not allowed', false],
    ["doesn't lose a result", 'does lose a result', false],
    ['accepts a valid card', 'accepts an invalid card', false],
    ['returns 200', 'returns 404', false],
    ['pays by card', 'refunds by voucher', false],
    ['creates a user', 'deletes a user', false],
    ['creates a new user account', 'deletes a new user account', false],
    ['opens the menu of the page', 'closes the menu of the page', false],
    ['accepts two items at a time', 'accepts three items at a time', false],
    ['lists active users of a shop', 'lists inactive users of a shop', false],
    ['opens the first page', 'opens the second page', false],
    ['1. is allowed', '2. is not allowed', false],
    ['3 items are accepted', '4 items are accepted', false],
    ['a', 'b', false],
    ['', 'x', false],
  ])('%p and %p', (one, other, same) => {
    expect(similarityOfNames(one, other) >= offeredFrom).toBe(same);
    expect(similarityOfNames(other, one)).toBe(similarityOfNames(one, other));
  });
});

/** Other pairs are only offered: a person would look at the tests first. */
describe('a name of which nobody doubts that it is the same test', () => {
  test.each([
    ['adds an item to the cart', 'adds one item to the cart', true],
    ['rejects an expired card', 'refuses an expired card', true],
    ['deletes a user', 'removes a user', true],
    ['shows the total', 'displays the total', true],
    ['adds an item to the cart', 'adds an item to the basket', true],
    ['1. opens the shop', '2. opens the shop', true],
    ['01 - opens the shop', '12 - opens the shop', true],
    ['pays by card', 'pays by card and sends a receipt', true],
    ['removes an item', 'removes items', true],
    ['sorts by name', 'sorts by date', false],
    ['parses an empty string', 'parses an empty array', false],
    ['throws on null input', 'throws on undefined input', false],
    ['sends an email when an order ships late', 'sends an sms when an order ships late', false],
    ['sends the welcome email', 'validates the welcome email', false],
    ['returns the list of active users', 'returns the list of blocked users', false],
  ])('%p and %p', (one, other, sure) => {
    expect(similarityOfNames(one, other) >= sureFrom).toBe(sure);
    expect(similarityOfNames(other, one)).toBe(similarityOfNames(one, other));
  });
});

describe('what is offered', () => {
  test.each<[string, string[], string[], string[]]>([
    ['nothing vanished', [], ['a > adds an item'], []],
    ['nothing appeared', ['a > adds an item'], [], []],
    [
      'a new name in the same suite',
      ['cart > adds an item to the cart'],
      ['cart > adds one item to the cart'],
      ['cart > adds an item to the cart → cart > adds one item to the cart'],
    ],
    [
      'another file, with the same name',
      ['old.test.ts > adds an item'],
      ['new.test.ts > adds an item'],
      ['old.test.ts > adds an item → new.test.ts > adds an item'],
    ],
    ['one word is the name of many tests', ['cart > works'], ['user > works'], []],
    [
      'a suite with another name, also for short names',
      ['cart > works', 'cart > adds', 'cart > old one'],
      ['basket > works', 'basket > adds', 'basket > something else'],
      ['cart > adds → basket > adds', 'cart > works → basket > works'],
    ],
    [
      'two that could be it',
      ['cart > adds an item'],
      ['cart > adds an item twice', 'cart > adds an item again'],
      [],
    ],
    ['two that it could be', ['a > adds an item', 'b > adds an item'], ['c > adds an item'], []],
    [
      'a test that got its first parameters',
      ['math > adds numbers'],
      ['math > adds numbers[1-2]'],
      ['math > adds numbers → math > adds numbers[1-2]'],
    ],
    [
      'a test that got several sets of them: none of them alone is it',
      ['math > adds numbers'],
      ['math > adds numbers[1-2]', 'math > adds numbers[3-4]'],
      [],
    ],
    ['other parameters', ['math > adds numbers[1-2]'], ['math > adds numbers[1-3]'], []],
    ['a test that was split', ['pay > pays'], ['pay > pays by card', 'pay > pays by cash'], []],
    ['both the place and the name', ['cart > adds an item'], ['basket > puts one thing in'], []],
    [
      'two new names, each to its own',
      ['cart > adds an item to the cart', 'cart > removes an item from the cart'],
      ['cart > removes one item from the cart', 'cart > adds one item to the cart'],
      [
        'cart > adds an item to the cart → cart > adds one item to the cart',
        'cart > removes an item from the cart → cart > removes one item from the cart',
      ],
    ],
  ])('%s', (_title, vanished, appeared, expected) => {
    expect(pairs(vanished, appeared)).toEqual(expected.toSorted());
  });

  test('each key is in at most one pair, whatever is given', () => {
    const words = ['adds', 'removes', 'item', 'items', 'cart', 'the', 'pays', 'card'];
    let seed = 7;
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const name = () => Array.from({ length: 1 + next(4) }, () => words[next(words.length)]).join(' ');
    for (let round = 0; round < 50; round++) {
      const side = () => [...new Set(Array.from({ length: 40 }, () => `s${next(4)} > ${name()}`))];
      const [before, after] = [side(), side()];
      const [vanished, appeared] = [
        before.filter((one) => !after.includes(one)),
        after.filter((one) => !before.includes(one)),
      ];
      const found = pairs(vanished, appeared).map((pair) => pair.split(' → '));
      expect(new Set(found.map(([from]) => from)).size).toBe(found.length);
      expect(new Set(found.map(([, to]) => to)).size).toBe(found.length);
    }
  });
});
