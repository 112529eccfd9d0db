import { nameKey } from '../../../core/text/name-key.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { classifications, idFieldOf, type Classification } from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import { allSections, allSquads } from '../metadata/metadata-reading.ts';
import type { Work } from '../wire/api-route.ts';
import {
  anything,
  item,
  nameReader,
  optionalReader,
  textReader,
  type FieldReader,
} from '../wire/request-field.ts';
import { testFieldsOf, withoutNulls } from './test-fields.ts';
import { writtenRecord } from './test-written.ts';

const optionalText = optionalReader(textReader);

/** A test of bulk-add, which has names instead of ids. */
export const namedTest = item({
  title: nameReader,
  section: nameReader,
  testId: optionalReader(anything),
  description: optionalText,
  sectionDescription: optionalText,
  squad: optionalText,
  priority: optionalText,
  platform: optionalText,
  type: optionalText,
  automationStatus: optionalText,
  testCoveredBy: optionalText,
  steps: optionalText,
  preConditions: optionalText,
  expectedResult: optionalText,
  additionalGroups: optionalText,
  automationId: optionalText,
  jiraTicket: optionalText,
  defects: optionalText,
});

type NamedTest = Exclude<typeof namedTest extends FieldReader<infer T> ? T : never, undefined>;

/** The fields of a test that name a value of a classification. */
const named = [
  'priority',
  'platform',
  'type',
  'automationStatus',
  'testCoveredBy',
] as const satisfies readonly Classification[];

/** Steps of all tests of a request: a text of few bytes may be a list of hundreds, which no limit of the body counts. */
const mostSteps = 100_000;

/** The ids of the names that these tests use, by field and name. */
async function valuesOf(work: Work, projectId: number, tests: readonly NamedTest[]) {
  const found = new Map<string, number>();
  for (const kind of named) {
    if (!tests.some((test) => test[kind] !== undefined)) continue;
    const { tool, property } = classifications[kind];
    const read = await work.callNamed(tool, { projectId, limit: 500, offset: 0 });
    const values = read[property] as ReadonlyArray<Readonly<Record<string, unknown>>>;
    for (const value of values)
      found.set(`${kind} ${nameKey(String(value[`${kind}Name`]))}`, Number(value[idFieldOf[kind]]));
  }
  return found;
}

/** The squads by name; those that do not exist are made. */
async function squadsFor(work: Work, projectId: number, tests: readonly NamedTest[]) {
  const wanted = new Map(
    tests.flatMap(({ squad }) => (squad?.trim() ? [[nameKey(squad), squad.trim()]] : [])),
  );
  if (wanted.size === 0) return { ids: new Map<string, number>(), added: [] };
  const known = new Set((await allSquads(work, projectId)).map(({ squadName }) => nameKey(squadName)));
  const ids = new Map<string, number>();
  const names = [...wanted.values()];
  for (let at = 0; at < names.length; at += 500) {
    const { squads } = await work.call('add-squads', { projectId, squads: names.slice(at, at + 500) });
    for (const { squadId, squadName } of squads) ids.set(nameKey(squadName), squadId);
  }
  return { ids, added: names.filter((one) => !known.has(nameKey(one))) };
}

/** Says once for each field what was not stored. */
function warnOfLoss(work: Work, tests: readonly NamedTest[], unknown: ReadonlyMap<string, number>): void {
  for (const [what, times] of [...unknown].slice(0, 50))
    work.warn(
      `${what} is not in the project: ${times} test(s) have none. Add it with add-classification, then update them.`,
    );
  const count = (has: (test: NamedTest) => boolean) => tests.filter(has).length;
  const ids = count(({ testId }) => testId !== undefined);
  if (ids > 0) work.warn(`testId of ${ids} test(s) was not used: bulk-add creates tests.`);
  const sections = count(({ sectionDescription }) => Boolean(sectionDescription));
  if (sections > 0)
    work.warn(`sectionDescription of ${sections} test(s) was not stored: sections have no description.`);
  const others = new Set(tests.flatMap((test) => test.others));
  if (others.size > 0)
    work.warn(
      `Not used: ${[...others]
        .slice(0, 20)
        .map((one) => one.slice(0, 64))
        .join(', ')}.`,
    );
}

/** Creates tests from names. Missing sections and squads are made; an unknown value of another kind is left out, with a warning. */
export async function addNamedTests(
  work: Work,
  projectId: number,
  { tests, labels }: { readonly tests: readonly NamedTest[]; readonly labels: readonly number[] | undefined },
) {
  const values = await valuesOf(work, projectId, tests);
  const sectionsBefore = new Set((await allSections(work, projectId)).map(({ sectionId }) => sectionId));
  const squads = await squadsFor(work, projectId, tests);
  const unknown = new Map<string, number>();
  const items = [];
  let steps = 0;
  for (const test of tests) {
    if (turnIsOver()) await nextTurn(work.signal);
    const { priority: _p, platform: _f, type: _t, automationStatus: _a, testCoveredBy: _c, ...texts } = test;
    const ids: Partial<Record<`${Classification}Id`, number>> = {};
    for (const kind of named) {
      const word = test[kind]?.trim();
      if (!word) continue;
      const value = values.get(`${kind} ${nameKey(word)}`);
      if (value !== undefined) ids[idFieldOf[kind]] = value;
      else {
        const what = `${kind} "${word.slice(0, 64)}"`;
        unknown.set(what, (unknown.get(what) ?? 0) + 1);
      }
    }
    const squadId = test.squad ? squads.ids.get(nameKey(test.squad)) : undefined;
    const given = { ...texts, ...ids, squadId, labels, new_section: test.section };
    const { testName = '', ...fields } = withoutNulls(testFieldsOf(given));
    steps += fields.steps?.length ?? 0;
    if (steps > mostSteps)
      throw fail.PAYLOAD_TOO_LARGE(
        `The tests have more than ${mostSteps} steps in all. Nothing was created.`,
        { cause: 'steps', tip: 'Send fewer tests at once.' },
      );
    items.push({ testName, ...fields });
  }
  const made = writtenRecord(await work.call('bulk-add-tests', { projectId, tests: items, create: true }));
  warnOfLoss(work, tests, unknown);
  const sectionsAdded = (await allSections(work, projectId))
    .filter(({ sectionId }) => !sectionsBefore.has(sectionId))
    .map(({ sectionPath }) => sectionPath.join(' > '));
  return {
    testData: { testIds: made.tests.map(({ testId }) => testId), testsAdded: `${made.total} tests added` },
    squadsAdded: squads.added,
    sectionsAdded,
  };
}
