import type { Catalogue, CatalogueCta } from '../catalogue/catalogue.ts';
import { appGate, cohortGate, cohortsIn, timeGate, type EligibilityInput } from '../rules/eligibility.ts';
import { needsOf, type AudienceNeeds } from './targeting.ts';

type App = EligibilityInput['app'];

/** The CTAs of a catalogue for all users of one app, until the clock changes them. Cohorts are not considered. */
interface Candidates {
  /** In the order of the response. */
  readonly ctas: readonly CatalogueCta[];
  /** The facts needed about a user to decide which of these CTAs are for that user. */
  readonly needs: AudienceNeeds;
}

interface HeldCandidates extends Candidates {
  /** Epoch milliseconds: valid from the first time until just before the second. */
  readonly from: number;
  readonly until: number;
}

/** Most apps whose candidates are kept at a time. Clients name their version and package, so invented values must not pile up. */
const maxHeldApps = 256;

const held = new WeakMap<Catalogue, Map<string, HeldCandidates>>();

/**
 * The candidates for an app at a time. Most CTAs of a tenant are not for a given app, and the selection is the same for all its users until
 * a CTA begins or ends. It is therefore computed once per app and kept with the catalogue.
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

/** The candidates that are for a user. */
export const forUser = (
  { ctas }: Candidates,
  inCohort: EligibilityInput['inCohort'],
): readonly CatalogueCta[] => ctas.filter(({ gates }) => cohortGate(gates, inCohort) === null);
