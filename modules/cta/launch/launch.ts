import type { Host } from '../../../core/host/host.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { catalogueAt, type CatalogueMoment } from '../catalogue/catalogue-moment.ts';
import { emptyCatalogue, type Catalogue } from '../catalogue/catalogue.ts';
import type { DerivedFacts } from '../counts/derived-events.ts';
import { archive } from '../state/archive.ts';
import { sumOfDrops } from '../state/drop.ts';
import { withoutFuture } from '../state/future-times.ts';
import { merge } from '../state/merge.ts';
import type { ReadBody } from '../state/snapshot-body.ts';
import { entryAt } from '../state/string-map.ts';
import type { StateMachineSnapshot } from '../state/snapshot.ts';
import { emptyState, type UserState } from '../state/user-state.ts';
import { advanceState } from '../user-states/user-state-store.ts';
import { candidatesFor, forUser } from './candidates.ts';
import type { ClientHeaders } from './client-headers.ts';
import { launchAnswerJson } from './launch-answer.ts';
import { resolvedFor, variantFor } from './resolution.ts';
import { readUserFacts } from './targeting-store.ts';
import { membershipOf } from './targeting.ts';

/**
 * An app launch (docs/contract.md, App launch): stale state is archived, and the client's snapshot is merged. The response then contains
 * the eligible CTAs and the behaviour tags with the resulting state of the user. The cohorts of the user cost at most one read.
 * @returns the body of the response, as JSON text.
 */
export async function launch(host: Host, client: ClientHeaders, body: ReadBody): Promise<string> {
  const now = host.clock.now();
  const catalogue = await catalogues(host).of(client.tenantId);
  const moment = catalogueAt(catalogue, now);
  const candidates = candidatesFor(catalogue, moment, client);
  const [{ state, userId }, asked] = await Promise.all([
    mergedState(host, client, body, { catalogue, moment, now }),
    readUserFacts(host.db.q, client, candidates.needs),
  ]);
  // A guest who signed in is in the cohorts of that user.
  const facts =
    userId === client.userId
      ? asked
      : await readUserFacts(host.db.q, { ...client, userId }, candidates.needs);
  const eligible = forUser(candidates, membershipOf(catalogue.cohorts, facts, now));
  const user = { userId, state, zone: client.timeZone, now };
  return launchAnswerJson(resolvedFor(catalogue, eligible, user), [...catalogue.tags.values()], state);
}

/** A snapshot delta (docs/contract.md, Delta): merges the client's snapshot. It is stored durably when this resolves. */
export async function applyDelta(host: Host, client: ClientHeaders, body: ReadBody): Promise<void> {
  const catalogue = await catalogues(host).of(client.tenantId);
  const now = host.clock.now();
  await mergedState(host, client, body, { catalogue, moment: catalogueAt(catalogue, now), now });
}

interface LaunchTime {
  readonly catalogue: Catalogue;
  readonly moment: CatalogueMoment;
  readonly now: number;
}

/** The user's state after archiving and merging, and whose it is; stored if it changed. */
async function mergedState(
  host: Host,
  client: ClientHeaders,
  body: ReadBody,
  { catalogue, moment: { ctas, others, counted }, now }: LaunchTime,
): Promise<{ readonly state: UserState; readonly userId: string }> {
  if (catalogue === emptyCatalogue) return { state: emptyState, userId: client.userId };
  // Only a body that resets something needs it.
  let sentCtas: Map<string, StateMachineSnapshot> | undefined;
  const facts: DerivedFacts = {
    ctas: catalogue.ctas,
    ...(catalogue.hasTrials && {
      variantOf: (ctaId, user, at) => {
        const cta = catalogue.ctas.get(ctaId);
        return cta ? variantFor(cta, user, at) : null;
      },
    }),
    resetIn: (ctaId, groupKey) => {
      sentCtas ??= new Map(body.ctas.map((cta) => [cta.ctaId, cta]));
      const sent = sentCtas.get(ctaId);
      const machine = sent && entryAt(sent.activeStateMachines, groupKey);
      return machine?.reset === true ? machine.currentState : undefined;
    },
  };
  return advanceState(host, client, (stored) => {
    let drops = body.drops;
    const current = withoutFuture(stored, now);
    const { state } = merge(archive(current, { now, ctas, others, counted }).state, body, {
      now,
      ctas,
      others,
      tags: catalogue.tags,
      onDrop: (machines) => (drops = sumOfDrops(drops, { machines })),
    });
    return { state, drops, shows: { before: current, facts } };
  });
}
