import { expect, test } from 'bun:test';
import { fail, Fault } from '../../../core/base/errors.ts';
import { bounded } from './query-page-store.ts';

async function refusalOf(error: Error): Promise<unknown> {
  const stopped = async (): Promise<never> => {
    throw error;
  };
  try {
    return await bounded(stopped());
  } catch (thrown) {
    return thrown instanceof Fault ? [thrown.code, thrown.causeWord] : thrown;
  }
}

test('a query that PostgreSQL stopped is too expensive; any other failure stays what it is', async () => {
  const busy = (cause: string) =>
    fail.DATABASE_BUSY('The database took too long; nothing was written.', { cause });
  expect(await refusalOf(busy('statement_timeout'))).toEqual(['QUERY_TOO_EXPENSIVE', 'query']);
  expect(await refusalOf(busy('lock_timeout'))).toEqual(['DATABASE_BUSY', 'lock_timeout']);
  const lost = new Error('lost');
  expect(await refusalOf(lost)).toBe(lost);
  expect(await bounded((async () => 1)())).toBe(1);
});
