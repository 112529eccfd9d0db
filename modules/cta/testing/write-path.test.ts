import { Glob } from 'bun';
import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stillClock } from '../../../test/kernel.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { emptyRule, startCtaKernel } from './cta-kernel.ts';
import { twoArms } from './sound-rule.ts';

/*
 * A write that raises no version, or forgets no catalogue, serves stale launches. Every writing tool is called here: afterwards the
 * catalogue of this process equals the stored one, and it is newer unless the tool is named in `besideCatalogue`.
 */
const clock = stillClock();
const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());

/** Tools that write data that no catalogue contains, each with the reason. */
const besideCatalogue: Readonly<Record<string, string>> = {
  'create-tenant': 'a new tenant has no catalogue yet',
  'add-cohort-users': 'a launch reads the members of lists from the database',
  'remove-cohort-users': 'as add-cohort-users',
  'set-user-attributes': 'a launch reads the attributes of its user from the database',
  'purge-cta-user': 'states, attributes and members are read by each launch',
  'define-cta-goal': 'no launch reads goals',
  'delete-cta-goal': 'as define-cta-goal',
  'create-nudge-preview': 'previews are read by each request',
  'update-nudge-preview': 'as create-nudge-preview',
  'delete-nudge-preview': 'as create-nudge-preview',
};

const userIds = ['1'];
/** In an order in which each call finds its prerequisites. */
const writes: ReadonlyArray<readonly [tool: string, input: object]> = [
  ['create-cta', { name: 'a', rule: emptyRule }],
  ['update-cta', { ctaId: '1', version: 1, name: 'b' }],
  ['revert-cta', { ctaId: '1', version: 2, toVersion: 1 }],
  ['update-cta', { ctaId: '1', version: 3, experiment: twoArms }],
  ['start-experiment', { ctaId: '1' }],
  ['stop-experiment', { ctaId: '1', ship: 'b' }],
  ['create-holdout', { name: 'h', percentage: 5, seed: 's' }],
  ['delete-holdout', { name: 'h' }],
  ['set-delivery-limits', { global: { perDay: 3 } }],
  ['clone-cta', { ctaId: '1' }],
  ['create-behaviour-tag', { behaviourTagName: 't' }],
  ['update-behaviour-tag', { behaviourTagName: 't', version: 1, exposureRule: {} }],
  ['link-behaviour-tag', { behaviourTagName: 't', ctaIds: ['1'] }],
  ['set-cta-status', { ctaId: '1', status: 'LIVE' }],
  ['set-cta-kill-switch', { killed: true }],
  ['set-cta-kill-switch', { killed: true, behaviourTagName: 't' }],
  ['set-cta-status', { ctaId: '1', status: 'PAUSED' }],
  ['unlink-behaviour-tag', { ctaIds: ['1'] }],
  ['delete-behaviour-tag', { behaviourTagName: 't' }],
  ['create-cohort', { cohortName: 'c', kind: 'list' }],
  ['update-cohort', { cohortName: 'c', description: 'd' }],
  ['add-cohort-users', { cohortName: 'c', userIds }],
  ['remove-cohort-users', { cohortName: 'c', userIds }],
  ['delete-cohort', { cohortName: 'c' }],
  ['set-user-attributes', { users: [{ userId: '1', attributes: { city: 'Rome' } }] }],
  ['define-cta-goal', { ctaId: '1', name: 'g', on: { state: '1' } }],
  ['delete-cta-goal', { ctaId: '1', name: 'g' }],
  ['purge-cta-user', { userId: '1' }],
  ['create-nudge-preview', { id: 'p', template: 'x' }],
  ['update-nudge-preview', { id: 'p', template: 'y' }],
  ['delete-nudge-preview', { id: 'p' }],
  ['create-tenant', { tenantId: 'new' }],
];

test('every writing tool of the module is called here', () => {
  const writing = [...trivet.kernel.operations.values()]
    .filter(({ toolset, effect }) => toolset === 'cta' && effect !== 'read')
    .map(({ name }) => name);
  expect([...new Set(writes.map(([tool]) => tool))].sort()).toEqual(writing.sort());
});

test('each raises the version and forgets the catalogue, or writes beside it', async () => {
  const { host } = trivet.kernel;
  const held = async () => (await catalogues(host).of('default')).version;
  const stored = async () => (await trivet.tenant('default'))?.version ?? 0;
  for (const [tool, input] of writes) {
    const before = await held();
    await trivet.call(tool, input);
    const after = await held();
    expect([tool, after]).toEqual([tool, await stored()]);
    expect([tool, after > before]).toEqual([tool, besideCatalogue[tool] === undefined]);
  }
});

test('only tenants/ raises versions and forgets catalogues', () => {
  const root = join(import.meta.dir, '..');
  const wrong = [...new Glob('**/*.ts').scanSync(root)].filter(
    (file) =>
      !/\.test\.ts$|^testing\/|^tenants\//.test(file) &&
      /\braiseVersion\b|\)\.forget\(/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(wrong, 'Use changeTenant or changeTenants of tenants/tenant-change.ts.').toEqual([]);
});
