import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Host } from '../../../core/host/host.ts';
import { createLog } from '../../../core/base/log.ts';
import { startTestKernel, stillClock, type TestKernel } from '../../../test/kernel.ts';
import { settled } from '../../../test/rejection.ts';
import { insertCta } from '../ctas/cta-store.ts';
import { ctas, tenants, type CtaFields } from '../base/schema.ts';
import { raiseVersion } from '../tenants/tenant-store.ts';
import { catalogues, holdCatalogues } from './catalogue-cache.ts';
import { catalogueAt } from './catalogue-moment.ts';
import { emptyCatalogue, type Catalogue } from './catalogue.ts';

describe('holding', () => {
  const version = (number: number): Catalogue => ({ ...emptyCatalogue, version: number });

  /** Catalogues whose reads the test resolves by hand, in the order in which they began. */
  function held() {
    const clock = stillClock();
    const readings: Array<{ tenantId: string; answer: (catalogue: Catalogue) => void; break: () => void }> =
      [];
    const logged: string[] = [];
    const holder = holdCatalogues(
      (tenantId) =>
        new Promise((resolve, reject) => {
          readings.push({ tenantId, answer: resolve, break: () => reject(new Error('gone')) });
        }),
      { clock, log: createLog('debug', clock.now, (line) => void logged.push(line)) },
    );
    const of = () => holder.of('shop');
    const settled = () => Bun.sleep(0);
    return { clock, readings, logged, of, forget: () => holder.forget('shop'), settled };
  }

  /** Like {@link held}, with version 1 confirmed just now. */
  async function holdingOne() {
    const all = held();
    const first = all.of();
    all.readings[0]?.answer(version(1));
    await first;
    return all;
  }

  test('many requests at once share one reading', async () => {
    const { of, readings } = held();
    const asked = Array.from({ length: 50 }, of);
    expect(readings.length).toBe(1);
    readings[0]?.answer(version(1));
    expect(new Set(await Promise.all(asked)).size).toBe(1);
  });

  test('for half a second it is used as it is', async () => {
    const { clock, of, readings } = await holdingOne();
    clock.advance(499);
    expect((await of()).version).toBe(1);
    expect(readings.length).toBe(1);
  });

  test('from then on it is read again, once, and what is there is served meanwhile', async () => {
    const { clock, of, readings, settled } = await holdingOne();
    clock.advance(500);
    for (const catalogue of await Promise.all([of(), of(), of()])) expect(catalogue.version).toBe(1);
    expect(readings.length).toBe(2);
    readings[1]?.answer(version(2));
    await settled();
    expect((await of()).version).toBe(2);
    expect(readings.length).toBe(2);
  });

  test('after a second a request waits: what nobody has asked for long may be long out of date', async () => {
    const { clock, of, readings } = await holdingOne();
    clock.advance(1000);
    const late = of();
    readings[1]?.answer(version(2));
    expect((await late).version).toBe(2);
  });

  test('a clock that was set back does not freeze it', async () => {
    const { clock, of, readings } = await holdingOne();
    clock.advance(-3_600_000);
    const asked = of();
    readings[1]?.answer(version(2));
    expect((await asked).version).toBe(2);
  });

  test('what was forgotten is read by the next request', async () => {
    const { forget, of, readings } = await holdingOne();
    forget();
    const asked = of();
    readings[1]?.answer(version(2));
    expect((await asked).version).toBe(2);
  });

  test('a reading that began before forgetting answers who asked for it, and nobody later', async () => {
    const { forget, of, readings } = held();
    const before = of();
    forget();
    const after = of();
    expect(readings.length).toBe(2);
    readings[1]?.answer(version(2));
    expect((await after).version).toBe(2);
    readings[0]?.answer(version(1));
    expect((await before).version).toBe(1);
    expect((await of()).version).toBe(2);
  });

  test('a tenant that does not exist is not held', async () => {
    const { of, readings } = held();
    const asked = of();
    readings[0]?.answer(emptyCatalogue);
    expect(await asked).toBe(emptyCatalogue);
    const again = of();
    expect(readings.length).toBe(2);
    readings[1]?.answer(version(1));
    expect((await again).version).toBe(1);
  });

  test('a reading in the background that fails is logged, and tried again', async () => {
    const { clock, of, readings, logged, settled } = await holdingOne();
    clock.advance(999);
    expect((await of()).version).toBe(1);
    readings[1]?.break();
    await settled();
    expect(logged.join('')).toContain('catalogue_refresh_failed');
    expect((await of()).version).toBe(1);
    expect(readings.length).toBe(3);
  });

  test('a reading that a request waits for fails that request, and the next one starts over', async () => {
    const { of, readings } = held();
    const asked = of();
    readings[0]?.break();
    expect(await settled(asked)).toThrow('gone');
    const again = of();
    readings[1]?.answer(version(1));
    expect((await again).version).toBe(1);
  });
});

describe('reading', () => {
  let trivet: TestKernel;
  let tenantId: string;
  const clock = stillClock();

  beforeAll(async () => {
    trivet = await startTestKernel({ clock });
  });
  afterAll(() => trivet.stop());
  beforeEach(async () => {
    tenantId = `t-${crypto.randomUUID()}`;
    await trivet.kernel.host.db.tx(async (q) => {
      await q.insert(tenants).values({ tenantId, orgId: 1, version: 1, createdAt: clock.now() });
    });
  });

  const fields: CtaFields = {
    name: 'c',
    description: '',
    tags: [],
    team: null,
    startTime: null,
    endTime: null,
    behaviourTagName: null,
    rule: { stateToAction: {}, stateTransition: {}, actions: [], priority: 4 },
  };

  /** A separate host: it acts as another process that shares the database and is notified of nothing. */
  const anotherProcess = (): Host => ({ ...trivet.kernel.host });

  /** Adds a CTA, LIVE unless `over` says otherwise. */
  const addCta = (over: Partial<typeof ctas.$inferInsert> = {}) =>
    trivet.kernel.host.db.tx(async (q) => {
      const { id } = await insertCta(q, tenantId, fields, { by: 1, now: clock.now() });
      await q
        .update(ctas)
        .set({ status: 'LIVE', ...over })
        .where(eq(ctas.id, id));
      await raiseVersion(q, tenantId);
      return String(id);
    });

  test('rules are serialised once, and what a launch needs is at hand', async () => {
    const ctaId = await addCta({ endTime: clock.now() + 5 });
    const cta = (await catalogues(anotherProcess()).of(tenantId)).ctas.get(ctaId);
    expect(cta?.untouched).toContain(`"rule":${JSON.stringify(cta?.rule)},`);
    expect(cta).toMatchObject({ ctaId, status: 'LIVE', rule: { priority: 4 }, endTime: clock.now() + 5 });
  });

  test('what a CTA is to the state of users', async () => {
    const live = await addCta();
    const paused = await addCta({ status: 'PAUSED' });
    const draft = await addCta({ status: 'DRAFT' });
    const ended = await addCta({ endTime: clock.now() });
    const toCome = await addCta({ status: 'SCHEDULED', startTime: clock.now() + 10 });
    const catalogue = await catalogues(anotherProcess()).of(tenantId);
    const at = (ctaId: string, ms = 0) => {
      const { ctas, others } = catalogueAt(catalogue, clock.now() + ms);
      const facts = ctas.get(ctaId);
      if (facts) return facts.isPaused ? 'PAUSED' : 'LIVE';
      return others.has(ctaId) ? 'OTHER' : undefined;
    };
    expect([at(live), at(paused), at(draft), at(ended), at(toCome), at(toCome, 10), at('0')]).toEqual([
      'LIVE',
      'PAUSED',
      'OTHER',
      'OTHER',
      'OTHER',
      'LIVE',
      undefined,
    ]);
  });

  test('a tenant that does not exist has nothing until somebody makes it', async () => {
    const host = anotherProcess();
    expect(await catalogues(host).of(`late-${tenantId}`)).toBe(emptyCatalogue);
    tenantId = `late-${tenantId}`;
    await trivet.kernel.host.db.tx(async (q) => {
      await q.insert(tenants).values({ tenantId, orgId: 1, version: 1, createdAt: 1 });
    });
    await addCta();
    expect((await catalogues(host).of(tenantId)).ctas.size).toBe(1);
  });

  test('a change by another process is seen, and the same object stays while there is none', async () => {
    const host = anotherProcess();
    const first = await catalogues(host).of(tenantId);
    clock.advance(1000);
    expect(await catalogues(host).of(tenantId)).toBe(first);
    const ctaId = await addCta();
    clock.advance(1000);
    const second = await catalogues(host).of(tenantId);
    expect(second.version).toBe(first.version + 1);
    expect([...second.ctas.keys()]).toEqual([ctaId]);
  });

  test('no change is lost when many happen at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => addCta()));
    expect(await catalogues(anotherProcess()).of(tenantId)).toMatchObject({ version: 9 });
  });
});
