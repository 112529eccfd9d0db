import type { Query } from '../../../../core/db/query/db.ts';
import { Fault } from '../../../../core/base/errors.ts';
import { nameKey } from '../../../../core/text/name-key.ts';
import type { TestFields } from '../../cases/case-store.ts';
import { insertTests } from '../../cases/case-write-store.ts';
import { valuesOf } from '../../metadata/classification-store.ts';
import { automated } from '../../rules/classification.ts';
import type { ReportedCase } from '../../result-files/cases/reported-case.ts';
import { maxDepth, pathText } from '../../rules/section-tree.ts';
import { idsOfPaths } from '../../sections/section-path-store.ts';
import { keyHash, keyText, sectionPathOf, testNameOf } from '../matching/automation-key.ts';
import { addKeys, knownKeys } from '../matching/automation-key-store.ts';
import type { MatchedCases } from '../matching/case-match.ts';
import type { PlacedCase } from '../matching/upload-group.ts';

interface Creation {
  readonly projectId: number;
  /** Cases without a test. */
  readonly cases: readonly PlacedCase[];
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

interface CreatedTests {
  /** The test of each case, by the position of the case. */
  readonly testIds: ReadonlyMap<number, number>;
  /** The number of newly created tests. */
  readonly created: number;
  /** The project had no room for more sections. */
  readonly withoutSections: boolean;
}

/**
 * Creates tests, with their keys, for cases without one, in the sections of their suites. In a transaction that locks the project to change
 * it, so that only one of several concurrent uploads creates the test of a new case.
 */
export async function createTests(
  q: Query,
  matched: MatchedCases,
  { projectId, cases, by, now, signal }: Creation,
): Promise<CreatedTests> {
  const hashes = cases.map(({ at, reported }) => keyHash(keyText(matched.keyAt(at, reported))));
  // A concurrent upload may have created some since they were looked up.
  const known = await knownKeys(q, projectId, hashes, signal);
  const testIds = new Map<number, number>();
  const missing: PlacedCase[] = [];
  for (const [index, one] of cases.entries()) {
    const key = known.get(hashes[index] ?? '');
    if (key && !key.deleted && !key.isAlias) testIds.set(one.at, key.testId);
    else missing.push(one);
  }
  if (missing.length === 0) return { testIds, created: 0, withoutSections: false };

  const { sectionIds, withoutSections } = await sectionsFor(q, missing, {
    projectId,
    by,
    now,
    signal,
  });
  const automatedId = await automatedValue(q, projectId);
  const items = missing.map(({ at, reported }): TestFields => {
    const sectionId = sectionIds.get(sectionText(reported));
    return {
      testName: testNameOf(matched.keyAt(at, reported)),
      ...(sectionId === undefined ? {} : { sectionId }),
      ...(automatedId === undefined ? {} : { [`${automated.kind}Id`]: automatedId }),
    };
  });
  const ids = await insertTests(q, { projectId, items, by, now, signal });
  const keys = missing.map(({ at, reported }, index) => ({
    key: matched.keyAt(at, reported),
    testId: ids[index] ?? 0,
    file: reported.file,
  }));
  await addKeys(q, keys, { projectId, by, now, signal });
  for (const [index, { at }] of missing.entries()) testIds.set(at, ids[index] ?? 0);
  return { testIds, created: missing.length, withoutSections };
}

const sectionText = ({ suites }: ReportedCase): string => pathText(sectionPathOf(suites, maxDepth));

async function sectionsFor(
  q: Query,
  cases: readonly PlacedCase[],
  { projectId, by, now, signal }: Omit<Creation, 'cases'>,
): Promise<{ readonly sectionIds: ReadonlyMap<string, number>; readonly withoutSections: boolean }> {
  const texts = [...new Set(cases.map(({ reported }) => sectionText(reported)))].filter(
    (text) => text !== '',
  );
  const given = texts.map((text) => ({ text, at: 'files' }));
  if (given.length === 0) return { sectionIds: new Map(), withoutSections: false };
  try {
    const sectionIds = await idsOfPaths(q, projectId, given, { create: true, by, now, signal });
    return { sectionIds, withoutSections: false };
  } catch (error) {
    // Storing the result matters more than its section: the limit is detected before anything is written.
    if (!(error instanceof Fault && error.code === 'PROJECT_FULL')) throw error;
    return { sectionIds: new Map(), withoutSections: true };
  }
}

/** The default value that every project has unless it was renamed. */
async function automatedValue(q: Query, projectId: number): Promise<number | undefined> {
  const values = await valuesOf(q, projectId, automated.kind);
  return values.find(({ name }) => nameKey(name) === nameKey(automated.name))?.id;
}
