import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../core/base/version.ts';
import { releasedVersions } from '../test/upgrade/released.ts';
import { root } from './checkout.ts';

/*
 * The number of this version, by which an operator distinguishes versions before and after an upgrade.
 *
 * Mutation note: seen to fail with the number of the released version, 0.1.0, and with one that stands in package.json alone.
 */
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

test('is none that was released before', () => {
  expect(releasedVersions).not.toContain(version);
});

test.each([
  ['package-lock.json', /^ {2}"version": "(.+)"/m],
  ['package-lock.json', /"packages": \{\s+"": \{\s+"name": "trivet",\s+"version": "(.+)"/],
  ['sdk/package.json', /"version": "(.+)"/],
  ['CHANGELOG.md', /^## (.+)$/m],
  ['docs/quick-start.md', /"version":"([^"]+)"/],
  ['docs/plugins.md', /this Trivet (\S+) has kit/],
  ['docs/releases.md', /example\.org\/trivet\/(\S+)/],
  ['examples/compose/compose.yaml', /trivet:(\d[^}]+)\}/],
  ['examples/kubernetes/sqlite.yaml', /trivet:(\d\S+)/],
  ['examples/kubernetes/postgres.yaml', /trivet:(\d\S+)/],
  ['examples/kubernetes/chart/Chart.yaml', /^version: (\S+)$/m],
  ['examples/kubernetes/chart/Chart.yaml', /^appVersion: '(\S+)'$/m],
])('%s names it', (path, pattern) => {
  expect(pattern.exec(textOf(path))?.[1]).toBe(version);
});
