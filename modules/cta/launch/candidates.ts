import type { CatalogueMoment } from '../catalogue/catalogue-moment.ts';
import type { Catalogue, CatalogueCta } from '../catalogue/catalogue.ts';
import {
  appGate,
  cohortGate,
  cohortsIn,
  isForEverybody,
  timeGate,
  type EligibilityInput,
} from '../rules/eligibility.ts';
import { needsOf, type AudienceNeeds } from './targeting.ts';

type App = EligibilityInput['app'];

/** The CTAs of a catalogue for all users of one app at a moment. Cohorts are not considered. */
interface Candidates {
  /** In the order of the response. */
  readonly ctas: readonly CatalogueCta[];
  /** Those that are not for every user. */
  readonly limited: ReadonlySet<CatalogueCta>;
  /** The facts needed about a user to decide which of these CTAs are for that user. */
  readonly needs: AudienceNeeds;
}

/** Most apps whose candidates are kept at a time. Clients name their version and package, so invented values must not pile up. */
const maxHeldApps = 256;

const held = new WeakMap<CatalogueMoment, Map<string, Candidates>>();

/**
 * The candidates for an app. Most CTAs of a tenant are not for a given app, and the selection is the same for all its users at a moment. It
 * is therefore computed once per app and kept with the moment.
 */
export function candidatesFor(catalogue: Catalogue, moment: CatalogueMoment, app: App): Candidates {
  const apps = held.get(moment) ?? new Map<string, Candidates>();
  held.set(moment, apps);
  const key = JSON.stringify([app.appVersion, app.packageName]);
  const known = apps.get(key);
  if (known) return known;
  if (apps.size >= maxHeldApps) apps.clear();
  const found = computeCandidates(catalogue, moment, app);
  apps.set(key, found);
  return found;
}

function computeCandidates({ inOrder, cohorts }: Catalogue, { from }: CatalogueMoment, app: App): Candidates {
  const ctas = inOrder.filter(({ gates }) => timeGate(gates, from) === null && appGate(gates, app) === null);
  const named = ctas.flatMap(({ gates }) => cohortsIn(gates));
  const limited = new Set(ctas.filter(({ gates }) => !isForEverybody(gates)));
  return { ctas, limited, needs: needsOf(named, cohorts) };
}

/** The candidates that are for a user. */
export const forUser = (
  { ctas, limited }: Candidates,
  inCohort: EligibilityInput['inCohort'],
): readonly CatalogueCta[] =>
  limited.size === 0
    ? ctas
    : ctas.filter((cta) => !limited.has(cta) || cohortGate(cta.gates, inCohort) === null);
