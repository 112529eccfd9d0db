import { checkFilters, isObject, isOneOf, isText, type Report } from './filter-check.ts';
import { windowMs } from './frequency.ts';
import { initialState } from './machine.ts';
import type { RuleInput } from './rule.ts';
import { windowUnits } from './snapshot.ts';

/** One fault: where in the rule (`stateTransition.opened.0[1].filters`), and what is wrong there. */
export interface RuleFault {
  readonly path: string;
  readonly problem: string;
}

const actionTypes = ['NUDGE_UI', 'POPUP', 'TOOLTIP', 'NUDGE_ACTION'];

/**
 * Checks what the schema of a rule leaves open: that actions exist and are well formed, that every state can be
 * reached from the initial one, that filters can be evaluated, that limits and units make sense.
 * @returns every fault, none for a rule that may be saved. Does not throw, whatever it is given.
 */
export function checkRule(rule: RuleInput): RuleFault[] {
  const faults: RuleFault[] = [];
  const report: Report = (path, problem) => faults.push({ path, problem });
  const actionIds = checkActions(rule.actions, report);
  const transitions = checkTransitions(rule.stateTransition, report);
  for (const [state, actionId] of Object.entries(rule.stateToAction)) {
    if (!actionIds.has(actionId))
      report(`stateToAction.${state}`, 'names an actionId that actions does not hold');
  }
  checkStates(rule, transitions, report);
  checkNumbers(rule, report);
  return faults;
}

/** What may be saved and yet surprises: existing clients read state names as whole numbers. */
export function ruleWarnings(rule: RuleInput): RuleFault[] {
  const warnings: RuleFault[] = [];
  const warn = (state: string, path: string) => {
    if (/^(0|[1-9]\d{0,8})$/.test(state)) return;
    warnings.push({ path, problem: 'is a state name that existing clients cannot read as a whole number' });
  };
  for (const state of Object.keys(rule.stateToAction)) warn(state, `stateToAction.${state}`);
  for (const [index, state] of (rule.resetStates ?? []).entries()) warn(state, `resetStates[${index}]`);
  for (const { from, to, path, fromPath } of checkTransitions(rule.stateTransition, () => undefined)) {
    warn(from, fromPath);
    warn(to, `${path}.transitionTo`);
  }
  if (rule.groupByConfig?.maxActiveStateMachineCount === 0) {
    warnings.push({
      path: 'groupByConfig.maxActiveStateMachineCount',
      problem: 'lets no state machine start',
    });
  }
  const { window } = rule.frequency ?? {};
  if (window && window.limit > 0 && windowMs(window) === 0) {
    warnings.push({
      path: 'frequency.window.value',
      problem: 'is a window of no length, so it limits nothing',
    });
  }
  return [...new Map(warnings.map((warning) => [warning.path, warning])).values()];
}

function checkActions(actions: readonly unknown[], report: Report): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const [index, action] of actions.entries()) {
    const path = `actions[${index}]`;
    if (!isObject(action)) {
      report(path, 'must be an object');
      continue;
    }
    const { actionId, type, config } = action;
    if (!isText(actionId)) report(`${path}.actionId`, 'must be a non-empty string');
    else if (ids.has(actionId)) report(`${path}.actionId`, 'is the same as that of an earlier action');
    else ids.add(actionId);
    if (!isOneOf(actionTypes, type)) report(`${path}.type`, `must be one of ${actionTypes.join(', ')}`);
    if (config !== undefined && config !== null) checkActionConfig(config, `${path}.config`, report);
  }
  return ids;
}

function checkActionConfig(config: unknown, path: string, report: Report): void {
  if (!isObject(config)) return report(path, 'must be an object');
  const delay = config['triggerDelay'];
  if (delay === undefined || delay === null) return undefined;
  if (typeof delay !== 'number' || delay < 0)
    report(`${path}.triggerDelay`, 'must be milliseconds, 0 or more');
  return undefined;
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly fromPath: string;
}

function checkTransitions(stateTransition: unknown, report: Report): readonly Move[] {
  const moves: Move[] = [];
  for (const [event, byState] of fieldsOf(stateTransition, 'stateTransition', report)) {
    const eventPath = `stateTransition.${event}`;
    for (const [from, list] of fieldsOf(byState, eventPath, report)) {
      const fromPath = `${eventPath}.${from}`;
      if (!Array.isArray(list)) {
        report(fromPath, 'must be an array of {transitionTo, filters?}');
        continue;
      }
      for (const [index, transition] of (list as unknown[]).entries()) {
        const path = `${fromPath}[${index}]`;
        const { transitionTo, filters } = isObject(transition) ? transition : {};
        if (isText(transitionTo)) moves.push({ from, to: transitionTo, path, fromPath });
        else report(`${path}.transitionTo`, 'must be a non-empty string');
        if (filters !== undefined && filters !== null) checkFilters(filters, `${path}.filters`, report);
      }
    }
  }
  return moves;
}

function checkStates(rule: RuleInput, moves: readonly Move[], report: Report): void {
  const reachable = reachableStates(moves);
  const entered = new Set([initialState, ...moves.map(({ to }) => to)]);
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

function reachableStates(moves: readonly Move[]): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of moves) next.set(from, [...(next.get(from) ?? []), to]);
  // A Set is walked in order of insertion, members added on the way included.
  const reachable = new Set([initialState]);
  for (const state of reachable) for (const to of next.get(state) ?? []) reachable.add(to);
  return reachable;
}

function checkNumbers(rule: RuleInput, report: Report): void {
  const { frequency = {} } = rule;
  const numbers: readonly (readonly [string, number | undefined])[] = [
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
    if (value !== undefined && value < 0) report(path, 'must not be negative');
  }
  if (frequency.window && !isOneOf(windowUnits, frequency.window.unit)) {
    report('frequency.window.unit', `must be one of ${windowUnits.join(', ')}`);
  }
  const { lifeSpan, lifespan } = frequency;
  if (lifeSpan && lifespan && lifeSpan.limit !== lifespan.limit) {
    report('frequency.lifespan', 'differs from lifeSpan, which means the same');
  }
}

function fieldsOf(value: unknown, path: string, report: Report): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  report(path, 'must be an object');
  return [];
}
