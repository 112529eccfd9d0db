import { isInEveryObject } from './app-event.ts';
import { isFields } from './filter-check.ts';
import { windowMs } from './frequency.ts';
import { lookupStateOf } from './machine.ts';
import type { RuleInput } from './rule.ts';
import { transitionPathsOf } from './transition-check.ts';
import type { Warning } from './warning.ts';

type Warn = (path: string, message: string) => void;

/**
 * Warnings about a rule that may be saved but that the deployed app SDK reads differently than it looks (docs/decisions/cta.md, "Rules").
 * Each place is named once. Does not throw for any input.
 */
export function ruleWarnings(rule: RuleInput): Warning[] {
  const warnings = new Map<string, string>();
  const warn: Warn = (path, message) => {
    if (!warnings.has(path)) warnings.set(path, message);
  };
  stateWarnings(rule, warn);
  limitWarnings(rule, warn);
  actionWarnings(rule, warn);
  nameWarnings(rule, warn);
  return [...warnings].map(([path, message]) => ({ path, message }));
}

function stateWarnings(rule: RuleInput, warn: Warn): void {
  const state = (name: string, path: string) => {
    if (/^(0|[1-9]\d{0,8})$/.test(name)) return;
    warn(
      path,
      `Apps read state names as whole numbers: they look up the transitions of this one as "${lookupStateOf(name)}".`,
    );
  };
  for (const name of Object.keys(rule.stateToAction)) state(name, `stateToAction.${name}`);
  for (const [index, name] of (rule.resetStates ?? []).entries()) state(name, `resetStates[${index}]`);
  for (const { from, to, path, fromPath, filters } of transitionPathsOf(rule.stateTransition)) {
    state(from, fromPath);
    state(to, `${path}.transitionTo`);
    filterWarnings(filters, `${path}.filters`, warn);
  }
}

function filterWarnings(part: unknown, path: string, warn: Warn, depth = 0): void {
  if (!isFields(part) || depth > 32) return;
  const { filter } = part;
  if (!Array.isArray(filter)) {
    if (depth > 0) leafWarnings(part, path, warn);
    return;
  }
  for (const [index, inner] of (filter as unknown[]).entries()) {
    filterWarnings(inner, `${path}.filter[${index}]`, warn, depth + 1);
  }
}

function leafWarnings(leaf: Readonly<Record<string, unknown>>, path: string, warn: Warn): void {
  const { propertyName, propertyType, comparisonType, comparisonValue, functions } = leaf;
  if (typeof propertyName === 'string') nameWarning(propertyName, `${path}.propertyName`, warn);
  const type = `${path}.comparisonType`;
  const value = `${path}.comparisonValue`;
  if (propertyType === 'number' && comparisonType === '!=') {
    warn(type, 'In apps != of numbers never holds. Use < and > in an OR group instead.');
  } else if (propertyType === 'string' && comparisonType !== '=' && comparisonType !== '!=') {
    warn(type, 'Apps compare text with = and != alone: this leaf never holds.');
  } else if (propertyType === 'boolean' && comparisonType !== '=') {
    warn(type, 'Apps ignore the operator of a boolean: the leaf holds when both sides are equal.');
  }
  if (functions !== undefined && functions !== null && comparisonValue === undefined) {
    const result = withoutValue[String(propertyType)];
    if (result)
      warn(value, `Apps compare the result of functions with comparisonValue: without one ${result}.`);
  } else if (
    propertyType === 'number' &&
    typeof comparisonValue !== 'number' &&
    !isNumeral(comparisonValue)
  ) {
    warn(value, `Apps read this as the number ${Number(comparisonValue)}.`);
  } else if (propertyType === 'boolean' && typeof comparisonValue === 'string') {
    const read = comparisonValue === '' ? 'false' : 'true';
    warn(value, `Apps read this text as ${read}: any text but the empty one is true, "false" too.`);
  }
}

/** The value that apps use for a missing comparisonValue, by propertyType. */
const withoutValue: Readonly<Record<string, string>> = {
  number: 'this leaf never holds',
  string: 'it is the text "undefined"',
  boolean: 'it is false',
};

const isNumeral = (value: unknown): boolean =>
  typeof value === 'string' && /^\s*-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*$/.test(value);

function limitWarnings(
  { frequency = {}, groupByConfig, resetStates = [], stateMachineTTL }: RuleInput,
  warn: Warn,
): void {
  if (groupByConfig?.maxActiveStateMachineCount === 0) {
    warn('groupByConfig.maxActiveStateMachineCount', 'With 0 no state machine starts.');
  }
  const { window } = frequency;
  if (window && window.limit > 0 && windowMs(window) === 0) {
    warn('frequency.window.value', 'A window of no length limits nothing.');
  }
  if (resetStates.length === 0) {
    for (const name of ['session', 'window', 'lifeSpan', 'lifespan'] as const) {
      if ((frequency[name]?.limit ?? 0) === 0) continue;
      warn(
        `frequency.${name}.limit`,
        'Apps count resets alone, and without resetStates there is none: this limit stops nothing.',
      );
    }
  }
  if ((stateMachineTTL ?? 0) > 0) {
    warn(
      'stateMachineTTL',
      'The first event after this time only removes the state machine and does nothing else; the next one starts anew.',
    );
  }
}

/** Milliseconds: the timers of JavaScript take 31 bits. */
const longestDelay = 2 ** 31 - 1;

function actionWarnings({ actions, groupByConfig }: RuleInput, warn: Warn): void {
  const delays = actions.map((action) =>
    isFields(action) && action.type !== 'TOOLTIP' ? (action.config?.triggerDelay ?? 0) : 0,
  );
  for (const [index, delay] of delays.entries())
    if (delay > longestDelay)
      warn(
        `actions[${index}].config.triggerDelay`,
        `Apps cannot wait for more than ${longestDelay} ms (24 days): some show the action at once.`,
      );
  const delayed = delays.flatMap((delay, index) => (delay > 0 ? [index] : []));
  if (delayed.length > 1 || (groupByConfig?.groupByKeys ?? []).length > 0) {
    for (const index of delayed) {
      warn(
        `actions[${index}].config.triggerDelay`,
        'Apps keep one delayed action for each CTA: a second one takes the place of the first, which never appears.',
      );
    }
  }
  for (const [index, action] of actions.entries()) {
    if (!isFields(action) || action.type !== 'NUDGE_UI' || (action.template ?? null) !== null) continue;
    warn(
      `actions[${index}].template`,
      'Without a template apps show nothing, and other CTAs are blocked all the same.',
    );
  }
}

function nameWarnings({ groupByConfig, contextParams = [] }: RuleInput, warn: Warn): void {
  for (const [index, name] of (groupByConfig?.groupByKeys ?? []).entries()) {
    nameWarning(name, `groupByConfig.groupByKeys[${index}]`, warn);
  }
  for (const [index, name] of contextParams.entries()) nameWarning(name, `contextParams[${index}]`, warn);
}

function nameWarning(name: string, path: string, warn: Warn): void {
  if (!isInEveryObject(name)) return;
  warn(
    path,
    'Every JavaScript object has a member of this name: apps find it in events that do not have the property.',
  );
}
