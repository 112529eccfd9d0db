import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { historyOf, joinedAttempts } from './cases/case-history.ts';
import { CaseList } from './cases/case-list.ts';
import { UnreadableResultFile, type ReportedCase } from './cases/reported-case.ts';
import type { ReadOptions, ReadResultBatches } from './result-file.ts';
import { FileFault } from './text/file-fault.ts';

/**
 * Files of which each has some attempts, as one: cases of one history are attempts of one test. Only cases whose history comes again are
 * in memory together. Yields to other requests.
 * @throws UnreadableResultFile when they have too many cases.
 */
export async function joinedByHistory(
  files: readonly ReadResultBatches[],
  { name, signal, caseLimit }: Required<Pick<ReadOptions, 'name' | 'signal' | 'caseLimit'>>,
): Promise<Omit<ReadResultBatches, 'format'>> {
  const list = new CaseList(caseLimit);
  for (const { warnings } of files) for (const warning of warnings) list.warn(warning);
  // Two histories with one hash are only kept longer than needed.
  const counts = new Map<number, number>();
  for await (const one of casesOf(files, signal)) {
    const hash = Bun.hash.xxHash32(historyOf(one) ?? '');
    counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const several = new Map<string, ReportedCase[]>();
  try {
    for await (const one of casesOf(files, signal)) {
      const history = historyOf(one);
      if (history === undefined || counts.get(Bun.hash.xxHash32(history)) === 1) list.add(one, 'own');
      else several.getOrInsert(history, []).push(one);
    }
    for (const cases of several.values()) {
      list.add(joinedAttempts(cases), 'own');
      if (turnIsOver()) await nextTurn(signal);
    }
  } catch (error) {
    if (error instanceof FileFault) throw new UnreadableResultFile(`${name}: ${error.message}`);
    throw error;
  }
  return { warnings: list.warnings, count: list.count, batches: () => list.batches() };
}

async function* casesOf(
  files: readonly ReadResultBatches[],
  signal: AbortSignal,
): AsyncGenerator<ReportedCase> {
  for (const file of files)
    for (const batch of file.batches()) {
      yield* batch;
      if (turnIsOver()) await nextTurn(signal);
    }
}
