import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { ctaIdParameter, statusParameter } from '../base/parameters.ts';
import { illegalStatusChange, statusAt } from '../rules/lifecycle.ts';
import { publishScope } from '../tenants/tenant-access.ts';
import { changeTenants } from '../tenants/tenant-change.ts';
import { ctaRecord, ctaRecordOf } from './cta-record.ts';
import { pageOfStatusChanges, writeCtaStatus } from './cta-status-store.ts';
import { ctaFor, ctaToChange } from './cta-store.ts';

export const setCtaStatus = operation({
  name: 'set-cta-status',
  title: 'Change the status of a CTA',
  description:
    'DRAFT may become LIVE, SCHEDULED or TERMINATED; SCHEDULED becomes LIVE at its startTime by itself, or PAUSED or DRAFT; ' +
    "LIVE may become PAUSED (hidden, its users' state kept), CONCLUDED or TERMINATED; PAUSED may become LIVE, SCHEDULED, " +
    'CONCLUDED or TERMINATED. CONCLUDED and TERMINATED are final. A LIVE CTA becomes CONCLUDED at its endTime by itself. ' +
    'set-cta-kill-switch hides all CTAs of a tenant or a behaviour tag at once. ' +
    `Needs the role admin or the token scope ${publishScope}; members may terminate a DRAFT.`,
  input: closedObject({ ctaId: ctaIdParameter, status: statusParameter('The new status.') }),
  output: ctaRecord,
  access: member('write'),
  effect: 'update',
  confirm: 'Apps see it from their next launch on; TERMINATED and CONCLUDED are final.',
  handler: (input, context) => {
    const { actor } = context;
    const now = context.clock.now();
    return changeTenants(context, async (q) => {
      const cta = await ctaToChange(q, actor, input.ctaId, 'write');
      // Apps never received a draft, so its members may terminate it.
      const isGivenUp = input.status === 'TERMINATED' && statusAt(cta, now) === 'DRAFT';
      if (!isGivenUp) await ctaToChange(q, actor, input.ctaId, 'publish');
      const illegal = illegalStatusChange(cta, input.status, now);
      if (illegal) {
        throw fail.ILLEGAL_STATUS_CHANGE(
          `CTA "${input.ctaId}" cannot become ${input.status}. ${illegal.message}`,
          { cause: illegal.field },
        );
      }
      const written = await writeCtaStatus(q, cta, input.status, { by: actor.userId, now });
      if (!written)
        throw fail.CONFLICT(`The status of CTA "${input.ctaId}" was changed by somebody else meanwhile.`);
      return { changed: [cta.tenantId], result: ctaRecordOf(written, now) };
    });
  },
});

const statusChangeRecord = closedObject({
  from: statusParameter('The status before.'),
  to: statusParameter('The status after.'),
  at: Type.Integer(),
  by: nullable(Type.Integer()),
});

export const listCtaStatusChanges = operation({
  name: 'list-cta-status-changes',
  title: 'List the status changes of a CTA',
  description:
    'Lists the status changes of a CTA, the oldest first: from, to, at (epoch milliseconds) and by; "by" is null for a change ' +
    'made by its startTime or endTime.',
  input: closedObject({ ctaId: ctaIdParameter, ...paging }),
  output: page('changes', statusChangeRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const { limit, offset } = pageOf(input);
    const cta = await ctaFor(db.q, actor, input.ctaId, 'read');
    const { total, rows } = await pageOfStatusChanges(db.q, cta.id, { limit, offset });
    return { total, limit, offset, changes: rows.map(({ from, to, at, by }) => ({ from, to, at, by })) };
  },
});
