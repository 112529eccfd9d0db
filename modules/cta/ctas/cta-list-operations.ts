import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { operation } from '../base/operation.ts';
import { nameText, statusParameter, tagName, tenantOf, tenantParameter } from '../base/parameters.ts';
import { ctaStatuses } from '../rules/lifecycle.ts';
import { tenantFor } from '../tenants/tenant-access.ts';
import { pageOfCtas } from './cta-list-store.ts';
import { ctaSummaryRecord, ctaSummaryRecordOf } from './cta-record.ts';

const countsRecord = closedObject(
  Object.fromEntries(ctaStatuses.map((status) => [status, Type.Integer()])) as Record<
    (typeof ctaStatuses)[number],
    ReturnType<typeof Type.Integer>
  >,
  { description: 'How many there are of each status, without the filter status.' },
);

const ctaPage = page('ctas', ctaSummaryRecord);

export const listCtas = operation({
  name: 'list-ctas',
  title: 'List CTAs',
  description:
    'Lists the CTAs of a tenant, a page at a time, the oldest first, without descriptions and rules (get-cta returns them), and ' +
    'counts them by status. Filters may be combined; search and tag ignore case.',
  input: closedObject({
    tenantId: tenantParameter,
    status: Type.Optional(statusParameter('Only CTAs with this status now.')),
    team: Type.Optional(nameText('Only those of this team.')),
    tag: Type.Optional(nameText('Only those with this keyword in tags.')),
    behaviourTagName: Type.Optional(tagName('Only those under this behaviour tag.')),
    search: Type.Optional(nameText('Only those with this text in the name or the description.')),
    ...paging,
  }),
  output: closedObject({ ...ctaPage.properties, counts: countsRecord }),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db, clock }) => {
    const filter = {
      status: input.status,
      team: input.team?.trim(),
      tag: input.tag?.trim(),
      behaviourTagName: input.behaviourTagName,
      search: input.search?.trim(),
    };
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(db.q, actor, tenantOf(input), 'read');
    const now = clock.now();
    const { total, rows, counts } = await pageOfCtas(db.q, tenantId, filter, { limit, offset }, now);
    return { total, limit, offset, ctas: rows.map((cta) => ctaSummaryRecordOf(cta, now)), counts };
  },
});
