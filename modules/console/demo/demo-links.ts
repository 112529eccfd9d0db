import type { DemoStage } from '../../../core/module/module.ts';
import { day, hour, numberIn, type DemoEvent } from './demo-event.ts';
import { people } from './demo-people.ts';
import type { DemoWorld } from './demo-project.ts';
import { demoKey, type DemoTest } from './demo-tests.ts';

/** The number of the first requirement. */
const firstRequirement = 1_101;

/** What the tests are for and which failures are known: links, and a test in quarantine. */
export function linkEvents(
  tests: readonly DemoTest[],
  world: DemoWorld,
  { start, now }: { readonly start: number; readonly now: number },
): readonly DemoEvent[] {
  const sections = [...new Set(tests.map(({ sectionPath }) => sectionPath.join(' > ')))];
  return [
    { at: start + 2 * day, what: 'the addresses of tickets', run: (stage) => setTemplates(stage, world) },
    ...sections.map((section, n): DemoEvent => {
      const own = tests.filter(({ sectionPath }) => sectionPath.join(' > ') === section);
      const key = `SHOP-${firstRequirement + n}`;
      return {
        at: start + 81 * day + n * hour,
        what: 'a requirement',
        run: ({ call }) => {
          const testIds = own.flatMap((test) => world.ids.get(demoKey(test)) ?? []);
          const links = [{ kind: 'requirement', key }];
          return call('add-links', { projectId: world.projectId, testIds, links }, people.nadia);
        },
      };
    }),
    { at: now - 5 * day, what: 'known failures', run: (stage) => linkDefects(stage, world) },
    { at: now - 4 * day, what: 'a quarantine', run: (stage) => setFlakyAside(stage, world, now) },
  ];
}

const setTemplates = ({ call }: DemoStage, { projectId }: DemoWorld) =>
  call(
    'edit-project',
    {
      projectId,
      linkTemplates: [
        {
          prefix: 'SHOP-',
          url: 'https://tickets.shop.example/browse/{key}',
          newIssueUrl: 'https://tickets.shop.example/new?summary={title}&description={body}',
        },
      ],
    },
    people.nadia,
  );

/** Links the failing tests to the tickets that their comments name. */
async function linkDefects({ call }: DemoStage, { projectId }: DemoWorld): Promise<void> {
  const { tests } = await call('get-tests', { projectId, query: 'last:failed', limit: 50 });
  for (const { testId } of tests as ReadonlyArray<{ readonly testId: number }>) {
    const { history } = await call('get-test-status-history', { projectId, testId, limit: 1 });
    const [last] = history as ReadonlyArray<{ readonly comment: string | null; readonly runId: number }>;
    const [key] = /SHOP-\d+/.exec(last?.comment ?? '') ?? [];
    if (!last || key === undefined) continue;
    const links = [{ kind: 'defect', key }];
    await call('add-links', { projectId, runId: last.runId, testIds: [testId], links }, people.tom);
  }
}

/** The test that is flaky most of all, for four weeks. */
async function setFlakyAside({ call }: DemoStage, { projectId }: DemoWorld, now: number): Promise<void> {
  const query = 'flaky:yes sort:failed-desc';
  const { tests } = await call('get-tests', { projectId, query, limit: 1 });
  const [test] = tests as ReadonlyArray<{ readonly testId: number }>;
  if (!test) return;
  const { users } = await call('get-all-users', { limit: 50 });
  const owner = (users as ReadonlyArray<Record<string, unknown>>).find(({ email }) => email === people.luis);
  const quarantine = {
    projectId,
    testIds: [test.testId],
    reason: 'The page is sometimes slower than 30 s on the machine of the pipeline.',
    ownerId: numberIn(owner ?? {}, 'userId'),
    until: new Date(now + 24 * day).toISOString().slice(0, 10),
    linkKey: 'SHOP-3120',
  };
  await call('set-quarantine', quarantine, people.luis);
}
