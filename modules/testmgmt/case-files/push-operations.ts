import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { clearable, closedObject, recordId, words } from '../../../core/base/schema.ts';
import { inTurns } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { firstProblems, requireDistinct } from '../base/id-list.ts';
import { extraOperation } from '../base/operation.ts';
import { longText, nameText, projectId, recordsPerCall, versionNumber } from '../base/parameters.ts';
import { changesOf, testRecords, unchanged } from '../base/written-changes.ts';
import { estimateSeconds } from '../cases/case-parameters.ts';
import { requireShortSteps, stepRecord } from '../cases/case-steps.ts';
import type { ChangedFields } from '../cases/case-store.ts';
import { changeTests, deleteTests, insertTests } from '../cases/case-write-store.ts';
import { projectToChange } from '../projects/project-store.ts';
import {
  byIdField,
  byName,
  classifications,
  idFieldOf,
  everyClassification,
} from '../rules/classification.ts';
import { pathKey } from '../rules/section-tree.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import type { ImportedTest } from '../import-files/text/imported-test.ts';
import { creationsOf, creationsRecord, inWords } from '../transfer/import-preview.ts';
import { missingOf, valueKey, type NameIndex } from '../transfer/import-resolution.ts';
import { addMissing, loadNameIndex } from '../transfer/import-store.ts';
import { changedFields, comparedContent, contentFields, type TestContent } from './case-content.ts';
import { presentContents, testsNamed, presentVersions } from './case-record-store.ts';

const optionalName = (description: string) => Type.Optional(clearable(nameText(description)));

const pushedTest = closedObject({
  testId: Type.Optional(recordId('From pull-tests; without it a new test.')),
  version: Type.Optional(versionNumber('The one that was pulled.')),
  otherThan: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
      maxItems: 1_000,
      description: 'Tests of the same name and section that a new one is not.',
    }),
  ),
  testName: Type.Optional(nameText('What it checks.')),
  section: Type.Optional(
    Type.Array(nameText('A section.'), { maxItems: 32, description: 'Its path; empty: none.' }),
  ),
  testDescription: Type.Optional(longText('What it is about.')),
  preconditions: Type.Optional(longText('What must hold before.')),
  steps: Type.Optional(Type.Array(stepRecord, { maxItems: 500, description: 'In order.' })),
  ...byName((kind) => optionalName(`Its ${classifications[kind].singular}.`)),
  squad: optionalName('Its squad.'),
  labels: Type.Optional(Type.Array(nameText('A label.'), { maxItems: 100, description: 'All of them.' })),
  estimateSeconds: Type.Optional(clearable(estimateSeconds)),
});
type GivenTest = Static<typeof pushedTest>;

const outcomes = ['created', 'changed', 'unchanged', 'found'] as const;

export const pushTests = extraOperation({
  name: 'push-tests',
  title: 'Store tests of files',
  description:
    'Stores changed and new tests of a copy in files (trivet cases push), all or none: a test that has another version by now is refused. ' +
    'Fields that are not given stay; null and an empty list clear one. A new test with the name and section of one that has no file is ' +
    'that one, so a repeated call creates nothing twice. Missing names are created; with `strict` they are refused.',
  input: closedObject({
    projectId,
    tests: Type.Array(pushedTest, {
      maxItems: recordsPerCall.maxItems,
      description: 'Changed and new ones.',
    }),
    deleted: Type.Optional(
      Type.Array(closedObject({ testId: recordId('To delete.'), version: versionNumber('As pulled.') }), {
        maxItems: recordsPerCall.maxItems,
        description: 'Tests whose file is gone.',
      }),
    ),
    strict: Type.Optional(Type.Boolean({ default: false, description: 'Refuse names that do not exist.' })),
  }),
  output: closedObject({
    projectId: Type.Integer(),
    tests: Type.Array(
      closedObject({
        testId: Type.Integer({ description: 'Of a new test in a dry run 0.' }),
        version: Type.Integer(),
        outcome: words(outcomes, { description: 'found: a new one was there already.' }),
      }),
      { description: 'In the order of the call.' },
    ),
    deletedCount: Type.Integer(),
    creates: creationsRecord,
  }),
  access: member('write'),
  effect: 'update',
  confirm: 'undo-activity takes it back.',
  handler: (input, { actor, surface, db, clock, signal, wrote }) => {
    const { projectId: id, tests: given, deleted = [], strict = false } = input;
    requireWhole(given);
    requireShortSteps(given, (index) => `tests[${index}].`);
    const ids = [...given.flatMap(({ testId }) => testId ?? []), ...deleted.map(({ testId }) => testId)];
    requireDistinct(ids, { parameter: 'tests', inside: '.testId' });
    return db.tx(async (q) => {
      await projectToChange(q, actor, id, { testsFrom: surface });
      const now = clock.now();
      const author = { by: actor.userId, now, signal };
      const stored = await presentContents(q, id, ids, signal);
      const wanted = given.map((test) => ({ test, stored: stored.get(test.testId ?? 0) }));
      requireVersions([...given, ...deleted], stored, given);
      const changing = wanted.map(({ test, stored: known }) =>
        known ? differing(test, known.content) : test,
      );
      const { index, creates } = await namesFor(q, id, changing, { ...author, strict });
      const found = await foundTests(q, id, given, { index, ids, signal });
      const changes = wanted.flatMap(({ test }, at) => {
        const fields = fieldsOf(changing[at] ?? {}, index);
        return test.testId === undefined || Object.keys(fields).length === 0
          ? []
          : [{ test: { id: test.testId, projectId: id }, fields }];
      });
      const created = given.flatMap((test, at) =>
        test.testId === undefined && found[at] === undefined ? [at] : [],
      );
      const items = created.map((at) => ({
        ...fieldsOf(given[at] ?? {}, index),
        testName: given[at]?.testName ?? '',
      }));
      if (changes.length > 0) await changeTests(q, changes, author);
      const newIds = items.length === 0 ? [] : await insertTests(q, { projectId: id, items, ...author });
      if (deleted.length > 0)
        await deleteTests(
          q,
          id,
          deleted.map(({ testId }) => testId),
          author,
        );
      const written = [
        ...changes.map(({ test }) => test.id),
        ...newIds,
        ...deleted.map(({ testId }) => testId),
      ];
      wrote({
        projectId: id,
        records: testRecords(written),
        changes: written.length === 0 ? unchanged : changesOf(written.length),
      });
      const idAt = new Map(created.map((at, nth) => [at, newIds[nth] ?? 0]));
      const all = given.map(({ testId }, at) => testId ?? idAt.get(at) ?? found[at] ?? 0);
      const versions = await presentVersions(q, id, all, signal);
      const isChanged = new Set(changes.map(({ test }) => test.id));
      return {
        projectId: id,
        tests: all.map((testId, at) => ({
          testId,
          version: versions.get(testId) ?? 1,
          outcome: idAt.has(at)
            ? ('created' as const)
            : given[at]?.testId === undefined
              ? ('found' as const)
              : isChanged.has(testId)
                ? ('changed' as const)
                : ('unchanged' as const),
        })),
        deletedCount: deleted.length,
        creates,
      };
    });
  },
});

/** @throws Fault INVALID_REQUEST: a new test needs a name, a known one the version that the caller knows. */
function requireWhole(given: readonly GivenTest[]): void {
  const wrong = given.flatMap(({ testId, version, testName }, index) =>
    testId === undefined
      ? testName === undefined
        ? [`tests[${index}].testName`]
        : []
      : version === undefined
        ? [`tests[${index}].version`]
        : [],
  );
  if (wrong.length > 0)
    throw fail.INVALID_REQUEST(`Missing: ${firstProblems(wrong)}. Nothing was written.`, {
      cause: 'tests',
      tip: 'Give a new test its testName, and a known one the version that pull-tests returned.',
    });
}

interface Versioned {
  readonly testId?: number;
  readonly version?: number;
}

/**
 * @throws Fault TEST_CHANGED for tests that have another version, unless they are already as the call wants them: then its answer was lost.
 */
function requireVersions(
  all: readonly Versioned[],
  stored: Awaited<ReturnType<typeof presentContents>>,
  given: readonly GivenTest[],
): void {
  const byId = new Map(given.map((test) => [test.testId, test]));
  const changed = all.flatMap(({ testId, version }) => {
    if (testId === undefined) return [];
    const known = stored.get(testId);
    if (!known) return [`@T${testId} (deleted)`];
    const test = byId.get(testId);
    const isDone = test !== undefined && Object.keys(differing(test, known.content)).length === 0;
    return known.version === version || isDone ? [] : [`@T${testId} (version ${known.version})`];
  });
  if (changed.length > 0)
    throw fail.TEST_CHANGED(
      `Changed since they were pulled: ${firstProblems(changed)}. Nothing was written.`,
      {
        cause: 'tests',
        tip: 'Run trivet cases pull, which merges both, then push again.',
      },
    );
}

/** The given fields of a test, without those that it has already. */
function differing(test: GivenTest, content: TestContent): Partial<TestContent> {
  const given = contentFields.filter((field) => test[field] !== undefined);
  const wanted = Object.fromEntries(given.map((field) => [field, test[field]]));
  const next = comparedContent({ ...content, ...wanted } as TestContent);
  const different = new Set(changedFields(comparedContent(content), next));
  return Object.fromEntries(
    given.filter((field) => different.has(field)).map((field) => [field, test[field]]),
  ) as Partial<TestContent>;
}

type Named = Partial<TestContent> | GivenTest;

/** The ids of the names in tests; missing ones are added. @throws Fault IMPORT_CREATES with `strict`. */
async function namesFor(
  q: Query,
  projectId: number,
  tests: readonly Named[],
  { by, now, signal, strict }: { by: number; now: number; signal: AbortSignal; strict: boolean },
) {
  const index = await loadNameIndex(q, projectId, signal);
  const named = tests.map((test): ImportedTest => {
    const names = Object.entries({ squad: test.squad, ...byName((kind) => test[kind]) });
    return {
      testName: '-',
      ...(test.section !== undefined && { sectionPath: [...test.section] }),
      ...(test.labels !== undefined && { labels: [...test.labels] }),
      ...Object.fromEntries(names.filter(([, name]) => typeof name === 'string')),
    };
  });
  const missing = await inTurns(missingOf(index, named), signal);
  const creates = await inTurns(creationsOf(index, missing), signal);
  const phrases = inWords(creates);
  if (strict && phrases.length > 0)
    throw fail.IMPORT_CREATES(
      `Project ${projectId} does not have: ${firstProblems(phrases)}. Nothing was written.`,
      { cause: 'strict' },
    );
  return { index: await addMissing(q, projectId, { index, missing, by, now, signal }), creates };
}

const orNull = <T>(name: string | null | undefined, idOf: (name: string) => T | undefined) =>
  name === undefined ? undefined : name === null ? null : idOf(name);

/** The fields of a test by ids. */
function fieldsOf(test: Named, index: NameIndex): ChangedFields {
  const {
    testName,
    testDescription,
    preconditions,
    steps,
    section,
    labels,
    squad,
    estimateSeconds: seconds,
  } = test;
  const given = {
    testName,
    testDescription,
    preconditions,
    steps: steps && [...steps],
    estimateSeconds: seconds,
    squadId: orNull(squad, (name) => index.squads.get(nameKey(name))),
    sectionId:
      section === undefined ? undefined : section.length === 0 ? null : index.sections.get(pathKey(section)),
    ...byIdField(() => undefined),
    ...Object.fromEntries(
      everyClassification.map((kind) => [
        idFieldOf[kind],
        orNull(test[kind], (name) => index.values.get(valueKey(kind, name))),
      ]),
    ),
    labels: labels?.flatMap((label) => index.labels.get(nameKey(label)) ?? []),
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as ChangedFields;
}

/** For each new test the one of the same name and section that has no file, by position; each is found once. */
async function foundTests(
  q: Query,
  projectId: number,
  given: readonly GivenTest[],
  {
    index,
    ids,
    signal,
  }: { readonly index: NameIndex; readonly ids: readonly number[]; readonly signal: AbortSignal },
): Promise<ReadonlyArray<number | undefined>> {
  const isNew = (test: GivenTest) => test.testId === undefined;
  const names = new Set(given.filter(isNew).map(({ testName = '' }) => testName.trim()));
  const named = await testsNamed(q, projectId, names, signal);
  // Also those that this call deletes: what replaces one of them is another test.
  const taken = new Set(ids);
  return given.map((test) => {
    if (!isNew(test)) return undefined;
    const { section = [], otherThan = [] } = test;
    const sectionId = section.length === 0 ? null : (index.sections.get(pathKey(section)) ?? null);
    const found = (named.get((test.testName ?? '').trim()) ?? []).find(
      (one) => one.sectionId === sectionId && !taken.has(one.id) && !otherThan.includes(one.id),
    );
    if (found) taken.add(found.id);
    return found?.id;
  });
}
