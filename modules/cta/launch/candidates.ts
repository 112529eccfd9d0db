import type { Catalogue, CatalogueCta } from '../catalogue/catalogue.ts';
import { appGate, cohortGate, cohortsIn, timeGate, type EligibilityInput } from '../rules/eligibility.ts';
import { needsOf, type AudienceNeeds } from './targeting.ts';

type App = EligibilityInput['app'];

/** The CTAs of a catalogue for all users of one app, until the clock changes them. Cohorts are not considered. */
interface Candidates {
  /** In the order of the response. */
  readonly ctas: readonly CatalogueCta[];
  /** What must be known of a user to tell which of them are for that user. */
  readonly needs: AudienceNeeds;
}

interface HeldCandidates extends Candidates {
  /** Epoch milliseconds: good from the first on, until before the second. */
  readonly from: number;
  readonly until: number;
}

/** Apps whose candidates are held at a time. Clients name their version and package: what they invent must not pile up. */
const maxHeldApps = 256;

const held = new WeakMap<Catalogue, Map<string, HeldCandidates>>();

/**
 * The candidates for an app at a time. Most CTAs of a tenant are not for an app, and which are is the same for all users of
 * it until a CTA begins or ends: it is computed once for each app and kept with the catalogue.
 */
export function candidatesFor(catalogue: Catalogue, app: App, now: number): Candidates {
  const apps = held.get(catalogue) ?? new Map<string, HeldCandidates>();
  held.set(catalogue, apps);
  const key = JSON.stringify([app.appVersion, app.packageName]);
  const known = apps.get(key);
  if (known && now >= known.from && now < known.until) return known;
  if (apps.size >= maxHeldApps) apps.clear();
  const found = computeCandidates(catalogue, app, now);
  apps.set(key, found);
  return found;
}

function computeCandidates(catalogue: Catalogue, app: App, now: number): HeldCandidates {
  const ctas = catalogue.inOrder.filter(
    ({ gates }) => timeGate(gates, now) === null && appGate(gates, app) === null,
  );
  const times = catalogue.inOrder.flatMap(({ startTime, endTime }) => [startTime, endTime]);
  const changes = times.filter((time) => time !== null);
  const named = ctas.flatMap(({ gates }) => cohortsIn(gates));
  return {
    ctas,
    needs: needsOf(named, catalogue.cohorts),
    from: Math.max(-Infinity, ...changes.filter((time) => time <= now)),
    until: Math.min(Infinity, ...changes.filter((time) => time > now)),
  };
}

/** Those of the candidates that are for a user. */
export const forUser = (
  { ctas }: Candidates,
  inCohort: EligibilityInput['inCohort'],
): readonly CatalogueCta[] => ctas.filter(({ gates }) => cohortGate(gates, inCohort) === null);
