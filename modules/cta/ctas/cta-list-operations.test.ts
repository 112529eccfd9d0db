import { afterAll, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';

const clock = stillClock();
const now = clock.now();
const tenantId = freshTenant();
const ids: Record<string, string> = {};

const trivet = await startCtaKernel(clock);
await trivet.call('create-behaviour-tag', { tenantId, behaviourTagName: 'shop' });
const make = async (name: string, fields: object, ...statuses: string[]) => {
  ids[name] = await trivet.makeCta({ tenantId, name, ...fields }, ...statuses);
};
await make('Sale 100%', { team: 'growth', tags: ['spring', 'sale'] });
await make('sale_two', { team: 'growth', description: 'For SPRING, ÜBERGRÖßEN' }, 'LIVE');
await make('Other', { team: 'core', tags: ['Spring'], behaviourTagName: 'shop' }, 'LIVE');
await make('Quote "x"', { tags: ['say "hi"', 'a\\b'] }, 'LIVE', 'PAUSED');
await make('Ending', { endTime: now + 10, tags: ['ing'] }, 'LIVE');
await make('Coming', { startTime: now + 20 }, 'SCHEDULED');
afterAll(() => trivet.stop());

const list = async (asked: object) => {
  const answer = await trivet.call('list-ctas', { tenantId, ...asked });
  return answer as { total: number; ctas: { name: string }[]; counts: Record<string, number> };
};

test.each<[string, object, string[]]>([
  ['a team', { team: 'growth' }, ['Sale 100%', 'sale_two']],
  ['a tag, capital or not', { tag: 'SPRING' }, ['Sale 100%', 'Other']],
  ['a tag as a whole, not a part of one', { tag: 'in' }, []],
  ['a tag with quotes', { tag: 'say "hi"' }, ['Quote "x"']],
  ['a tag with a backslash', { tag: 'a\\b' }, ['Quote "x"']],
  ['not what stands between two tags', { tag: 'spring","sale' }, []],
  ['a part of the name', { search: 'SALE' }, ['Sale 100%', 'sale_two']],
  ['a part of the description', { search: 'for spring' }, ['sale_two']],
  ['a sign that LIKE knows', { search: '0%' }, ['Sale 100%']],
  ['another one', { search: 'e_t' }, ['sale_two']],
  ['and no wildcard', { search: 's_le' }, []],
  ['a quote', { search: '"x"' }, ['Quote "x"']],
  ['a letter beyond ASCII, capital or not', { search: 'übergröße' }, ['sale_two']],
  ['a behaviour tag', { behaviourTagName: 'shop' }, ['Other']],
  ['several filters', { team: 'growth', search: 'sale', status: 'LIVE' }, ['sale_two']],
  ['a status', { status: 'PAUSED' }, ['Quote "x"']],
])('by %s', async (_, asked, names) => {
  const { total, ctas } = await list(asked);
  expect(ctas.map(({ name }) => name)).toEqual(names);
  expect(total).toBe(names.length);
});

test('counts by status go with the other filters, follow the clock, and do not depend on the page', async () => {
  const all = { DRAFT: 1, SCHEDULED: 1, LIVE: 3, PAUSED: 1, CONCLUDED: 0, TERMINATED: 0 };
  expect((await list({ limit: 1 })).counts).toEqual(all);
  expect(await list({ status: 'LIVE', limit: 1 })).toMatchObject({ total: 3, counts: all });
  expect((await list({ team: 'growth' })).counts).toEqual({ ...all, SCHEDULED: 0, LIVE: 1, PAUSED: 0 });
  clock.set(now + 10);
  expect((await list({})).counts).toEqual({ ...all, LIVE: 2, CONCLUDED: 1 });
  clock.set(now + 20);
  expect((await list({})).counts).toEqual({ ...all, LIVE: 3, SCHEDULED: 0, CONCLUDED: 1 });
  clock.set(now);
});
