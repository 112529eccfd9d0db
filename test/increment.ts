import { eq } from 'drizzle-orm';
import { forUpdate, int, table, text } from '../core/db/query/columns.ts';
import type { Location } from '../core/db/query/db.ts';
import { openDb } from '../core/db/open/open.ts';
import { createLog } from '../core/base/log.ts';

// One of several processes that increment the same counter: started by core/db/query/db.test.ts with a location and a number.
const [location = '', times = '0'] = process.argv.slice(2);
const items = table('test_items', { name: text('name').notNull(), count: int('count').notNull() });
const db = await openDb(JSON.parse(location) as Location, createLog('error', Date.now));
for (let i = 0; i < Number(times); i++) {
  await db.tx(async (q) => {
    const [row] = await forUpdate(q.select().from(items).where(eq(items.name, 'shared')));
    await q
      .update(items)
      .set({ count: (row?.count ?? 0) + 1 })
      .where(eq(items.name, 'shared'));
  });
}
await db.close();
