import { contentHash, type TestContent } from './case-content.ts';
import { CaseFileFault, readDocument, type CaseBlock, type CaseDocument } from './case-document.ts';
import type { CaseBase } from './case-base.ts';
import { sectionOfPath } from './case-path.ts';

/** A test in the files of a folder. */
export interface FileCase {
  readonly path: string;
  readonly block: CaseBlock;
  readonly testId: number | null;
  readonly content: TestContent;
  readonly hash: string;
}

/** A fault in a file, with its place. */
export interface CaseFault {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export interface CaseTree {
  readonly documents: ReadonlyMap<string, CaseDocument>;
  readonly cases: readonly FileCase[];
  readonly faults: readonly CaseFault[];
}

/** The tests in files. @param files texts by path below the folder. */
export function readTree(files: ReadonlyMap<string, string>): CaseTree {
  const documents = new Map<string, CaseDocument>();
  const faults: CaseFault[] = [];
  for (const [path, text] of files) {
    try {
      documents.set(path, readDocument(text));
    } catch (error) {
      if (!(error instanceof CaseFileFault)) throw error;
      faults.push({ path, line: error.line, message: error.message });
    }
  }
  const cases = [...documents].flatMap(([path, { blocks }]) =>
    blocks.map((block) => {
      const content = { ...block.content, section: sectionOfPath(path) };
      return { path, block, testId: block.testId, content, hash: contentHash(content) };
    }),
  );
  return { documents, cases, faults: [...faults, ...repeated(cases)] };
}

/** The same id twice: a copy in which somebody left the id. */
function repeated(cases: readonly FileCase[]): readonly CaseFault[] {
  const seen = new Map<number, FileCase>();
  const faults: CaseFault[] = [];
  for (const one of cases) {
    if (one.testId === null) continue;
    const first = seen.get(one.testId);
    if (!first) seen.set(one.testId, one);
    else
      faults.push({
        path: one.path,
        line: one.block.line,
        message: `@T${one.testId} is also at ${first.path}:${first.block.line}. Remove the line "id:" of the copy`,
      });
  }
  return faults;
}

export const caseStates = ['new', 'changed', 'conflict', 'deleted', 'unknown', 'unchanged'] as const;
type CaseState = (typeof caseStates)[number];

export interface CaseStatus {
  readonly state: CaseState;
  readonly testId: number | null;
  readonly path: string;
  readonly line: number | null;
  readonly testName: string | null;
}

/**
 * What became of the tests since the last pull or push: `new` has no id yet, `unknown` has one that `cases.json` does not know, `conflict`
 * has marks that somebody must resolve.
 */
export function statusesOf({ cases }: CaseTree, base: CaseBase | undefined): readonly CaseStatus[] {
  const present = new Set(cases.map(({ testId }) => testId));
  return [
    ...cases.map(({ path, block, testId, hash }) => ({
      state: stateOf(block, testId === null ? null : base?.tests.get(testId), hash),
      testId,
      path,
      line: block.line,
      testName: block.testName,
    })),
    ...[...(base?.tests ?? [])].flatMap(([testId, { path }]) =>
      present.has(testId) ? [] : [{ state: 'deleted' as const, testId, path, line: null, testName: null }],
    ),
  ];
}

function stateOf(
  block: CaseBlock,
  known: { readonly hash: string } | null | undefined,
  hash: string,
): CaseState {
  if (block.isUnresolved) return 'conflict';
  if (known === null) return 'new';
  if (known === undefined) return 'unknown';
  return known.hash === hash ? 'unchanged' : 'changed';
}
