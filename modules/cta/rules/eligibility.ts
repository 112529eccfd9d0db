import { everybody } from './cohort.ts';
import type { App } from './app-event.ts';
import type { CtaSchedule } from './lifecycle.ts';
import type { RuleInput } from './rule.ts';

/** What decides who gets a CTA. Times are epoch milliseconds; null or absent is no limit. */
export interface Gates {
  readonly status: string;
  readonly startTime?: number | null | undefined;
  readonly endTime?: number | null | undefined;
  /** Hidden by the kill switch of its tenant or its behaviour tag. */
  readonly killed?: boolean | undefined;
  /** In at least one of `includes` (`all` is everyone, an empty list too) and in none of `excludes`. */
  readonly cohortEligibility?: Cohorts | null | undefined;
  /** Both ends belong to the range. */
  readonly appVersions?: VersionRange | null | undefined;
  /** An empty list is any package. */
  readonly packageNames?: readonly string[] | null | undefined;
}

/**
 * The gates of a stored CTA. SCHEDULED counts as LIVE here: its start time lets it in, whether or not the move was written
 * down yet.
 */
export function gatesOf(
  { status, startTime, endTime, rule }: CtaSchedule & { readonly rule: RuleInput },
  killed: boolean,
): Gates {
  const { cohortEligibility, appVersions, packageNames } = rule;
  return {
    status: gateStatus(status),
    startTime,
    endTime,
    killed,
    cohortEligibility,
    appVersions,
    packageNames,
  };
}

export const gateStatus = (status: CtaSchedule['status']): string =>
  status === 'SCHEDULED' ? 'LIVE' : status;

export interface Cohorts {
  readonly includes?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

/** The cohorts that decide about a CTA, `all` aside. */
export const cohortsIn = ({ cohortEligibility }: Pick<Gates, 'cohortEligibility'>): string[] =>
  [...(cohortEligibility?.includes ?? []), ...(cohortEligibility?.excludes ?? [])].filter(
    (name) => name !== everybody,
  );

export interface VersionRange {
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

export interface Moment {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly client: Pick<App, 'appVersion' | 'packageName'>;
  /** Whether the user of this request belongs to a cohort; never asked about `all`. */
  readonly inCohort: (cohort: string) => boolean;
}

export const serverGates = [
  'status',
  'start',
  'end',
  'kill_switch',
  'cohort',
  'app_version',
  'package_name',
] as const;
export type Gate = (typeof serverGates)[number];

/** The first gate that keeps a user from a CTA, in the order in which gates are checked; null when all are open. */
export function closedGate(cta: Gates, { now, client, inCohort }: Moment): Gate | null {
  return timeGate(cta, now) ?? cohortGate(cta, inCohort) ?? clientGate(cta, client);
}

export const isEligible = (cta: Gates, moment: Moment): boolean => closedGate(cta, moment) === null;

/** The gates that depend on nothing but the time. */
export function timeGate(cta: Gates, now: number): Gate | null {
  if (cta.status !== 'LIVE') return 'status';
  if (now < (cta.startTime ?? -Infinity)) return 'start';
  if (now >= (cta.endTime ?? Infinity)) return 'end';
  return cta.killed === true ? 'kill_switch' : null;
}

/** The gate that depends on the user. */
export const cohortGate = ({ cohortEligibility }: Gates, inCohort: Moment['inCohort']): Gate | null =>
  isInCohorts(cohortEligibility ?? {}, inCohort) ? null : 'cohort';

/** The gates that depend on the app alone: the same for everybody who has it. */
export function clientGate(cta: Gates, client: Moment['client']): Gate | null {
  if (!isInRange(client.appVersion, cta.appVersions ?? {})) return 'app_version';
  const packages = cta.packageNames ?? [];
  // A client that does not say what it is cannot be known to be one of those the CTA is for.
  const isForPackage = client.packageName !== null && packages.includes(client.packageName);
  return packages.length === 0 || isForPackage ? null : 'package_name';
}

function isInCohorts({ includes = [], excludes = [] }: Cohorts, inCohort: Moment['inCohort']): boolean {
  const belongs = (cohort: string) => cohort === everybody || inCohort(cohort);
  return !excludes.some(belongs) && (includes.length === 0 || includes.some(belongs));
}

function isInRange(version: string | null, { min, max }: VersionRange): boolean {
  if (min === undefined && max === undefined) return true;
  if (version === null) return false;
  return (
    (min === undefined || compareVersions(version, min) >= 0) &&
    (max === undefined || compareVersions(version, max) <= 0)
  );
}

/**
 * Orders app versions by their dot-separated parts: numbers by value, a missing part as 0 (`1.2` is `1.2.0`), text by
 * code unit and before any number, so that `2.0.rc1` precedes `2.0.0`. A `-suffix` (pre-release) precedes the version
 * without it; suffixes are ordered as in Semantic Versioning 2.0.0 §11. `+build` is ignored.
 */
export function compareVersions(left: string, right: string): number {
  const [leftParts, leftSuffix] = versionParts(left);
  const [rightParts, rightSuffix] = versionParts(right);
  for (let index = 0; index < Math.max(leftParts.length, rightParts.length); index++) {
    const order = comparePart(leftParts[index] ?? '0', rightParts[index] ?? '0', 'text first');
    if (order !== 0) return order;
  }
  if (leftSuffix === null || rightSuffix === null) {
    return Number(leftSuffix === null) - Number(rightSuffix === null);
  }
  return compareSuffixes(leftSuffix, rightSuffix);
}

function versionParts(version: string): [string[], string[] | null] {
  const core = version.trim().replace(/^v/i, '').split('+', 1)[0] ?? '';
  const dash = core.indexOf('-');
  return dash < 0
    ? [core.split('.'), null]
    : [core.slice(0, dash).split('.'), core.slice(dash + 1).split('.')];
}

function compareSuffixes(left: readonly string[], right: readonly string[]): number {
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = comparePart(part, other, 'numbers first');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function comparePart(left: string, right: string, mixed: 'numbers first' | 'text first'): number {
  const leftIsNumber = /^\d+$/.test(left);
  const rightIsNumber = /^\d+$/.test(right);
  if (leftIsNumber !== rightIsNumber) return leftIsNumber === (mixed === 'numbers first') ? -1 : 1;
  if (!leftIsNumber) return compareText(left, right);
  // As text, since a client may send more digits than a number holds.
  const [leftDigits, rightDigits] = [left.replace(/^0+/, ''), right.replace(/^0+/, '')];
  return leftDigits.length - rightDigits.length || compareText(leftDigits, rightDigits);
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
