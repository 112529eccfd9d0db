import { expect, test } from 'bun:test';
import { startTestKernel } from '../../../test/kernel.ts';
import { members, organizations, users } from '../base/schema.ts';
import { ensureOwner } from './owner-store.ts';

/** @see Of processes that met at the first start over PostgreSQL, one in ten failed because the owner existed already. */
test('of processes that meet at the first start, each finds the owner and one has made it', async () => {
  const first = await startTestKernel();
  const others = await Promise.all(Array.from({ length: 4 }, () => startTestKernel({ again: first })));
  const hosts = [first, ...others].map(({ kernel }) => kernel.host);
  const { db } = first.kernel.host;
  for (let round = 0; round < 20; round++) {
    await db.tx(async (q) => {
      await q.delete(members);
      await q.delete(organizations);
      await q.delete(users);
    });
    await Promise.all(hosts.map(ensureOwner));
    expect(await db.q.select().from(organizations)).toHaveLength(1);
    expect(await db.q.select().from(users)).toHaveLength(1);
  }
  for (const trivet of [...others, first]) await trivet.stop();
}, 60_000);
