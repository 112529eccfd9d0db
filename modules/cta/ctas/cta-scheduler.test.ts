import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import { systemClock } from '../../../core/base/clock.ts';
import { startTestKernel, stillClock } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import { ctas, statusChanges } from '../base/schema.ts';
import { answeredIds, freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';
import { writeClockStatusChanges } from './cta-scheduler.ts';
import { writeCtaStatus } from './cta-status-store.ts';
import { writeFields } from './cta-store.ts';
import { fieldsOf } from './cta-version-store.ts';

const clock = stillClock();
const now = clock.now();
let tenantId: string;

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
beforeEach(async () => {
  // The CTAs of earlier tests must have ended before the clock goes back.
  clock.set(now + 10 ** 12);
  await writeClockStatusChanges(trivet.kernel.host);
  clock.set(now);
  tenantId = freshTenant();
});

const storedStatus = async (ctaId: string) => {
  const [row] = await trivet.kernel.host.db.q
    .select()
    .from(ctas)
    .where(eq(ctas.id, Number(ctaId)));
  return row?.status;
};

const changesOf = async (ctaId: string) => {
  const rows = await trivet.kernel.host.db.q
    .select()
    .from(statusChanges)
    .where(eq(statusChanges.ctaId, Number(ctaId)))
    .orderBy(asc(statusChanges.id));
  return rows.map(({ from, to, at, by }) => [from, to, at - now, by]);
};

const me = () => trivet.owner.userId;

describe('one run', () => {
  test('begins what begins and ends what ends, and nothing else', async () => {
    const make = (fields: object, ...statuses: string[]) =>
      trivet.makeCta({ tenantId, ...fields }, ...statuses);
    const coming = await make({ startTime: now + 10 }, 'SCHEDULED');
    const later = await make({ startTime: now + 11 }, 'SCHEDULED');
    const ending = await make({ endTime: now + 10 }, 'LIVE');
    const open = await make({}, 'LIVE');
    const paused = await make({ endTime: now + 10 }, 'LIVE', 'PAUSED');
    const draft = await make({ startTime: now + 5, endTime: now + 6 });
    const version = (await trivet.tenant(tenantId))?.version ?? 0;
    clock.set(now + 9);
    expect(await writeClockStatusChanges(trivet.kernel.host)).toBe(0);
    clock.set(now + 10);
    expect(await writeClockStatusChanges(trivet.kernel.host)).toBe(2);
    expect(await writeClockStatusChanges(trivet.kernel.host)).toBe(0);
    const statuses = await Promise.all([coming, later, ending, open, paused, draft].map(storedStatus));
    expect(statuses).toEqual(['LIVE', 'SCHEDULED', 'CONCLUDED', 'LIVE', 'PAUSED', 'DRAFT']);
    expect((await trivet.tenant(tenantId))?.version).toBe(version + 1);
    expect(await changesOf(coming)).toEqual([
      ['DRAFT', 'SCHEDULED', 0, me()],
      ['SCHEDULED', 'LIVE', 10, null],
    ]);
  });

  test('catches up after an outage, each move at the time it was due', async () => {
    const missed = await trivet.makeCta({ tenantId, startTime: now + 10, endTime: now + 20 }, 'SCHEDULED');
    clock.set(now + 86_400_000);
    expect(await writeClockStatusChanges(trivet.kernel.host)).toBe(1);
    expect(await changesOf(missed)).toEqual([
      ['DRAFT', 'SCHEDULED', 0, me()],
      ['SCHEDULED', 'LIVE', 10, null],
      ['LIVE', 'CONCLUDED', 20, null],
    ]);
  });

  test('takes more than fit into one transaction', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 120; i++)
      ids.push(await trivet.makeCta({ tenantId, startTime: now + 1 + i }, 'SCHEDULED'));
    clock.set(now + 1000);
    expect(await writeClockStatusChanges(trivet.kernel.host)).toBe(120);
    const headers = { 'x-tenant-id': tenantId };
    expect(answeredIds((await trivet.send('1', { headers })).text).length).toBe(120);
  });

  test('what the answer says is what is written, at every moment', async () => {
    const ctaId = await trivet.makeCta({ tenantId, startTime: now + 10, endTime: now + 20 }, 'SCHEDULED');
    for (const at of [9, 10, 15, 20, 21]) {
      clock.set(now + at);
      const before = await trivet.call('get-cta', { ctaId });
      await writeClockStatusChanges(trivet.kernel.host);
      expect(await storedStatus(ctaId)).toBe(before['status'] as never);
      const { updatedAt: _, ...same } = await trivet.call('get-cta', { ctaId });
      expect(before).toMatchObject(same);
    }
  });

  test('an edit or a move by a person meanwhile goes first; nothing happens twice', async () => {
    for (let round = 0; round < 10; round++) {
      clock.set(now);
      const ctaId = await trivet.makeCta({ tenantId, startTime: now + 10 }, 'SCHEDULED');
      clock.set(now + 10);
      await Promise.all([
        writeClockStatusChanges(trivet.kernel.host),
        trivet.call('set-cta-status', { ctaId, status: 'PAUSED' }),
        writeClockStatusChanges(trivet.kernel.host),
      ]);
      expect(await changesOf(ctaId)).toEqual([
        ['DRAFT', 'SCHEDULED', 0, me()],
        ['SCHEDULED', 'LIVE', 10, null],
        ['LIVE', 'PAUSED', 10, me()],
      ]);
    }
  });
});

test('a CTA that was moved or edited since it was read is left alone', async () => {
  const { db } = trivet.kernel.host;
  for (const change of [
    (ctaId: string) => trivet.call('set-cta-status', { ctaId, status: 'DRAFT' }),
    async (ctaId: string) => {
      await trivet.call('set-cta-status', { ctaId, status: 'PAUSED' });
      await trivet.call('update-cta', { ctaId, version: 1, startTime: now + 500 });
      return trivet.call('set-cta-status', { ctaId, status: 'SCHEDULED' });
    },
  ]) {
    clock.set(now);
    const ctaId = await trivet.makeCta({ tenantId, startTime: now + 10 }, 'SCHEDULED');
    const [read] = await db.q
      .select()
      .from(ctas)
      .where(eq(ctas.id, Number(ctaId)));
    if (!read) throw new Error('it was made');
    await change(ctaId);
    const before = [await storedStatus(ctaId), await changesOf(ctaId)];
    const at = now + 10;
    expect(await db.tx((q) => writeCtaStatus(q, read, null, { by: null, now: at }))).toBeNull();
    expect([await storedStatus(ctaId), await changesOf(ctaId)]).toEqual(before);
    const stale = { ...read, status: 'PAUSED' as const };
    expect(await settled(db.tx((q) => writeFields(q, stale, fieldsOf(stale), { by: 1, now })))).toThrow(
      'meanwhile',
    );
  }
});

test('several processes on one database: each move is made once, by one of them', async () => {
  const others = await Promise.all([1, 2].map(() => startTestKernel({ clock, again: trivet })));
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) {
    ids.push(await trivet.makeCta({ tenantId, startTime: now + 10, endTime: now + 20 }, 'SCHEDULED'));
  }
  const hosts = [trivet.kernel.host, ...others.map(({ kernel }) => kernel.host)];
  let moved = 0;
  for (const at of [10, 20]) {
    clock.set(now + at);
    const counts = await Promise.all(hosts.map(writeClockStatusChanges));
    moved += counts.reduce((sum, count) => sum + count, 0);
  }
  expect(moved).toBe(80);
  for (const ctaId of ids) {
    expect((await changesOf(ctaId)).slice(1)).toEqual([
      ['SCHEDULED', 'LIVE', 10, null],
      ['LIVE', 'CONCLUDED', 20, null],
    ]);
  }
  await Promise.all(others.map((other) => other.stop()));
}, 60_000);

test('a running server writes a start and an end within a second of real time', async () => {
  const real = systemClock;
  const server = await startCtaKernel({
    ...real,
    set: () => undefined,
    advance: () => undefined,
    pass: async () => undefined,
  });
  server.kernel.startJobs();
  const begin = Date.now() + 700;
  const ctaId = await server.makeCta({ startTime: begin, endTime: begin + 700 }, 'SCHEDULED');
  const statusOf = async () => {
    const [row] = await server.kernel.host.db.q
      .select()
      .from(ctas)
      .where(eq(ctas.id, Number(ctaId)));
    return row?.status;
  };
  const writtenAt: Record<string, number> = {};
  while (writtenAt['CONCLUDED'] === undefined && Date.now() < begin + 5000) {
    const status = await statusOf();
    if (status !== undefined) writtenAt[status] ??= Date.now();
    await Bun.sleep(20);
  }
  for (const [status, due] of [
    ['LIVE', begin],
    ['CONCLUDED', begin + 700],
  ] as const) {
    const late = (writtenAt[status] ?? Infinity) - due;
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(1000);
  }
  await server.stop();
}, 20_000);
