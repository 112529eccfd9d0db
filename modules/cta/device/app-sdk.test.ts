import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { stillClock } from '../../../test/kernel.ts';
import { freshTenant, startCtaKernel } from '../testing/cta-kernel.ts';
import recorded from './app-sdk-cases.json';
import derived from './app-sdk-derived.json';

/*
 * Compares the predictions of simulate-cta with the deployed app SDK. `app-sdk-cases.json` was recorded by running the unmodified SDK on
 * launch responses; `app-sdk-derived.json` contains further cases that were worked out by hand from the same rules.
 */
interface Case {
  readonly name: string;
  readonly rules: readonly object[];
  readonly tags?: readonly { readonly behaviourTagName: string; readonly ctas: readonly number[] }[];
  readonly app?: object;
  readonly steps: readonly {
    readonly kind?: string;
    readonly event?: string;
    readonly properties?: object;
    readonly afterMs: number;
  }[];
  /** A refusal at save is a correct result too. */
  readonly refusable?: boolean;
  readonly sdk: {
    readonly shown: readonly (readonly { cta: number; actionId: string; type: string }[])[];
    readonly machines: readonly Record<string, { currentState: string; context?: object }>[];
    readonly resets?: readonly (readonly { cta: number; key: string }[])[];
  };
}

interface Played {
  readonly steps: readonly {
    outcomes: { kind: string; ctaId: string; groupKey: string; actionId?: string; type?: string }[];
  }[];
  readonly ctas: readonly {
    ctaId: string;
    activeStateMachines: Record<string, { currentState: string; context?: object }>;
  }[];
}

const clock = stillClock();
const now = clock.now();
let tenantId: string;

const trivet = await startCtaKernel(clock);
afterAll(() => trivet.stop());
beforeEach(() => {
  clock.set(now);
  tenantId = freshTenant();
});

/** Fills in `{"$now": ms}` and `"<cta:0>"`, which cases write for values that are known only at run time. */
function filledIn<T>(value: T, ctaIds: readonly string[] = []): T {
  return JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'object' && inner !== null && '$now' in inner) return now + Number(inner.$now);
      const named = typeof inner === 'string' ? /^<cta:(\d+)>$/.exec(inner) : null;
      return named ? ctaIds[Number(named[1])] : inner;
    }),
  ) as T;
}

async function predicted(known: Case): Promise<{ played: Played; ctaIds: string[] } | 'refused'> {
  const ctaIds: string[] = [];
  for (const rule of known.rules) {
    const fields = { tenantId, name: known.name, rule: filledIn(rule) };
    if (known.refusable === true && (await trivet.refusal('create-cta', fields)) !== null) return 'refused';
    ctaIds.push(await trivet.makeCta(fields));
  }
  for (const { ctas, ...tag } of known.tags ?? []) {
    await trivet.call('create-behaviour-tag', { tenantId, ...filledIn(tag, ctaIds) });
    await trivet.call('link-behaviour-tag', {
      behaviourTagName: tag.behaviourTagName,
      ctaIds: ctas.map((index) => ctaIds[index]),
    });
  }
  let at = now;
  const steps = known.steps.map(({ afterMs, ...step }) => {
    at += afterMs;
    return { ...filledIn(step), at };
  });
  const played = await trivet.call('simulate-cta', { tenantId, ctaIds, ...known.app, steps });
  return { played: played as unknown as Played, ctaIds };
}

const allCases: [string, Case[]][] = [
  ['as the SDK was recorded', recorded as unknown as Case[]],
  ['as follows from its rules', derived as unknown as Case[]],
];
describe.each(allCases)('%s', (_, cases) => {
  test.each(cases.map((known): [string, Case] => [known.name, known]))('%s', async (__, known) => {
    const outcome = await predicted(known);
    if (outcome === 'refused') return;
    const { played, ctaIds } = outcome;
    const place = (ctaId: string) => ctaIds.indexOf(ctaId);
    const shown = played.steps.map(({ outcomes }) =>
      outcomes
        .filter(({ kind }) => kind === 'action')
        .map(({ ctaId, actionId, type }) => ({ cta: place(ctaId), actionId, type })),
    );
    const machines = ctaIds.map((ctaId) => {
      const held = played.ctas.find((cta) => cta.ctaId === ctaId)?.activeStateMachines ?? {};
      return Object.fromEntries(
        Object.entries(held).map(([key, { currentState, context }]) => [
          key === ctaId ? '<ctaId>' : key,
          { currentState, ...(context && { context }) },
        ]),
      );
    });
    const resets = played.steps.map(({ outcomes }) =>
      outcomes
        .filter(({ kind }) => kind === 'reset')
        .map(({ ctaId, groupKey }) => ({
          cta: place(ctaId),
          key: groupKey === ctaId ? '<ctaId>' : groupKey,
        })),
    );
    expect({ shown, machines, ...(known.sdk.resets && { resets }) } as object).toEqual(known.sdk);
  });
});
