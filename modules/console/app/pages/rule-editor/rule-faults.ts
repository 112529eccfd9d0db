import { checkRule } from '../../../../cta/rules/rule-check.ts';
import { ruleWarnings } from '../../../../cta/rules/rule-warnings.ts';
import type { RuleInput } from '../../../../cta/rules/rule.ts';
import { isJson, type Json } from './json-path.ts';
import { t } from '../../texts/text.ts';

/** What is wrong, or may surprise, and where. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Whether the checks can read it. What they cannot read, the server refuses by the schema of the tool. */
function isRule(rule: unknown): rule is Json & RuleInput {
  if (!isJson(rule)) return false;
  const optional = (name: string, is: (value: unknown) => boolean) =>
    rule[name] === undefined || is(rule[name]);
  const frequency = isJson(rule['frequency']) ? rule['frequency'] : {};
  return (
    isJson(rule['stateToAction']) &&
    isJson(rule['stateTransition']) &&
    Array.isArray(rule['actions']) &&
    ['resetStates', 'contextParams', 'packageNames'].every((name) => optional(name, Array.isArray)) &&
    ['frequency', 'groupByConfig', 'cohortEligibility', 'appVersions'].every((name) =>
      optional(name, isJson),
    ) &&
    Object.values(frequency).every(isJson)
  );
}

const inRule = ({ path, message }: Fault): Fault => ({ path: `rule.${path}`, message });

/** The faults of a CTA by the checks that `update-cta` makes, at its paths. */
export function faultsOf(doc: Json): readonly Fault[] {
  const { rule, startTime, endTime } = doc;
  const period =
    typeof startTime === 'number' && typeof endTime === 'number' && endTime <= startTime
      ? [{ path: 'endTime', message: t('must be later than startTime') }]
      : [];
  return [...period, ...(isRule(rule) ? checkRule(rule).map(inRule) : [])];
}

export const warningsOf = ({ rule }: Json): readonly Fault[] =>
  isRule(rule) ? ruleWarnings(rule).map(inRule) : [];

const field = /^(?:rule|experiment|name|description|tags|team|startTime|endTime|behaviourTagName)(?![\w-])/;
/** How each of several faults begins in the message of a refusal. */
const next = new RegExp(`; (?=${field.source.slice(1)}|and \\d+ more)`);

/** The faults that a refusal names. @param cause the path of the first; a refusal for its status names no field that can be repaired. */
export function refusedFaults(message: string, cause: string | undefined): readonly Fault[] {
  if (cause === undefined || !field.test(cause)) return [];
  const text = message.replace(
    /^(?:The (?:rule|experiment) cannot be saved|Invalid arguments for [\w-]+): /,
    '',
  );
  return text
    .split(next)
    .map((one, index) => {
      const at = index === 0 && one.startsWith(`${cause} `) ? cause : (one.split(' ', 1)[0] ?? '');
      return field.test(at) && one.startsWith(`${at} `)
        ? { path: at, message: one.slice(at.length + 1).replace(/\.$/, '') }
        : { path: cause, message: one };
    })
    .filter(({ message: said }) => said !== '');
}

/** Each fault once: the browser and the server name the same ones. */
export function unique(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault]));
  return [...seen.values()];
}
