import type { TagDefinition } from '../../modules/cta/rules/tag-definition.ts';
import type { WireRule } from '../../modules/cta/rules/rule-parts.ts';
import { merge } from '../../modules/cta/state/merge.ts';
import type { SnapshotBody } from '../../modules/cta/state/snapshot.ts';
import { activeCtaIds, emptyState, isTombstone, type UserState } from '../../modules/cta/state/user-state.ts';
import { ctaIn, tagIn } from '../cta/change.ts';
import type { Measure, WaitingMeasure } from '../cta/waiting-measures.ts';

/** A CTA for a test. */
export interface TestRule {
  readonly ctaId: string;
  /** As a launch sends it; absent parts are empty. */
  readonly rule: object;
  readonly behaviourTagName?: string | null;
}

/** What a test measured, and of whom. */
export type TestMeasure = Measure & { readonly userId: string; readonly at: number };

/** The part of a server that answers launches and deltas, in memory and by the server's own merge. One state for each user. @param measured gets what arrives. */
export function testServer(
  rules: readonly TestRule[],
  tags: readonly TagDefinition[],
  now: () => number,
  measured: TestMeasure[] = [],
) {
  const states = new Map<string, UserState>();
  const options = {
    ctas: {
      get: (id: string) => {
        const rule = rules.find(({ ctaId }) => ctaId === id)?.rule as Partial<WireRule> | undefined;
        return { lifespanLimit: rule?.frequency?.lifeSpan?.limit };
      },
    },
    tags: {
      get: (name: string) => tags.find(({ behaviourTagName }) => behaviourTagName === name) ?? {},
    },
  };
  return (input: string, init: RequestInit): Promise<Response> => {
    const answer = (status: number, body: object) =>
      Promise.resolve(new Response(JSON.stringify(body), { status }));
    const userId = new Headers(init.headers).get('auth-userid') ?? '';
    const body = JSON.parse(String(init.body ?? '{}')) as Partial<SnapshotBody> & {
      readonly events?: readonly WaitingMeasure[];
    };
    if (input.endsWith('/cta/events/')) {
      for (const { id: _, ...measure } of body.events ?? []) measured.push({ userId, ...measure });
      return answer(200, { data: {} });
    }
    const { ctas = [], behaviourTags = [] } = body;
    const stored = states.get(userId) ?? emptyState;
    const { state } = merge(stored, { ctas, behaviourTags }, { ...options, now: now() });
    states.set(userId, state);
    if (input.endsWith('/cta/state-machines/snapshot/delta/')) return answer(200, { data: true });
    if (input.endsWith('/cta/active/state-machines/')) return answer(200, launchAnswer(rules, tags, state));
    return answer(404, { error: { code: 'NOT_FOUND', message: 'A test has no server.' } });
  };
}

const launchAnswer = (rules: readonly TestRule[], tags: readonly TagDefinition[], state: UserState) => ({
  data: {
    ctas: rules.map(({ ctaId, rule, behaviourTagName = null }) => {
      const { machines, resetAt, actionDoneAt } = ctaIn(state, ctaId);
      const alive = Object.entries(machines).filter(([, machine]) => !isTombstone(machine));
      const activeStateMachines = Object.fromEntries(alive);
      return {
        ctaId,
        rule,
        behaviourTagName,
        activeStateMachines,
        resetAt: resetAt.marks,
        actionDoneAt: actionDoneAt.marks,
      };
    }),
    behaviourTags: tags.map(({ behaviourTagName, exposureRule, ctaRelation }) => {
      const tag = tagIn(state, behaviourTagName);
      return {
        behaviourTagName,
        ...(exposureRule && { exposureRule: { ...exposureRule, ctasResetAt: tag.ctasResetAt.marks } }),
        ...(ctaRelation && { ctaRelation: { ...ctaRelation, activeCtas: activeCtaIds(tag) } }),
      };
    }),
  },
});
