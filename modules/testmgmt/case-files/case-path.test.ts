import { expect, test } from 'bun:test';
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
])('%p is %s', (section, path) => {
  expect(pathOfSection(section)).toBe(path);
  expect(sectionOfPath(path)).toEqual(section);
});
