import { endlessTTL } from '../state/time-to-live.ts';
import type { WireRule } from './rule-parts.ts';
import type { RuleInput } from './rule.ts';

/**
 * The server alone decides who gets a CTA, so cohorts, versions and packages are not sent.
 * @param endTime of the CTA, sent as `ctaValidTill`: an app that is not launched again until then would otherwise show it after its end.
 */
export function wireRule(rule: RuleInput, endTime: number | null): WireRule {
  const { session, window } = rule.frequency ?? {};
  const lifespan = rule.frequency?.lifeSpan ?? rule.frequency?.lifespan;
  const most = rule.groupByConfig?.maxActiveStateMachineCount;
  return {
    stateToAction: rule.stateToAction,
    resetStates: rule.resetStates ?? [],
    resetCTAonFirstLaunch: rule.resetCTAonFirstLaunch ?? false,
    contextParams: rule.contextParams ?? [],
    stateTransition: rule.stateTransition,
    groupByConfig: {
      ...(most !== undefined && { maxActiveStateMachineCount: most }),
      groupByKeys: rule.groupByConfig?.groupByKeys ?? [],
    },
    priority: rule.priority ?? 0,
    stateMachineTTL: rule.stateMachineTTL || endlessTTL,
    ctaValidTill: earlier(rule.ctaValidTill ?? null, endTime),
    actions: rule.actions,
    frequency: {
      ...(session && { session: { limit: session.limit } }),
      ...(window && { window: { limit: window.limit, unit: window.unit, value: window.value } }),
      ...(lifespan && { lifeSpan: { limit: lifespan.limit }, lifespan: { limit: lifespan.limit } }),
    },
  };
}

const earlier = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.min(left, right);
/** Maximum impressions of a CTA for one user in total; undefined means no limit. */
export const lifespanLimit = (rule: RuleInput): number | undefined =>
  (rule.frequency?.lifeSpan ?? rule.frequency?.lifespan)?.limit || undefined;
