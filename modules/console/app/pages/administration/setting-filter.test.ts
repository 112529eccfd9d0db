import { describe, expect, test } from 'bun:test';
import { effectText, foundSettings, remedyText, valueText, type Setting } from './setting-filter.ts';

const setting = (name: string, rest: Partial<Setting> = {}): Setting => ({
  name,
  value: null,
  origin: 'not set',
  source: 'not set',
  fixed: false,
  reload: false,
  description: '',
  ...rest,
});
const settings = [
  setting('port', { value: 4321, origin: 'flag', source: '--port', description: 'Port to listen on.' }),
  setting('data', { value: '/srv', description: 'Data directory' }),
];

describe('a search', () => {
  test.each([
    ['', ['port', 'data']],
    ['  PORT ', ['port']],
    ['listen 4321', ['port']],
    ['listen srv', []],
    ['.*', []],
  ])('%p', (search, names) => expect(foundSettings(settings, search).map(({ name }) => name)).toEqual(names));
});

test.each([
  [null, 'not set'],
  ['', ''],
  [['a', 1], '["a",1]'],
  [false, 'false'],
])('the value %p is %p', (value, text) => expect(valueText(value)).toBe(text));

test.each([
  ['flag', '--port', '--port with which'],
  ['environment', 'TRIVET_PORT', 'variable TRIVET_PORT'],
  ['file', 'trivet.toml: port', 'trivet.toml: port'],
  ['default', 'default', '--port, TRIVET_PORT or "port"'],
] as const)('a value from %p is changed there', (origin, source, text) =>
  expect(remedyText({ name: 'port', origin, source })).toContain(text),
);

test.each([
  ['file', true, 'Then run "trivet reload"'],
  ['default', true, 'In the file it takes effect with "trivet reload"'],
  ['file', false, 'Then restart the server.'],
  ['flag', false, 'Then restart the server.'],
] as const)('a value from %p, with reload %p, takes effect', (origin, reload, text) =>
  expect(effectText({ origin, reload })).toStartWith(text),
);
