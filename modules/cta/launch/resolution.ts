import type { Catalogue, CatalogueCta } from '../catalogue/catalogue.ts';
import type { SerialisedCta } from '../catalogue/serialised-cta.ts';
import { armKeyOf, isHeldOut } from '../experiments/assignment.ts';
import { closedDeliveryGate, type DeliveryGate } from '../rules/delivery.ts';
import { entryAt } from '../state/string-map.ts';
import type { UserState } from '../state/user-state.ts';

/** Whom a launch is for. */
interface LaunchedUser {
  readonly userId: string;
  /** Merged with what the app has sent. */
  readonly state: UserState;
  /** The time zone of the app; null: not sent. */
  readonly zone: string | null;
  readonly now: number;
}

export const userGates = ['holdout', 'delivery.quiet_hours', 'delivery.min_gap', 'delivery.per_day'] as const;
export type UserGate = 'holdout' | DeliveryGate;

/**
 * The CTAs of a launch as this user gets them: none in a holdout or at a limit of the tenant, and of each with a running experiment the arm
 * of the user. It needs nothing but what the launch has read anyway.
 */
export function resolvedFor(
  catalogue: Catalogue,
  eligible: readonly CatalogueCta[],
  user: LaunchedUser,
): readonly SerialisedCta[] {
  if (closedTenantGate(catalogue, user) !== null) return [];
  if (!catalogue.hasTrials) return eligible;
  return eligible.flatMap((cta) => (isHeldFrom(catalogue, cta, user.userId) ? [] : [armFor(cta, user)]));
}

/** What keeps every CTA of the tenant from the user; null: nothing. */
export function closedTenantGate(
  { holdouts, delivery }: Pick<Catalogue, 'holdouts' | 'delivery'>,
  { userId, state, zone, now }: LaunchedUser,
): UserGate | null {
  if (holdouts.some((holdout) => holdout.scope === 'tenant' && isHeldOut(holdout, userId))) return 'holdout';
  return delivery === null ? null : closedDeliveryGate(delivery, actionsIn(state), now, zone);
}

/** A CTA that came back may bring actions again that were kept when it ended. */
function actionsIn({ ctas, endedActions }: UserState): Iterable<number> {
  const known = Object.values(ctas).flatMap((cta) => cta.actionDoneAt.marks);
  return endedActions ? [...known, ...endedActions.filter((at) => !known.includes(at))] : known;
}

/** Whether the holdout that the running experiment of a CTA names has the user. */
export function isHeldFrom(
  { holdouts }: Pick<Catalogue, 'holdouts'>,
  { trial, isTried }: CatalogueCta,
  userId: string,
): boolean {
  const name = isTried ? trial?.experiment.holdout : undefined;
  if (name === undefined) return false;
  return holdouts.some((holdout) => holdout.name === name && isHeldOut(holdout, userId));
}

/**
 * The key of the user's arm in the running experiment of a CTA; null: none, or outside of the coverage. Who saw the CTA as a guest first
 * keeps the arm of the guest.
 */
export const variantFor = (
  cta: CatalogueCta,
  { userId, state: { shownAs } }: Pick<LaunchedUser, 'userId' | 'state'>,
  at?: number,
): string | null => armKeyOf(cta, (shownAs && entryAt(shownAs, cta.ctaId)) ?? userId, at);

function armFor(cta: CatalogueCta, user: LaunchedUser): SerialisedCta {
  const key = variantFor(cta, user);
  return (key === null ? undefined : cta.trial?.arms.get(key)) ?? cta;
}
