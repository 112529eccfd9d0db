import { call } from '../../api/call.ts';

/** Tests of one request, and how many are looked through at most where the list is sorted. */
const pageSize = 500;
const mostSought = 10_000;

interface Sought {
  readonly projectId: number;
  /** What the list shows; undefined: all tests in the order of their ids. */
  readonly query: string | undefined;
  readonly testId: number;
}

/** The index of a test in a list; null: it is not there, or so far down that nobody would look for it. @throws Refusal, Unreachable. */
export async function placeOfTest(
  { projectId, query, testId }: Sought,
  signal: AbortSignal,
): Promise<number | null> {
  const isSorted = query !== undefined && /(?:^|\s)sort:/.test(query);
  if (!isSorted) {
    const countOf = async (term: string) => {
      const asked = query === undefined ? term : `(${query}) ${term}`;
      return (await call('get-tests', { projectId, query: asked, fields: ['testId'], limit: 1 }, signal))
        .total;
    };
    const [found, before] = await Promise.all([countOf(`id:${testId}`), countOf(`id:<${testId}`)]);
    return found === 1 ? before : null;
  }
  for (let offset = 0; offset < mostSought; offset += pageSize) {
    const input = { projectId, query, fields: ['testId'], limit: pageSize, offset };
    const { tests, total } = await call('get-tests', input, signal);
    const index = tests.findIndex((test) => test.testId === testId);
    if (index >= 0) return offset + index;
    if (offset + tests.length >= total) return null;
  }
  return null;
}
