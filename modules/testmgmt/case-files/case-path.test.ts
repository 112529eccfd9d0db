import { expect, test } from 'bun:test';
import { randomFrom } from '../../../test/verify/scale.ts';
import { pathOfSection, sectionOfPath } from './case-path.ts';

test.each<[readonly string[], string]>([
  [[], '_unsorted.test.md'],
  [['Checkout'], 'Checkout.test.md'],
  [['Checkout', 'Payment'], 'Checkout/Payment.test.md'],
  [['A/B', 'C:D'], 'A%2FB/C%3AD.test.md'],
  [['..'], '%2E%2E.test.md'],
  [['.hidden', 'x.'], '%2Ehidden/x%2E.test.md'],
  [['_unsorted'], '%5Funsorted.test.md'],
  [['100 %'], '100 %25.test.md'],
  [['con'], '%63on.test.md'],
  [['a%2Fb'], 'a%252Fb.test.md'],
  [['Ünïcode', 'логин'], 'Ünïcode/логин.test.md'],
  [['node_modules'], 'node_modules.test.md'],
  [['node_modules', 'x'], 'node_module%73/x.test.md'],
  [['A.test.md', 'x'], 'A.test.m%64/x.test.md'],
  [['a\u0085b'], 'a%C2%85b.test.md'],
  [['ж'.repeat(115)], `${'ж'.repeat(115)}.test.md`],
  [['ж'.repeat(120), 'x'], `${'ж'.repeat(114)}%/${'ж'.repeat(6)}/x.test.md`],
  [[`${'w'.repeat(229)}...`], `${'w'.repeat(229)}%/%2E.%2E.test.md`],
])('%p is %s', (section, path) => {
  expect(pathOfSection(section)).toBe(path);
  expect(sectionOfPath(path)).toEqual(section);
});

test('what ends with a percent sign and is short goes on nowhere', () => {
  expect(sectionOfPath('100%/x.test.md')).toEqual(['100%', 'x']);
});

/** @see Finding: a section with a control character from U+0080 on, below "node_modules", or with a long name was in no file, or in one of another section. */
test('a section is that of its file, whatever its name is, and no part is too long (2,000 random ones)', () => {
  const random = randomFrom(20_261_127);
  const pieces = [
    'a',
    ' ',
    '.',
    '_',
    '%',
    '/',
    '\\',
    'con',
    'node_modules',
    '.test.md',
    '\u0085',
    '\u2028',
    'ж',
    '👩‍👧',
    '\u0301',
  ];
  for (let n = 0; n < 2_000; n++) {
    const name = () =>
      Array.from({ length: 1 + random.below(3) }, () =>
        random.pick(pieces).repeat(random.pick([1, 1, 2, 90])),
      )
        .join('')
        .trim()
        .slice(0, 255)
        .toWellFormed()
        .trim();
    const section = Array.from({ length: 1 + random.below(3) }, name).filter((one) => one !== '');
    const path = pathOfSection(section);
    expect({ path, section: sectionOfPath(path) }).toEqual({ path, section });
    const parts = path.split('/');
    expect(
      parts.filter((part) => Buffer.byteLength(part) > 238 || /^[.\s]|^node_modules$/.test(part)),
    ).toEqual([]);
    expect(parts.slice(0, -1).filter((part) => part.endsWith('.test.md'))).toEqual([]);
  }
});
