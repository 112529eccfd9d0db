import { fail } from '../base/errors.ts';
import type { Link } from '../links/link-record.ts';
import { maxLinksOfRecord, sameKind, type NewLink } from '../links/link-store.ts';
import { givenLinks, type ImportedTest } from '../import-files/text/imported-test.ts';

/**
 * The links of imported tests, each once, without those that they have already. Yields where it may be interrupted.
 * @param ids of the stored tests, in the order of the file.
 * @throws Fault TOO_MANY_LINKS.
 */
export function* importedLinks(
  tests: readonly ImportedTest[],
  ids: ReadonlyArray<number | undefined>,
  present: ReadonlyMap<number, readonly Link[]> = new Map(),
): Generator<void, Array<NewLink & { readonly testId: number; readonly runId: null }>> {
  const rows: Array<NewLink & { testId: number; runId: null }> = [];
  for (const [at, test] of tests.entries()) {
    yield;
    const testId = ids[at];
    if (testId === undefined) continue;
    const own = present.get(testId) ?? [];
    const seen = new Set(own.map(({ kind, key }) => sameKind(kind, key)));
    const before = seen.size;
    for (const link of givenLinks(test) ?? []) {
      if (seen.has(sameKind(link.kind, link.key))) continue;
      seen.add(sameKind(link.kind, link.key));
      rows.push({ ...link, testId, runId: null });
    }
    if (seen.size > Math.max(before, maxLinksOfRecord))
      throw fail.TOO_MANY_LINKS(
        `Test ${testId} would have ${seen.size} links; a record has at most ${maxLinksOfRecord}. Nothing was imported.`,
        { cause: 'content' },
      );
  }
  return rows;
}
