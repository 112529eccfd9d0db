import { expect, test } from 'bun:test';
import { claimsOfText, textOfClaims } from './claims-text.ts';

const cases: ReadonlyArray<readonly [string, object | RegExp]> = [
  ['', {}],
  ['  \n', {}],
  ['{}', {}],
  ['{"plan": "pro", "seats": 5}', { plan: 'pro', seats: 5 }],
  ['{plan: "pro"}', /not JSON/],
  ['[1]', /are an object/],
  ['"x"', /are an object/],
  ['null', /are an object/],
];
test.each(cases)('%p', (text, expected) => {
  const read = claimsOfText(text);
  if (expected instanceof RegExp) expect('mistake' in read ? read.mistake : '').toMatch(expected);
  else expect(read).toEqual({ claims: expected as Record<string, unknown> });
});

test('what is shown can be typed again', () => {
  for (const claims of [{}, { plan: 'pro', limits: { seats: 5 } }])
    expect(claimsOfText(textOfClaims(claims))).toEqual({ claims });
});
