import type { DemoStage } from '../../../core/module/module.ts';
import { day, hour, numberIn, type DemoEvent } from './demo-event.ts';
import { people, testerOf } from './demo-people.ts';
import { demoKey, type DemoTest } from './demo-tests.ts';

/** What the events find when they happen. */
export interface DemoWorld {
  projectId: number;
  /** The id of a test by its {@link demoKey}. */
  readonly ids: Map<string, number>;
}

interface Listed {
  readonly testId: number;
  readonly testName: string;
  readonly sectionPath: readonly string[];
}

/** What this shop wants to know of its tests and results. */
const ownFields = [
  { key: 'risk', name: 'Risk', kind: 'choice', options: ['High', 'Medium', 'Low'] },
  { key: 'device', name: 'Device', of: 'result', kind: 'text' },
];

/** The last section was written late, so it has never been run. */
const isLate = ({ sectionPath }: DemoTest) => sectionPath.includes('Offline');

/** The events by which the project and its tests come into being. */
export function projectEvents(
  tests: readonly DemoTest[],
  world: DemoWorld,
  start: number,
): readonly DemoEvent[] {
  const squads = [...new Set(tests.map(({ squad }) => squad))];
  const create: DemoEvent = {
    at: start,
    what: 'the project',
    run: async ({ call }) => {
      const given = {
        orgId: 1,
        projectName: 'Online shop',
        projectDescription: 'Web shop, app and back office.',
      };
      world.projectId = numberIn(await call('create-project', given, people.nadia), 'projectId');
      for (const field of ownFields)
        await call('create-field', { projectId: world.projectId, ...field }, people.nadia);
    },
  };
  const imports = squads.map((squad, n): DemoEvent => {
    const written = tests.filter((test) => test.squad === squad && !isLate(test));
    return {
      at: start + (1 + n) * 3 * hour,
      what: `the tests of ${squad}`,
      run: importer(world, written, testerOf(squad)),
    };
  });
  const late = tests.filter((test) => isLate(test));
  const lately = { at: start + 80 * day, what: 'new tests', run: importer(world, late, people.aiko) };
  const edits = tests
    .filter((test, index) => index % 23 === 4 && !isLate(test))
    .map((test, n): DemoEvent => ({
      at: start + (9 + n * 5) * day + 2 * hour,
      what: 'an edit',
      run: ({ call }) => {
        const testDescription = `Reviewed with the squad ${test.squad}: the steps are those of release 5.${n % 4}.`;
        return call(
          'update-test',
          { testId: world.ids.get(demoKey(test)), testDescription },
          testerOf(test.squad),
        );
      },
    }));
  return [create, ...imports, lately, ...edits];
}

const importer =
  (world: DemoWorld, tests: readonly DemoTest[], by: string) =>
  async ({ call }: DemoStage): Promise<void> => {
    const { projectId } = world;
    const content = JSON.stringify({ tests });
    await call('import-tests', { projectId, content, format: 'json' }, by);
    const listed = await call('get-tests', {
      projectId,
      limit: 500,
      fields: ['testId', 'testName', 'sectionPath'],
    });
    for (const test of listed['tests'] as readonly Listed[]) world.ids.set(demoKey(test), test.testId);
  };
