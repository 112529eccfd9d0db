import type { AppFacts } from './app-event.ts';
import { isInVersionRange, type VersionRange } from './app-version.ts';
import { everybody } from './cohort.ts';
import type { CtaSchedule } from './lifecycle.ts';
import type { RuleInput } from './rule.ts';

/** The conditions that decide who gets a CTA. Times are epoch milliseconds; null or absent means no limit. */
export interface Gates {
  readonly status: string;
  readonly startTime?: number | null | undefined;
  readonly endTime?: number | null | undefined;
  /** Hidden by the kill switch of its tenant or its behaviour tag. */
  readonly killed?: boolean | undefined;
  /** The user must be in at least one of `includes` (`all` and an empty list mean everyone) and in none of `excludes`. */
  readonly cohortEligibility?: CohortEligibility | null | undefined;
  /** Both ends are included. */
  readonly appVersions?: VersionRange | null | undefined;
  /** An empty list means any package. */
  readonly packageNames?: readonly string[] | null | undefined;
}

/**
 * The gates of a stored CTA. SCHEDULED counts as LIVE here: its start time opens the gate, whether or not the status change has been
 * written yet.
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

interface CohortEligibility {
  readonly includes?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

/** The cohorts that decide about a CTA, except `all`. */
export const cohortsIn = ({ cohortEligibility }: Pick<Gates, 'cohortEligibility'>): string[] =>
  [...(cohortEligibility?.includes ?? []), ...(cohortEligibility?.excludes ?? [])].filter(
    (name) => name !== everybody,
  );

export interface EligibilityInput {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly app: Pick<AppFacts, 'appVersion' | 'packageName'>;
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
export function closedGate(cta: Gates, { now, app, inCohort }: EligibilityInput): Gate | null {
  return timeGate(cta, now) ?? cohortGate(cta, inCohort) ?? appGate(cta, app);
}

/** The gates that depend on nothing but the time. */
export function timeGate(cta: Gates, now: number): Gate | null {
  if (cta.status !== 'LIVE') return 'status';
  if (now < (cta.startTime ?? -Infinity)) return 'start';
  if (now >= (cta.endTime ?? Infinity)) return 'end';
  return cta.killed === true ? 'kill_switch' : null;
}

/** The gate that depends on the user. */
export const cohortGate = (
  { cohortEligibility }: Gates,
  inCohort: EligibilityInput['inCohort'],
): Gate | null => (isInCohorts(cohortEligibility ?? {}, inCohort) ? null : 'cohort');

/** Whether the cohort gate is open for all users, so that it need not be asked for each. */
export const isForEverybody = ({ cohortEligibility }: Pick<Gates, 'cohortEligibility'>): boolean => {
  const { includes = [], excludes = [] } = cohortEligibility ?? {};
  return excludes.length === 0 && (includes.length === 0 || includes.includes(everybody));
};

/** The gates that depend on the app alone, so they are the same for all its users. */
export function appGate(cta: Gates, app: EligibilityInput['app']): Gate | null {
  if (!isInVersionRange(app.appVersion, cta.appVersions ?? {})) return 'app_version';
  const packages = cta.packageNames ?? [];
  // An app that does not send its package may be any app, so a CTA for certain packages is not for it.
  const isForPackage = app.packageName !== null && packages.includes(app.packageName);
  return packages.length === 0 || isForPackage ? null : 'package_name';
}

function isInCohorts(
  { includes = [], excludes = [] }: CohortEligibility,
  inCohort: EligibilityInput['inCohort'],
): boolean {
  const belongs = (cohort: string) => cohort === everybody || inCohort(cohort);
  return !excludes.some(belongs) && (includes.length === 0 || includes.some(belongs));
}
