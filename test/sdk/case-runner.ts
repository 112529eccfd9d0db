import type { Action, Outcome, Trivet, TrivetOptions } from '../../sdk/trivet/trivet.ts';
import { memoryStorage } from '../../sdk/base/storage.ts';
import { testClock } from '../../sdk/testing/test-clock.ts';
import { testServer } from '../../sdk/testing/test-server.ts';
import type { publishedCases } from '../../modules/cta/app-sdk/published-cases.ts';

/*
 * Plays the published cases on a built SDK, as docs/sdk-cases.md says. It runs in every engine (Hermes too), so it uses nothing of the
 * platform; test/sdk/runner-script.ts makes one script of it.
 */
export type PublishedCase = ReturnType<typeof publishedCases>['cases'][number];

/** What became of a case. */
export interface CaseResult {
  readonly name: string;
  readonly shown: ReadonlyArray<
    ReadonlyArray<{ readonly ctaId: string; readonly actionId: string; readonly type: string }>
  >;
  readonly resets: ReadonlyArray<ReadonlyArray<{ readonly ctaId: string; readonly groupKey: string }>>;
  /** As the server knows them in the end. */
  readonly machines: Readonly<Record<string, Readonly<Record<string, { readonly currentState: string }>>>>;
  readonly errors: readonly string[];
}

export async function playCases(
  createTrivet: (options: TrivetOptions) => Trivet,
  cases: readonly PublishedCase[],
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) results.push(await playCase(createTrivet, one));
  return results;
}

async function playCase(
  createTrivet: (options: TrivetOptions) => Trivet,
  { name, app, ctas, behaviourTags, steps }: PublishedCase,
): Promise<CaseResult> {
  const clock = testClock(steps[0]?.at ?? 0);
  const server = testServer(ctas, behaviourTags, clock.now);
  const errors: string[] = [];
  const appeared: Action[] = [];
  const open = () => {
    const trivet = createTrivet({
      url: 'http://trivet.invalid',
      app: {
        ...(app.appVersion !== null && { version: app.appVersion }),
        ...(app.packageName !== null && { packageName: app.packageName }),
        ...(app.platform !== null && { platform: app.platform }),
      },
      storage: memoryStorage(),
      fetch: server,
      now: clock.now,
      random: () => 0.5,
      later: clock.later,
      lifecycle: () => () => {},
      onError: ({ code, message }) => errors.push(`${code}: ${message}`),
    });
    trivet.cta.setUser('1');
    trivet.cta.on('action', (action) => appeared.push(action));
    return trivet;
  };
  let trivet = open();
  // A device that has launched before: this one and its server start with nothing.
  await trivet.cta.launch();
  const outcomes: Array<readonly Outcome[]> = [];
  for (const step of steps) {
    clock.advance(step.at - clock.now());
    outcomes.push(step.kind === 'event' ? trivet.cta.track(step.name, step.properties) : []);
    if (step.kind === 'event') continue;
    await trivet.cta.flush();
    if (step.kind === 'first-launch') {
      trivet.dispose();
      trivet = open();
    }
    await trivet.cta.launch();
  }
  clock.advance(3_600_000);
  await trivet.cta.flush();
  const answer = await server('/cta/active/state-machines/', { headers: { 'auth-userid': '1' }, body: '{}' });
  const { data } = (await answer.json()) as {
    data: { ctas: Array<{ ctaId: string; activeStateMachines: CaseResult['machines'][string] }> };
  };
  const machines: Record<string, CaseResult['machines'][string]> = {};
  for (const { ctaId, activeStateMachines } of data.ctas) machines[ctaId] = activeStateMachines;
  const hasAppeared = (ctaId: string, actionId: string) =>
    appeared.some((action) => action.ctaId === ctaId && action.actionId === actionId);
  return {
    name,
    errors,
    machines,
    shown: outcomes.map((step) =>
      step.flatMap((one) =>
        one.kind === 'action' && hasAppeared(one.ctaId, one.action.actionId)
          ? [{ ctaId: one.ctaId, actionId: one.action.actionId, type: one.action.type }]
          : [],
      ),
    ),
    resets: outcomes.map((step) =>
      step.flatMap((one) => (one.kind === 'reset' ? [{ ctaId: one.ctaId, groupKey: one.groupKey }] : [])),
    ),
  };
}
