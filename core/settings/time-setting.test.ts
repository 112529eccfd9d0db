import { expect, test } from 'bun:test';
import { resolveConfig } from './config.ts';
import type { SettingTable } from './settings.ts';
import { defaultText, shortKeeps } from './time-setting.ts';

const day = 86_400;
const table = {
  'audit-keep': {
    type: 'integer',
    unit: 'seconds kept',
    default: 400 * day,
    minimum: 0,
    maximum: 36_500 * day,
    description: '',
  },
  ttl: { type: 'integer', unit: 'seconds', default: 900, minimum: 60, maximum: day, description: '' },
  port: { type: 'integer', default: 8787, minimum: 0, maximum: 65_535, description: '' },
} as const satisfies SettingTable;
const valueOf = (name: keyof typeof table, text: string) =>
  resolveConfig(table, { argv: [`--${name}=${text}`], env: {} }).read(table)[name];

test.each<[text: string, seconds: number]>([
  ['400d', 400 * day],
  ['12h', 43_200],
  ['30m', 1_800],
  ['90s', 90],
  ['34560000', 34_560_000],
  ['0', 0],
])('a time: %s', (text, seconds) => expect(valueOf('audit-keep', text)).toBe(seconds));

test.each<[name: keyof typeof table, text: string, said: string]>([
  ['audit-keep', '400 d', 'from 0 to 3153600000 seconds, or a time such as 90s, 30m, 12h or 400d'],
  ['audit-keep', '1y', 'from 0 to 3153600000 seconds, or a time such as 90s, 30m, 12h or 400d'],
  ['audit-keep', '-1d', 'from 0 to 3153600000 seconds, or a time such as 90s, 30m, 12h or 400d'],
  ['audit-keep', '99999d', 'from 0 to 3153600000 seconds, or a time such as 90s, 30m, 12h or 400d'],
  ['ttl', '2d', 'from 60 to 86400 seconds, or a time such as 90s, 30m, 12h or 400d'],
  ['port', '1d', 'a whole number from 0 to 65535'],
])('no time: --%s %s', (name, text, said) =>
  expect(() => valueOf(name, text)).toThrow(`--${name} must be ${said}.`),
);

test('defaults are shown as they are written', () => {
  expect(Object.values(table).map(defaultText)).toEqual(['400d', '15m', '8787']);
});

/** @see `--audit-keep 400` was meant as days, as the documentation says "400 days", and the audit log was gone after seven minutes. */
test.each<[given: readonly string[], warned: readonly string[]]>([
  [[], []],
  [['--audit-keep=0'], []],
  [['--audit-keep=1d'], []],
  [
    ['--audit-keep=400'],
    ['--audit-keep is 400 seconds: what is older is deleted. If you meant days, write 400d.'],
  ],
  [['--ttl=60'], []],
])('%j warns of %j', (given, warned) =>
  expect(shortKeeps(table, resolveConfig(table, { argv: [...given], env: {} }).read(table))).toEqual(warned),
);
