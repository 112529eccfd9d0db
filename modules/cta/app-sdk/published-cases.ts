import { deviceOf, snapshotOf, type Device, type Offer } from '../device/device.ts';
import { playSteps, type PlayedStep } from '../device/step-player.ts';
import { byPriority, type AppCta } from '../rules/app-cta.ts';
import { unknownApp, type AppFacts } from '../rules/app-event.ts';
import type { CtaOutcome } from '../rules/outcome.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';
import { wireRule } from '../rules/wire-rule.ts';
import { outcomeRecordOf } from '../simulation/simulate-record.ts';
import { emptyState } from '../state/user-state.ts';

/*
 * The cases of the engine as plain JSON, for whoever writes an SDK in another language. docs/sdk-cases.md describes the format; what it
 * says is fixed, so a change needs a new number of the format.
 */

/** A case as modules/cta/device/app-sdk-cases.json and app-sdk-derived.json have it. */
export interface KnownCase {
  readonly name: string;
  readonly rules: readonly object[];
  readonly tags?: readonly { readonly behaviourTagName: string; readonly ctas: readonly number[] }[];
  readonly app?: Partial<AppFacts>;
  readonly steps: readonly {
    readonly kind?: string;
    readonly event?: string;
    readonly properties?: object;
    readonly afterMs: number;
  }[];
  /** The server may refuse the rule: no app gets it then. */
  readonly refusable?: boolean;
  readonly sdk: {
    readonly shown: readonly (readonly Shown[])[];
    readonly machines: readonly Readonly<Record<string, object>>[];
    readonly resets?: readonly (readonly { readonly cta: number; readonly key: string }[])[];
  };
}

interface Shown {
  readonly cta: number;
  readonly actionId: string;
  readonly type: string;
}

/** The first step of each case: 2026-01-01T00:00:00Z. */
const start = 1_767_225_600_000;

const ownId = '<ctaId>';

/** @param sources the known cases, by where they are from. */
export function publishedCases(sources: Readonly<Record<string, readonly KnownCase[]>>) {
  const cases = Object.entries(sources).flatMap(([source, known]) =>
    known.map((one) => ({ source, ...published(one) })),
  );
  return { format: 1, description: 'docs/sdk-cases.md', cases };
}

function published(known: KnownCase) {
  const ctaIds = known.rules.map((_, index) => String(index + 1));
  const idOf = (index: number) => ctaIds[index] ?? '';
  const tags = (known.tags ?? []).map(({ ctas, ...tag }) => ({ ctas, tag: filledIn(tag, ctaIds) }));
  const tagOf = (index: number) => tags.find(({ ctas }) => ctas.includes(index))?.tag.behaviourTagName;
  const ctas = known.rules
    .map((rule, index): AppCta => ({
      ctaId: idOf(index),
      behaviourTagName: tagOf(index) ?? null,
      rule: wireRule(filledIn(rule as RuleInput, ctaIds), null),
    }))
    .sort(byPriority);
  const definitions: readonly TagDefinition[] = tags.map(({ tag }) => tag);
  const offer: Offer = { ctas, tags: new Map(definitions.map((tag) => [tag.behaviourTagName, tag])) };
  const app = { ...unknownApp, ...known.app };
  const steps = stepsOf(known, ctaIds);
  const device = deviceOf(emptyState);
  const outcomes = played(device, offer, steps, app);
  const key = (index: number, name: string) => (name === ownId ? idOf(index) : name);
  return {
    name: known.name,
    ...(known.refusable === true && { refusable: true }),
    app,
    ctas,
    behaviourTags: definitions,
    steps: steps.map((step, index) => ({ ...step, outcomes: (outcomes[index] ?? []).map(outcomeRecordOf) })),
    expected: {
      shown: known.sdk.shown.map((shown) =>
        shown.map(({ cta, ...action }) => ({ ctaId: idOf(cta), ...action })),
      ),
      machines: Object.fromEntries(
        known.sdk.machines.map((held, index) => [
          idOf(index),
          Object.fromEntries(Object.entries(held).map(([name, machine]) => [key(index, name), machine])),
        ]),
      ),
      ...(known.sdk.resets && {
        resets: known.sdk.resets.map((resets) =>
          resets.map(({ cta, key: name }) => ({ ctaId: idOf(cta), groupKey: key(cta, name) })),
        ),
      }),
    },
    machines: machinesOf(device, ctaIds),
  };
}

/** Fills in `{"$now": ms}` and `"<cta:0>"`, which known cases write for a time and an id. */
const filledIn = <T>(value: T, ctaIds: readonly string[]): T =>
  JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'object' && inner !== null && '$now' in inner) return start + Number(inner.$now);
      const named = typeof inner === 'string' ? /^<cta:(\d+)>$/.exec(inner) : null;
      return named ? ctaIds[Number(named[1])] : inner;
    }),
  ) as T;

function stepsOf({ steps }: KnownCase, ctaIds: readonly string[]): readonly PlayedStep[] {
  let at = start;
  return steps.map(({ kind = 'event', event = '', properties = {}, afterMs }) => {
    at += afterMs;
    if (kind === 'event') return { kind, at, name: event, properties: filledIn({ ...properties }, ctaIds) };
    if (kind === 'session' || kind === 'first-launch') return { kind, at };
    throw new Error(`a case has a step "${kind}"`);
  });
}

function played(
  device: Device,
  offer: Offer,
  steps: readonly PlayedStep[],
  app: AppFacts,
): readonly (readonly CtaOutcome[])[] {
  const work = playSteps(device, () => offer, steps, app, { reactions: Infinity, resultBytes: Infinity });
  let turn = work.next();
  while (!turn.done) turn = work.next();
  if (turn.value.kind !== 'played') throw new Error('a case is too large');
  return turn.value.outcomes;
}

/** What the engine itself ends with. */
const machinesOf = (device: Device, ctaIds: readonly string[]) =>
  Object.fromEntries(
    ctaIds.map((ctaId) => [
      ctaId,
      Object.fromEntries(
        [...(device.ctas.get(ctaId)?.machines ?? [])].map(([key, machine]) => [key, snapshotOf(machine)]),
      ),
    ]),
  );
