import { Type, type Static } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { words } from '../../../core/schema.ts';
import { archive } from '../state/archive.ts';
import { statusForState } from '../catalogue/catalogue.ts';
import { catalogues } from '../catalogue/catalogue-cache.ts';
import { storedState } from '../user-states/user-state-store.ts';
import { dropReasons, type LastDrop } from '../state/drop.ts';
import { wholeCtas, ctaIdsOf } from '../catalogue/cta-reader.ts';
import { deviceOf } from '../device/device.ts';
import { withoutFuture } from '../state/future-times.ts';
import { gatesOf, serverGates } from '../rules/eligibility.ts';
import { appGates, explained } from './explanation.ts';
import { statusAt } from '../rules/lifecycle.ts';
import {
  appOf,
  appParameters,
  canonicalUserId,
  closed,
  nullable,
  statusParameter,
  tenantOf,
  tenantParameter,
  toolset,
  userIdText,
} from '../parameters.ts';
import { membershipOf, needsOf } from '../launch/targeting.ts';
import { knownOf } from '../launch/targeting-store.ts';
import { tenantFor } from '../tenants/tenant-access.ts';

const perCta = page(
  'ctas',
  Type.Object(
    {
      ctaId: Type.String(),
      name: Type.String(),
      status: statusParameter('Its status now.'),
      answered: Type.Boolean({ description: 'Whether an app launch answers it.' }),
      gate: nullable(words([...serverGates, ...appGates], { description: 'The first closed gate.' })),
      why: Type.String(),
    },
    closed,
  ),
);

/** `dropped` is about the user and stands beside the list. */
const answer = Type.Object(
  {
    ...perCta.properties,
    dropped: nullable(
      Type.Object(
        {
          at: Type.Integer({ description: 'Epoch milliseconds.' }),
          count: Type.Integer(),
          reasons: Type.Array(words(dropReasons, { description: 'The limit.' })),
        },
        {
          ...closed,
          description:
            'When something that an app sent of this user, or that was stored, last exceeded a limit and was left out; null: never.',
        },
      ),
    ),
  },
  closed,
);

export const explainCta = operation({
  name: 'explain-cta',
  toolset,
  title: 'Explain why a user sees a CTA or not',
  description:
    'Answers for a user every CTA of the tenant, the oldest first, with the first gate that keeps it away, and why: what a ' +
    'launch looks at (status, start, end, kill switch, cohorts, app version, package), then what the app does (exposure and ' +
    'relations of the behaviour tag, validity, frequency; limits per session aside, and only resets count). gate null means that it is shown ' +
    'when its events happen; simulate-cta plays them.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      userId: userIdText('The user, as apps name it in auth-userid.'),
      ...appParameters,
      ...paging,
    },
    closed,
  ),
  output: answer,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock, host }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const user = { tenantId, userId: canonicalUserId(input.userId, 'userId') };
    const catalogue = await catalogues(host).of(tenantId);
    const now = clock.now();
    const ids = await ctaIdsOf(q, tenantId);
    // Of all cohorts: which of them the page asks for would be known only once its rules are read.
    const known = await knownOf(q, user, needsOf(catalogue.cohorts.keys(), catalogue.cohorts));
    const moment = { now, app: appOf(input), inCohort: membershipOf(catalogue.cohorts, known, now) };
    const { state } = archive(withoutFuture(await storedState(q, user), now), {
      now,
      ctaStatus: (ctaId) => statusForState(catalogue, ctaId, now),
      ttl: (ctaId) => catalogue.ctas.get(ctaId)?.rule.stateMachineTTL,
    });
    const device = deviceOf(state);
    const ctas: Static<typeof perCta>['ctas'] = [];
    for await (const cta of wholeCtas(q, ids.slice(offset, offset + limit))) {
      const gates = catalogue.ctas.get(String(cta.id))?.gates ?? gatesOf(cta, false);
      ctas.push({
        ctaId: String(cta.id),
        name: cta.name,
        status: statusAt(cta, now),
        ...explained(cta, gates, moment, device, catalogue.tags),
      });
    }
    return { total: ids.length, limit, offset, ctas, dropped: told(state.lastDrop) };
  },
});

const told = (drop: LastDrop | undefined) => (drop ? { ...drop, reasons: [...drop.reasons] } : null);
