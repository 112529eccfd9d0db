import type { Fault } from '../../../core/base/errors.ts';
import { bytesOf, isFile } from '../../../core/tools/file-answer.ts';
import { randomFrom } from '../../../test/verify/scale.ts';
import type { TestmgmtKernel } from './testmgmt-kernel.ts';

type Row = Readonly<Record<string, unknown>>;

const words = ['login', 'cart', 'refund', 'search', 'export'];

/** A project whose tests and sections are changed at random, with the tools that do so. */
export async function versionWorld(trivet: TestmgmtKernel, seed: number) {
  const random = randomFrom(seed);
  const projectId = await trivet.makeProject();
  const ids = async (tool: string, key: string, id: string) =>
    ((await trivet.call(tool, { projectId }))[key] as Row[]).map((row) => Number(row[id]));
  await trivet.call('add-labels', { projectId, labels: ['smoke', 'slow', 'odd'] });
  await trivet.call('add-squads', { projectId, squads: ['Payments', 'Search'] });
  const labelIds = await ids('get-labels', 'labels', 'labelId');
  const squadIds = await ids('get-squads', 'squads', 'squadId');
  const priorityIds = await trivet.optionIds(projectId, 'priority');
  for (const name of ['A', 'B']) await trivet.makeSection(projectId, name);
  await trivet.makeTests(projectId, 12);

  const some = <T>(from: readonly T[], most: number): T[] => {
    const rest = [...from];
    return Array.from({ length: Math.min(rest.length, 1 + random.below(most)) }, () =>
      rest.splice(random.below(rest.length), 1),
    ).flat();
  };
  /** 0, which every tool refuses, if there is none. */
  const one = (from: readonly number[]) => (from.length > 0 ? random.pick(from) : 0);
  const text = () => `${random.pick(words)} ${random.below(1_000)}`;
  const sectionIds = () => ids('get-sections', 'sections', 'sectionId');
  const testIds = () => ids('get-tests', 'tests', 'testId');
  const milestoneIds = () => ids('get-milestones', 'milestones', 'milestoneId');
  /** Fields of a test; a few of them. */
  const fields = async () => {
    const [sections, all] = [
      await sectionIds(),
      {
        testName: text,
        testDescription: text,
        preconditions: text,
        steps: () => some(words, 3).map((action) => ({ action })),
        sectionId: () => (sections.length > 0 ? random.pick([...sections, null]) : null),
        priorityId: () => random.pick([...priorityIds, null]),
        squadId: () => random.pick([...squadIds, null]),
        estimateSeconds: () => random.pick([60, 120, null]),
        labels: () => some(labelIds, 3),
      },
    ];
    const names = some(Object.keys(all) as Array<keyof typeof all>, 3);
    return Object.fromEntries(names.map((name) => [name, all[name]()]));
  };
  const created = async () => {
    const given = Object.entries(await fields()).filter(([, value]) => value !== null);
    return { testName: text(), ...Object.fromEntries(given) };
  };

  const edits: Readonly<Record<string, () => Promise<readonly [string, object]>>> = {
    create: async () => ['create-test', { projectId, ...(await created()) }],
    createMany: async () => ['bulk-add-tests', { projectId, tests: [await created(), await created()] }],
    update: async () => ['update-test', { testId: one(await testIds()), ...(await fields()) }],
    sameAgain: async () => {
      const testId = one(await testIds());
      if (testId === 0) return ['delete-test', { projectId, testId }];
      const { testName, testDescription } = await trivet.call('get-test-details', { projectId, testId });
      return ['update-test', { testId, testName, testDescription, ...(await fields()) }];
    },
    updateMany: async () => {
      const chosen = some(await testIds(), 4);
      const tests: object[] = [];
      for (const testId of chosen) tests.push({ testId, ...(await fields()) });
      return ['bulk-update-tests', { tests }];
    },
    change: async () => [
      'change-tests',
      { projectId, query: `id:${some(await testIds(), 5).join()}`, set: await fields() },
    ],
    label: async () => [
      'update-test',
      { testId: one(await testIds()), addLabels: [labelIds[0]], removeLabels: [labelIds[1]] },
    ],
    remove: async () => ['delete-test', { projectId, testId: one(await testIds()) }],
    removeMany: async () => ['bulk-delete-tests', { projectId, testIds: some(await testIds(), 3) }],
    restore: async () => ['restore-tests', { projectId, query: 'is:deleted' }],
    revert: async () => ['revert-test', { testId: one(await testIds()), version: 1 + random.below(3) }],
    import: async () => [
      'import-tests',
      { projectId, content: `Title,Section\n${text()},A > new ${random.below(9)}\n${text()},\n` },
    ],
    addSection: async () => ['add-section', { projectId, sectionName: text() }],
    renameSection: async () => ['edit-section', { sectionId: one(await sectionIds()), sectionName: text() }],
    moveSection: async () => {
      const sections = await sectionIds();
      return [
        'move-section',
        { sectionId: one(sections), parentSectionId: random.pick([...sections, null]) },
      ];
    },
    removeSection: async () => ['delete-section', { sectionId: one(await sectionIds()), withContents: true }],
    addMilestone: async () => ['create-milestone', { projectId, name: text() }],
    editMilestone: async () => [
      'edit-milestone',
      { projectId, milestoneId: one(await milestoneIds()), name: text(), parentMilestoneId: null },
    ],
    placeMilestone: async () => {
      const all = await milestoneIds();
      return [
        'edit-milestone',
        { projectId, milestoneId: one(all), parentMilestoneId: one(all), dueOn: '2027-01-01' },
      ];
    },
    closeMilestone: async () => ['close-milestone', { projectId, milestoneId: one(await milestoneIds()) }],
    removeMilestone: async () => ['delete-milestone', { projectId, milestoneId: one(await milestoneIds()) }],
  };

  /** Everything that a person sees of tests and sections, without who changed them when. */
  const seen = async (asOf?: string): Promise<string> => {
    const at = asOf === undefined ? {} : { asOf };
    const exported = await exportOf(trivet, { projectId, ...at });
    const sections = (await trivet.call('get-sections', { projectId, ...at }))['sections'] as Row[];
    // The path of a section has the names of today.
    const without = ({
      updatedAt: _at,
      updatedBy: _by,
      version: _version,
      sectionPath: _path,
      ...row
    }: Row) => row;
    return JSON.stringify([exported.map(without), sections.map(without)], null, 1);
  };

  /** What `seen` shows, of any number of tests: the export as a file, and all sections. */
  const exported = async (asOf?: string): Promise<string> => {
    const at = asOf === undefined ? {} : { asOf };
    const file: unknown = await trivet.call('download-tests', { projectId, format: 'json', ...at });
    if (!isFile(file)) throw new Error('download-tests answered no file');
    const { tests } = JSON.parse((await bytesOf(file, 64 * 2 ** 20)).toString('utf8')) as { tests: Row[] };
    const sections: Row[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: Row = await trivet.call('get-sections', { projectId, ...at, limit: 500, offset });
      sections.push(...(part['sections'] as Row[]));
      offset = part['nextOffset'] as number | undefined;
    }
    const without = ({ updatedAt: _at, updatedBy: _by, sectionPath: _path, ...row }: Row) => row;
    return JSON.stringify([tests.map(without), sections.map(without)]);
  };
  const milestonesSeen = async (): Promise<string> => {
    const { milestones } = await trivet.call('get-milestones', { projectId, limit: 500 });
    return JSON.stringify(
      (milestones as Row[])
        .map(({ updatedAt: _at, updatedBy: _by, ...row }) => row)
        .toSorted((a, b) => Number(a['milestoneId']) - Number(b['milestoneId'])),
    );
  };

  const newestActivity = async (): Promise<number> => {
    const { activities } = await trivet.call('list-activity', { projectId, limit: 1 });
    return Number((activities as Row[])[0]?.['activityId'] ?? 0);
  };

  return {
    projectId,
    random,
    testIds,
    labelIds,
    seen,
    exported,
    milestonesSeen,
    newestActivity,
    /** Makes one random change. @returns its name and its activity, or null if it was refused or changed nothing. */
    edit: async (): Promise<{ readonly name: string; readonly activityId: number } | null> => {
      const before = await newestActivity();
      const name = random.pick(Object.keys(edits));
      const [tool, input] = (await edits[name]?.()) ?? ['', {}];
      const refused: Fault | null = await trivet.refusal(tool, input);
      const activityId = await newestActivity();
      if (refused && activityId > before)
        throw new Error(`${name} was refused and wrote: ${refused.message}`);
      return activityId === before ? null : { name, activityId };
    },
  };
}

async function exportOf(trivet: TestmgmtKernel, input: object): Promise<readonly Row[]> {
  const tests: Row[] = [];
  const { tests: listed } = (await trivet.call('get-tests', { ...input, limit: 500 })) as { tests: Row[] };
  for (const { testId } of listed) tests.push(await trivet.call('get-test-details', { ...input, testId }));
  return tests;
}
