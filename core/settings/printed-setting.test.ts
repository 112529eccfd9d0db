import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { temporaryDirectory } from '../../test/temporary.ts';
import { resolveConfig } from './config.ts';
import { describeSettings } from './printed-setting.ts';
import { coreSettings, type SettingTable } from './settings.ts';

const hooks = {
  hooks: { type: 'table', schema: Type.Record(Type.String(), Type.Unknown()), description: '' },
} as const satisfies SettingTable;
const table: SettingTable = { ...coreSettings, ...hooks };

describe('of a table, what a person must not read is masked', () => {
  test.each([
    ['secret', 'whsec_x', '***'],
    [
      'url',
      'https://ann:pa:ss@h.example/in?source=a&token=x#b',
      'https://ann:***@h.example/in?source=a&token=***#b',
    ],
    ['url', 'https://h.example:8443/@team/a:b', 'https://h.example:8443/@team/a:b'],
    ['url', 'HTTPS://h.example/?sig=x', 'HTTPS://h.example/?sig=***'],
    ['url', 'https://h.example/?access_token=x&a=1', 'https://h.example/?access_token=***&a=1'],
    ['url', 'https://h.example/?a=1&apiKey=x', 'https://h.example/?a=1&apiKey=***'],
    ['url', 'https://h.example/?X-Amz-Signature=x', 'https://h.example/?X-Amz-Signature=***'],
    ['url', 'https://h.example/?design=x&keys', 'https://h.example/?design=x&keys'],
    ['text', 'a: b@c?token=d', 'a: b@c?token=d'],
  ])('%s %s', (name, value, shown) => {
    const file = join(temporaryDirectory('printed'), 'trivet.toml');
    const lines = (text: string) =>
      `[hooks.build]\n${name} = ${JSON.stringify(text)}\nall = [${JSON.stringify(text)}]\n`;
    writeFileSync(file, lines(value), { mode: 0o600 });
    const [setting] = describeSettings(resolveConfig(table, { argv: ['--config', file], env: {} }), hooks);
    expect(setting?.value).toEqual({ build: { [name]: shown, all: [name === 'secret' ? value : shown] } });
  });
});
