import type { Problem } from '../../../core/base/problem.ts';
import { windowUnits } from '../state/snapshot.ts';
import { isFields, isOneOf, isText, type ReportProblem } from './filter-check.ts';
import { initialState, lookupStateOf } from './machine.ts';
import { actionTypes, typesWithTemplate } from './rule-words.ts';
import type { RuleInput } from './rule.ts';
import { checkTransitions, type TransitionPath } from './transition-check.ts';

/**
 * Checks what the schema of a rule does not cover: that actions exist and are well formed, that every state can be reached from the initial
 * one, that filters can be evaluated, that limits and units make sense.
 * @returns every problem with its path, e.g. `stateTransition.opened.0[1].filters`; an empty list for a rule that may be saved. Does not
 * throw for any input.
 */
export function checkRule(rule: RuleInput): Problem[] {
  const problems: Problem[] = [];
  const report: ReportProblem = (path, message) => problems.push({ path, message });
  const actionIds = checkActions(rule.actions, report);
  const transitions = checkTransitions(rule.stateTransition, report);
  for (const [state, actionId] of Object.entries(rule.stateToAction)) {
    if (!actionIds.has(actionId))
      report(`stateToAction.${state}`, 'names an actionId that actions does not hold');
  }
  checkStates(rule, transitions, report);
  checkNumbers(rule, report);
  return problems;
}

/** Checks a list of actions. @returns their ids. */
export function checkActions(actions: readonly unknown[], report: ReportProblem): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const [index, action] of actions.entries()) {
    const path = `actions[${index}]`;
    if (!isFields(action)) {
      report(path, 'must be an object');
      continue;
    }
    const { actionId, type, config } = action;
    if (!isText(actionId)) report(`${path}.actionId`, 'must be a non-empty string');
    else if (ids.has(actionId)) report(`${path}.actionId`, 'is the same as that of an earlier action');
    else ids.add(actionId);
    if (!isOneOf(actionTypes, type)) report(`${path}.type`, `must be one of ${actionTypes.join(', ')}`);
    if (isOneOf(typesWithTemplate, type) && (action['template'] ?? null) === null) {
      report(`${path}.template`, `is missing: apps cannot run a ${String(type)} without one`);
    }
    if (config !== undefined && config !== null) checkActionConfig(config, `${path}.config`, report);
  }
  return ids;
}

function checkActionConfig(config: unknown, path: string, report: ReportProblem): void {
  if (!isFields(config)) return report(path, 'must be an object');
  const delay = config['triggerDelay'];
  if (delay === undefined || delay === null) return undefined;
  if (typeof delay !== 'number' || delay < 0)
    report(`${path}.triggerDelay`, 'must be milliseconds, 0 or more');
  return undefined;
}

function checkStates(rule: RuleInput, moves: readonly TransitionPath[], report: ReportProblem): void {
  const reachable = reachableStates(moves);
  const entered = new Set([initialState, ...moves.flatMap(({ to }) => [to, lookupStateOf(to)])]);
  const told = new Set<string>();
  for (const { from, fromPath } of moves) {
    if (reachable.has(from) || told.has(fromPath)) continue;
    told.add(fromPath);
    report(fromPath, entered.has(from) ? unreachable : 'starts from a state that no transition enters');
  }
  for (const state of Object.keys(rule.stateToAction)) {
    if (!reachable.has(state)) report(`stateToAction.${state}`, unreachable);
  }
  for (const [index, state] of (rule.resetStates ?? []).entries()) {
    if (!reachable.has(state)) report(`resetStates[${index}]`, unreachable);
  }
}

const unreachable = `cannot be reached from the initial state "${initialState}"`;

/** Apps look up the transitions out of a state by its text read as a whole number, so "01" continues like "1". */
function reachableStates(moves: readonly TransitionPath[]): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of moves) {
    const known = next.get(from);
    if (known) known.push(to);
    else next.set(from, [to]);
  }
  // A Set is iterated in insertion order, including members added during the iteration.
  const reachable = new Set([initialState]);
  for (const state of reachable) {
    for (const from of [state, lookupStateOf(state)]) {
      if (!next.has(from)) continue;
      reachable.add(from);
      for (const to of next.get(from) ?? []) reachable.add(to);
    }
  }
  return reachable;
}

function checkNumbers(rule: RuleInput, report: ReportProblem): void {
  const { frequency = {} } = rule;
  const numbers: readonly (readonly [string, number | null | undefined])[] = [
    ['groupByConfig.maxActiveStateMachineCount', rule.groupByConfig?.maxActiveStateMachineCount],
    ['stateMachineTTL', rule.stateMachineTTL],
    ['ctaValidTill', rule.ctaValidTill],
    ['frequency.session.limit', frequency.session?.limit],
    ['frequency.window.limit', frequency.window?.limit],
    ['frequency.window.value', frequency.window?.value],
    ['frequency.lifeSpan.limit', frequency.lifeSpan?.limit],
    ['frequency.lifespan.limit', frequency.lifespan?.limit],
  ];
  for (const [path, value] of numbers) {
    if (typeof value === 'number' && value < 0) report(path, 'must not be negative');
  }
  if (frequency.window && !isOneOf(windowUnits, frequency.window.unit)) {
    report('frequency.window.unit', `must be one of ${windowUnits.join(', ')}`);
  }
  const { lifeSpan, lifespan } = frequency;
  if (lifeSpan && lifespan && lifeSpan.limit !== lifespan.limit) {
    report('frequency.lifespan', 'differs from lifeSpan, which means the same');
  }
}
