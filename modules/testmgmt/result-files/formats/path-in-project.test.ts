import { expect, test } from 'bun:test';
import { pathInProject } from './path-in-project.ts';

test.each([
  ['/home/runner/work/shop/shop/src/cart.test.ts', 'src/cart.test.ts'],
  ['/home/runner/work/shop/shop/packages/cart/src/cart.test.ts', 'packages/cart/src/cart.test.ts'],
  ['C:\\agent\\shop\\tests\\cart.test.ts', 'tests/cart.test.ts'],
  ['/shop/cart.test.ts', 'cart.test.ts'],
  ['src/cart.test.ts', 'src/cart.test.ts'],
  ['./src/cart.test.ts', 'src/cart.test.ts'],
  ['cart.test.ts', 'cart.test.ts'],
  ['', ''],
])('%s', (path, inProject) => expect(pathInProject(path)).toBe(inProject));
