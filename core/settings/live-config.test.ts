import { expect, test } from 'bun:test';
import { resolveConfig } from './config.ts';
import { liveConfig } from './live-config.ts';
import { reloadPlan } from './reload-plan.ts';
import { coreSettings } from './settings.ts';

const given = (...argv: string[]) => resolveConfig(coreSettings, { argv, env: {} });

test.each<[what: string, before: string[], next: string[], changed: string[], needsRestart: string[]]>([
  ['nothing', ['--port', '1'], ['--port', '1'], [], []],
  ['one that a server takes', [], ['--log-level', 'debug'], ['log-level'], []],
  ['one back to its default', ['--rate-tools', '5'], [], ['rate-tools'], []],
  [
    'a list',
    ['--cors-origin', 'http://a,http://b'],
    ['--cors-origin', 'http://b,http://a'],
    ['cors-origin'],
    [],
  ],
  [
    'the same list',
    ['--cors-origin', 'http://a,http://b'],
    ['--cors-origin', 'http://a', '--cors-origin', 'http://b'],
    [],
    [],
  ],
  [
    'both kinds',
    ['--port', '1'],
    ['--port', '2', '--access-log', '--rate-tools', '7'],
    ['access-log', 'rate-tools'],
    ['port'],
  ],
])('a new configuration changes %s', (_what, before, next, changed, needsRestart) => {
  expect(reloadPlan(coreSettings, given(...before), given(...next))).toEqual({ changed, needsRestart });
});

test('what was taken is seen by everybody, and nothing else changes', () => {
  const live = liveConfig(given('--port', '1', '--rate-tools', '5'));
  const { config } = live;
  let rate = 0;
  config.follow(coreSettings, 'rate-tools')((value) => (rate = value));
  const own = config.with({ data: '/elsewhere' });
  expect([rate, config.read(coreSettings).port]).toEqual([5, 1]);
  const next = given('--port', '2', '--rate-tools', '9', '--log-level', 'warn');
  live.take(next, ['rate-tools', 'log-level']);
  expect(rate).toBe(9);
  expect(config.read(coreSettings)).toMatchObject({ port: 1, 'rate-tools': 9, 'log-level': 'warn' });
  expect(config.read({ port: coreSettings.port })).toEqual({ port: 1 });
  expect(own.read(coreSettings)).toMatchObject({ data: '/elsewhere', 'rate-tools': 9 });
  expect([config.sourceOf('log-level'), config.sourceOf('port')]).toEqual(['--log-level', '--port']);
  // What was not taken is a difference again.
  expect(reloadPlan(coreSettings, config, next)).toEqual({ changed: [], needsRestart: ['port'] });
  live.take(given('--port', '1'), ['rate-tools']);
  expect([rate, config.read(coreSettings)['log-level']]).toEqual([6_000, 'warn']);
});
