import { expect, test } from 'bun:test';
import type { Db, Query } from '../db/query/db.ts';
import { auditWrites, idsOf, idsOfCreated, newWriteMark, writeIdOf } from './audited-write.ts';

const thousand = Array.from({ length: 1_000 }, (_, n) => n + 1);

const cases: ReadonlyArray<readonly [string, unknown, object]> = [
  ['single ids', { projectId: 1, runId: 2, testName: 'x' }, { projectId: 1, runId: 2 }],
  ['a row', { id: 7, orgId: 1, name: 'x', createdBy: 3 }, { id: 7, orgId: 1 }],
  ['a list of ids', { testIds: [1, 2] }, { testIds: [1, 2] }],
  ['a long list of ids', { testIds: thousand }, { testIds: thousand.slice(0, 20), testIdsCount: 1_000 }],
  ['records in a list', { results: [{ testId: 4, comment: 'secret' }] }, { testIds: [4] }],
  [
    'many records in a list',
    { tests: thousand.map((testId) => ({ testId })) },
    { testIds: thousand.slice(0, 20), testIdsCount: 1_000 },
  ],
  [
    'texts that are ids',
    { ctaId: 'spring-sale', userIds: ['9007199254740993'] },
    { ctaId: 'spring-sale', userIds: ['9007199254740993'] },
  ],
  ['what people typed', { id: 'Ann Smith', ctaId: 'ann@example.org', userId: 'x'.repeat(65) }, {}],
  ['words that only end alike', { valid: 1, paid: 2, grid: 'x', isValid: true }, {}],
  ['nothing', null, {}],
  ['an empty list', { testIds: [], tests: [] }, {}],
  ['ids that are none', { testId: null, runId: 1.5, testIds: [null, {}] }, {}],
];

test.each(cases)('%s', (_, value, ids) => expect(idsOf(value)).toEqual(ids as never));

const mark = newWriteMark((length) => new Uint8Array(length).fill(1));

/** A database that runs a transaction twice, as PostgreSQL does after a serialization failure. */
const twice = {
  tx: async (work: (q: Query) => Promise<unknown>) => {
    await work({} as Query);
    return work({} as Query);
  },
} as unknown as Db;

test('each attempt of the first transaction stores the entry, later transactions none', async () => {
  const entries: unknown[] = [];
  const db = auditWrites(twice, async (_, value) => void entries.push(value), mark);
  expect(await db.tx(async () => 'first')).toBe('first');
  expect(entries).toEqual(['first', 'first']);
  await db.tx(async () => 'second');
  expect(entries).toEqual(['first', 'first']);
});

test('a transaction that is refused leaves the entry to the next one', async () => {
  const entries: unknown[] = [];
  const db = auditWrites(twice, async (_, value) => void entries.push(value), mark);
  await db.tx(() => Promise.reject(new Error('no'))).catch(() => {});
  expect(entries).toEqual([]);
  await db.tx(async () => 'done');
  expect(entries).toEqual(['done', 'done']);
});

test('a store finds the id of its write in every transaction of the call, and nowhere else', async () => {
  let drawn = 0;
  const own = newWriteMark((length) => new Uint8Array(length).fill(++drawn));
  const db = auditWrites(twice, async () => {}, own);
  await db.tx(async () => 'without');
  expect(own.used()).toBeNull();
  const ids: unknown[] = [];
  for (const _ of [1, 2]) await db.tx(async (q) => void ids.push(writeIdOf(q)));
  expect(new Set(ids)).toEqual(new Set([0x010101010101]));
  expect(own.used()).toBe(0x010101010101);
  expect(writeIdOf({} as Query)).toBeNull();
});

test('what was made is found under its name', () => {
  expect(idsOfCreated({ cta: { id: 'a', tenantId: 'default' }, cohorts: ['x'] })).toEqual({ ctaId: 'a' });
  expect(idsOfCreated({ id: 7, orgId: 1 })).toEqual({ id: 7, orgId: 1 });
});
