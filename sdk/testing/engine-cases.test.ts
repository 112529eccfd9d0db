import { describe, expect, test } from 'bun:test';
import recorded from '../../modules/cta/device/app-sdk-cases.json';
import derived from '../../modules/cta/device/app-sdk-derived.json';
import { memoryStorage } from '../base/storage.ts';
import { createTrivet, type Action, type Outcome } from '../trivet/trivet.ts';
import { testClock } from './test-clock.ts';
import { testServer } from './test-server.ts';

/*
 * The cases of the deployed SDK (modules/cta/device/app-sdk.test.ts compares the server's prediction with them), played on ours: what it
 * shows, and what the server knows of its state machines in the end.
 */
interface Case {
  readonly name: string;
  readonly rules: readonly object[];
  readonly tags?: ReadonlyArray<{ readonly behaviourTagName: string; readonly ctas: readonly number[] }>;
  readonly app?: { readonly appVersion?: string; readonly packageName?: string; readonly platform?: string };
  readonly steps: ReadonlyArray<{
    readonly kind?: string;
    readonly event?: string;
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly afterMs: number;
    readonly cta?: number;
  }>;
  readonly refusable?: boolean;
  readonly sdk: {
    readonly shown: ReadonlyArray<ReadonlyArray<{ cta: number; actionId: string; type: string }>>;
    readonly machines: ReadonlyArray<Record<string, { currentState: string; context?: object }>>;
    readonly resets?: ReadonlyArray<ReadonlyArray<{ cta: number; key: string }>>;
  };
}

const start = 1_800_000_000_000;
/** The id of the first CTA: no group key of a case looks like it. */
const first = 901;

function filledIn<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'object' && inner !== null && '$now' in inner) return start + Number(inner.$now);
      const named = typeof inner === 'string' ? /^<cta:(\d+)>$/.exec(inner) : null;
      return named ? String(Number(named[1]) + first) : inner;
    }),
  ) as T;
}

async function played(known: Case) {
  const tagOf = (index: number) => known.tags?.find(({ ctas }) => ctas.includes(index))?.behaviourTagName;
  const rules = known.rules.map((rule, index) => ({
    ctaId: String(index + first),
    rule: filledIn(rule),
    behaviourTagName: tagOf(index) ?? null,
  }));
  const tags = (known.tags ?? []).map((tag) => filledIn(tag));
  const clock = testClock(start);
  const server = testServer(rules, tags, clock.now);
  const { appVersion, packageName, platform } = known.app ?? {};
  const storage = memoryStorage();
  const errors: unknown[] = [];
  const open = (with_ = storage) => {
    const trivet = createTrivet({
      url: 'http://trivet.invalid',
      app: {
        ...(appVersion && { version: appVersion }),
        ...(packageName && { packageName }),
        ...(platform && { platform }),
      },
      storage: with_,
      fetch: server,
      now: clock.now,
      random: () => 0.5,
      later: clock.later,
      lifecycle: () => () => {},
      onError: (error) => errors.push(error),
    });
    trivet.cta.setUser('1');
    return trivet;
  };
  // A device that has launched before.
  let trivet = open();
  await trivet.cta.launch();
  const appeared: Action[] = [];
  trivet.cta.on('action', (action) => appeared.push(action));
  const outcomes: Array<readonly Outcome[]> = [];
  for (const { kind = 'event', event = '', properties, afterMs } of known.steps) {
    clock.advance(afterMs);
    if (kind === 'event') {
      outcomes.push(trivet.cta.track(event, filledIn(properties ?? {})));
      continue;
    }
    outcomes.push([]);
    await trivet.cta.flush();
    if (kind === 'session') await trivet.cta.launch();
    if (kind === 'first-launch') {
      trivet.dispose();
      trivet = open(memoryStorage());
      trivet.cta.on('action', (action) => appeared.push(action));
      await trivet.cta.launch();
    }
  }
  clock.advance(3_600_000);
  await trivet.cta.flush();
  expect(trivet.cta.pending()).toBe(0);
  const answer = await server('/cta/active/state-machines/', { headers: { 'auth-userid': '1' }, body: '{}' });
  const { data } = (await answer.json()) as {
    data: {
      ctas: Array<{
        ctaId: string;
        activeStateMachines: Record<string, { currentState: string; context?: object }>;
      }>;
    };
  };
  return { outcomes, appeared, errors, ctas: data.ctas };
}

const allCases: Array<[string, Case[]]> = [
  ['as the deployed SDK was recorded', recorded as unknown as Case[]],
  ['as follows from its rules', derived as unknown as Case[]],
];
describe.each(allCases)('%s', (_, cases) => {
  test.each(cases.map((known): [string, Case] => [known.name, known]))('%s', async (__, known) => {
    const { outcomes, appeared, errors, ctas } = await played(known);
    const place = (ctaId: string) => Number(ctaId) - first;
    const shown = outcomes.map((step) =>
      step.flatMap((one) =>
        one.kind === 'action' && appeared.some(({ actionId }) => actionId === one.action.actionId)
          ? [{ cta: place(one.ctaId), actionId: one.action.actionId, type: one.action.type }]
          : [],
      ),
    );
    const machines = ctas.map(({ ctaId, activeStateMachines }) =>
      Object.fromEntries(
        Object.entries(activeStateMachines).map(([key, { currentState, context }]) => [
          key === ctaId ? '<ctaId>' : key,
          { currentState, ...(context && { context }) },
        ]),
      ),
    );
    const resets = outcomes.map((step) =>
      step.flatMap((one) =>
        one.kind === 'reset'
          ? [{ cta: place(one.ctaId), key: one.groupKey === one.ctaId ? '<ctaId>' : one.groupKey }]
          : [],
      ),
    );
    // A machine in "0" is never sent, so the server does not know it.
    const sent = known.sdk.machines.map((held, index) =>
      Object.fromEntries(
        Object.entries(held).filter(
          ([key, { currentState }]) => currentState !== '0' || machines[index]?.[key],
        ),
      ),
    );
    expect(errors).toEqual([]);
    expect({ shown, machines, ...(known.sdk.resets && { resets }) } as object).toEqual({
      ...known.sdk,
      machines: sent,
    });
  });
});
