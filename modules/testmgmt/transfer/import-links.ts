import { exportedKinds } from '../links/link-record.ts';
import { sameKind, type NewLink } from '../links/link-store.ts';
import type { ImportedTest } from '../import-files/text/imported-test.ts';

/** The links of imported tests, each once. Yields where it may be interrupted. @param ids of the stored tests, in the order of the file. */
export function* importedLinks(
  tests: readonly ImportedTest[],
  ids: readonly number[],
): Generator<void, Array<NewLink & { readonly testId: number; readonly runId: null }>> {
  const rows: Array<NewLink & { testId: number; runId: null }> = [];
  for (const [at, test] of tests.entries()) {
    yield;
    const testId = ids[at];
    if (testId === undefined) continue;
    const seen = new Set<string>();
    for (const column of ['refs', 'defects'] as const)
      for (const given of test[column] ?? []) {
        const [kind, key] = [exportedKinds[column], given.trim()];
        if (seen.has(sameKind(kind, key))) continue;
        seen.add(sameKind(kind, key));
        rows.push({ kind, key, url: null, testId, runId: null });
      }
  }
  return rows;
}
