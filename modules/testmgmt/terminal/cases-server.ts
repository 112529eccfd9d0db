import { Fault, UsageError } from '../../../core/base/errors.ts';
import type { ToolCommandCall } from '../../../core/module/command.ts';
import { clientSettings } from '../../../core/settings/settings.ts';
import type { CaseBase, SyncedCase } from '../case-files/case-base.ts';
import { contentHash, type TestContent } from '../case-files/case-content.ts';
import { sectionOfPath } from '../case-files/case-path.ts';
import type { ServerCase } from '../case-files/case-pull.ts';
import { byName } from '../rules/classification.ts';
import type { CaseFolder } from './cases-folder.ts';
import { projectIdOf } from './project-choice.ts';

/** The project and server of a folder, which the first pull or push decides. @throws UsageError. */
export async function folderBase(
  { base, path }: CaseFolder,
  { config, call }: ToolCommandCall,
  project: string | undefined,
): Promise<CaseBase> {
  const server = config.read(clientSettings).url?.replace(/\/$/, '') ?? null;
  if (!base) {
    const id = await projectIdOf((tool, args) => call(tool, args), project);
    return { server, project: id, tests: new Map() };
  }
  const given =
    project === undefined ? base.project : await projectIdOf((tool, args) => call(tool, args), project);
  if (given !== base.project)
    throw new UsageError(
      `${path} holds the tests of project ${base.project}, not of ${given}. Use another folder, or remove .trivet/cases.json from it.`,
    );
  if (base.server !== null && server !== null && base.server !== server)
    throw new UsageError(
      `${path} holds tests of ${base.server}, and --url is ${server}, whose ids mean other tests. If it is the same server, change "server" in .trivet/cases.json.`,
    );
  return { ...base, server: base.server ?? server };
}

type Pulled = { readonly testId: number; readonly version: number } & TestContent;

const contentIn = (record: TestContent): TestContent => ({
  testName: record.testName,
  section: record.section,
  testDescription: record.testDescription,
  preconditions: record.preconditions,
  steps: record.steps,
  ...byName((kind) => record[kind]),
  squad: record.squad,
  labels: record.labels,
  estimateSeconds: record.estimateSeconds,
});

/** All tests of a project, in pages. */
export async function pullEveryTest(
  { call }: ToolCommandCall,
  projectId: number,
): Promise<readonly ServerCase[]> {
  const found: ServerCase[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = (await call('pull-tests', { projectId, after })) as {
      readonly tests: readonly Pulled[];
      readonly nextAfter?: number;
    };
    for (const test of page.tests)
      found.push({ testId: test.testId, version: test.version, content: contentIn(test) });
    after = page.nextAfter;
  }
  return found;
}

/** What tests were when they were pulled or pushed: from this folder, else from the server's versions. */
export async function knownContents(
  { call }: ToolCommandCall,
  { base, folder: { tree, contents } }: { readonly base: CaseBase; readonly folder: CaseFolder },
  testIds: readonly number[],
): Promise<ReadonlyMap<number, TestContent>> {
  const found = new Map<number, TestContent>();
  const inFiles = new Map(tree.cases.map((one) => [one.testId, one.content]));
  for (const testId of testIds) {
    const known = base.tests.get(testId);
    if (known === undefined) continue;
    const here = contents.get(known.hash);
    const content = here ?? (await contentOfVersion(call, base.project, testId, known.version));
    if (content) found.set(testId, here ?? asItWas(content, known, inFiles.get(testId)));
  }
  return found;
}

/**
 * A version that a server has is with the names and places of today. Its section was that of its file then, and its other names may still be
 * those of its file now: the hash says whether it was so.
 */
function asItWas(
  content: TestContent,
  { path, hash }: SyncedCase,
  here: TestContent | undefined,
): TestContent {
  const inItsFile = { ...content, section: sectionOfPath(path) };
  const { labels, squad } = here ?? content;
  const withItsNames = { ...inItsFile, labels, squad, ...byName((kind) => (here ?? content)[kind]) };
  return [content, inItsFile, withItsNames].find((one) => contentHash(one) === hash) ?? inItsFile;
}

interface TestDetails extends Omit<TestContent, 'section' | 'labels'> {
  readonly sectionPath: readonly string[];
  readonly labels: ReadonlyArray<{ readonly labelName: string }>;
}

/** @param version undefined: the present one. @returns undefined: it is not kept any more. */
export async function contentOfVersion(
  call: ToolCommandCall['call'],
  projectId: number,
  testId: number,
  version?: number,
): Promise<TestContent | undefined> {
  try {
    const asked = { projectId, testId, ...(version !== undefined && { version }) };
    const { labels, sectionPath, ...record } = (await call('get-test-details', asked)) as TestDetails;
    return contentIn({ ...record, section: sectionPath, labels: labels.map(({ labelName }) => labelName) });
  } catch (error) {
    if (error instanceof Fault && /^(?:VERSION|TEST)_NOT_FOUND$/.test(error.code)) return undefined;
    throw error;
  }
}
