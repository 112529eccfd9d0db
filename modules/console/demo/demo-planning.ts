import { day, hour, numberIn, type DemoEvent } from './demo-event.ts';
import { people, testerOf } from './demo-people.ts';
import type { DemoWorld } from './demo-project.ts';
import { demoKey, type DemoTest } from './demo-tests.ts';

/** How long a test takes whose steps people do: longer for more steps. */
const secondsOf = ({ steps }: DemoTest): number => 60 + 45 * steps.length;

const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The plan of the next release: estimates, a milestone, browsers, and a plan whose tests three people share. */
export function planningEvents(
  tests: readonly DemoTest[],
  world: DemoWorld,
  now: number,
): readonly DemoEvent[] {
  const estimated = tests.filter((_, index) => index % 2 === 0);
  const critical = tests.filter(({ priority }) => priority === 'Critical');
  const idsOf = (some: readonly DemoTest[]) => some.flatMap((test) => world.ids.get(demoKey(test)) ?? []);
  return [
    {
      at: now - 50 * hour,
      what: 'estimates',
      run: ({ call }) =>
        call(
          'bulk-update-tests',
          {
            tests: estimated.flatMap((test) =>
              idsOf([test]).map((testId) => ({ testId, estimateSeconds: secondsOf(test) })),
            ),
          },
          people.nadia,
        ),
    },
    {
      at: now - 30 * hour,
      what: 'the plan of the next release',
      run: async ({ call }) => {
        const { projectId } = world;
        const milestone = {
          projectId,
          name: 'Release 5.4',
          description: 'The new checkout for all shops.',
          startOn: dayText(now - 7 * day),
          dueOn: dayText(now + 10 * day),
        };
        const milestoneId = numberIn(await call('create-milestone', milestone, people.nadia), 'milestoneId');
        for (const [name, values] of [
          ['Browser', ['Chrome', 'Firefox', 'Safari']],
          ['Device', ['Desktop', 'Telephone']],
        ] as const)
          await call('create-configuration-group', { projectId, name, values }, people.nadia);
        const users = await call('get-all-users', { orgId: 1, limit: 500 });
        const testers = new Set(critical.map(({ squad }) => testerOf(squad)));
        const assignTo = (users['users'] as ReadonlyArray<{ userId: number; email: string | null }>)
          .filter(({ email }) => email !== null && testers.has(email))
          .map(({ userId }) => userId);
        const plan = {
          projectId,
          name: 'Smoke tests 5.4',
          description: 'Every browser and every device, before the release.',
          milestoneId,
          dueOn: dayText(now + 8 * day),
          entries: [{ testIds: idsOf(critical), configurations: 'pairwise', assignTo, by: 'estimate' }],
        };
        await call('create-plan', plan, people.nadia);
      },
    },
  ];
}
