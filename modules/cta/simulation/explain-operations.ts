import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { catalogueAt } from '../catalogue/catalogue-moment.ts';
import { ctaIdsOf, wholeCtas } from '../catalogue/cta-read-store.ts';
import { deviceOf } from '../device/device.ts';
import { closedTenantGate, isHeldFrom, userGates, variantFor } from '../launch/resolution.ts';
import { readUserFacts } from '../launch/targeting-store.ts';
import { membershipOf, needsOf } from '../launch/targeting.ts';
import { operation } from '../base/operation.ts';
import {
  appOf,
  appParameters,
  canonicalUserId,
  statusParameter,
  tenantOf,
  tenantParameter,
  userIdText,
} from '../base/parameters.ts';
import { gatesOf, serverGates } from '../rules/eligibility.ts';
import { statusAt } from '../rules/lifecycle.ts';
import { archive } from '../state/archive.ts';
import { dropReasons, type LastDrop } from '../state/drop.ts';
import { withoutFuture } from '../state/future-times.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { presentUserId } from '../user-states/user-alias-store.ts';
import { stateOfUser } from '../user-states/user-state-store.ts';
import { appGates, explainForUser } from './explanation.ts';

const explanationPage = page(
  'ctas',
  closedObject({
    ctaId: Type.String(),
    name: Type.String(),
    status: statusParameter('Its status now.'),
    answered: Type.Boolean({ description: 'Whether an app launch sends it.' }),
    variant: nullable(
      Type.String({ description: 'The arm of the user in its running experiment; a control shows nothing.' }),
    ),
    gate: nullable(
      words([...serverGates, ...userGates, ...appGates], { description: 'The first closed gate.' }),
    ),
    why: Type.String(),
  }),
);

const dropRecord = closedObject(
  {
    at: Type.Integer({ description: 'Epoch milliseconds.' }),
    count: Type.Integer(),
    reasons: Type.Array(words(dropReasons, { description: 'The limit.' })),
  },
  {
    description:
      'When something that an app sent of this user, or that was stored, last exceeded a limit and was dropped; null: never.',
  },
);

const dropRecordOf = (drop: LastDrop | undefined): Static<typeof dropRecord> | null =>
  drop ? { ...drop, reasons: [...drop.reasons] } : null;

export const explainCta = operation({
  name: 'explain-cta',
  title: 'Explain why a user sees a CTA or not',
  description:
    'Returns for a user every CTA of the tenant, the oldest first, with the first closed gate and why: first the gates of a ' +
    'launch (status, start, end, kill switch, cohorts, app version, package, holdouts, limits across all CTAs), then those of the app (exposure and ' +
    'relations of the behaviour tag, validity, frequency; limits per session are left out, and only resets count). gate null: ' +
    'it is shown when its events happen; simulate-cta simulates them.',
  input: closedObject({
    tenantId: tenantParameter,
    userId: userIdText('The user, as in auth-userid.'),
    ...appParameters,
    ...paging,
  }),
  // `dropped` concerns the user, so it is next to the list and not in it.
  output: closedObject({ ...explanationPage.properties, dropped: nullable(dropRecord) }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, host }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const user = { tenantId, userId: await presentUserId(q, canonicalUserId(input.userId, 'userId')) };
    const catalogue = await catalogues(host).of(tenantId);
    const now = clock.now();
    const ids = await ctaIdsOf(q, tenantId);
    // Facts for all cohorts: which of them the page needs would be known only after reading its rules.
    const facts = await readUserFacts(q, user, needsOf(catalogue.cohorts.keys(), catalogue.cohorts));
    const moment = { now, app: appOf(input), inCohort: membershipOf(catalogue.cohorts, facts, now) };
    const stored = withoutFuture(await stateOfUser(q, user), now);
    const { state } = archive(stored, { ...catalogueAt(catalogue, now), now });
    const device = deviceOf(state);
    const launched = { userId: user.userId, state, zone: input.timeZone ?? null, now };
    const tenantGate = closedTenantGate(catalogue, launched);
    const ctas: Static<typeof explanationPage>['ctas'] = [];
    for await (const cta of wholeCtas(q, ids.slice(offset, offset + limit))) {
      const known = catalogue.ctas.get(String(cta.id));
      const gates = known?.gates ?? gatesOf(cta, false);
      const isHeld = known !== undefined && isHeldFrom(catalogue, known, user.userId);
      const userGate = tenantGate ?? (isHeld ? 'holdout' : null);
      const variant = known ? variantFor(known, launched) : null;
      ctas.push({
        ctaId: String(cta.id),
        name: cta.name,
        status: statusAt(cta, now),
        variant,
        ...explainForUser(cta, gates, { ...moment, userGate }, device, catalogue.tags),
      });
    }
    return { total: ids.length, limit, offset, ctas, dropped: dropRecordOf(state.lastDrop) };
  },
});
