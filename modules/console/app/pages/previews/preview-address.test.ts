import { expect, test } from 'bun:test';
import { previewIdOf } from '../../../../../sdk/cta/preview.ts';
import { previewAddress } from './preview-address.ts';

test.each([
  ['https://shop.example', 'spring', 'https://shop.example?trivet-preview=spring'],
  [
    'https://shop.example/home?lang=de',
    'a b&c',
    'https://shop.example/home?lang=de&trivet-preview=a%20b%26c',
  ],
  ['https://shop.example/#cart', 'spring', 'https://shop.example/?trivet-preview=spring#cart'],
  [' shop://open ', 'spring', 'shop://open?trivet-preview=spring'],
])('%s with %s: the link that the SDK reads', (app, id, link) => {
  expect(previewAddress(app, id)).toBe(link);
  expect(previewIdOf(link)).toBe(id);
});
