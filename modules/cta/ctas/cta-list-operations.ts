import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { pageOfCtas } from './cta-list-store.ts';
import { ctaSummaryRecord, ctaSummaryRecordOf } from './cta-record.ts';
import { ctaStatuses } from '../rules/lifecycle.ts';
import {
  closed,
  nameText,
  statusParameter,
  tagName,
  tenantOf,
  tenantParameter,
  toolset,
} from '../parameters.ts';
import { tenantFor } from '../tenants/tenant-access.ts';

const counts = Type.Object(
  Object.fromEntries(ctaStatuses.map((status) => [status, Type.Integer()])) as Record<
    (typeof ctaStatuses)[number],
    ReturnType<typeof Type.Integer>
  >,
  { ...closed, description: 'How many there are of each status, whatever status was asked for.' },
);

const found = page('ctas', ctaSummaryRecord);

export const listCtas = operation({
  name: 'list-ctas',
  toolset,
  title: 'List CTAs',
  description:
    'Lists the CTAs of a tenant, a page at a time, oldest first, without descriptions and rules (get-cta has them), and ' +
    'counts them by status. Filters may be combined; capital letters a to z make no difference in search and tag.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      status: Type.Optional(statusParameter('Only CTAs that have this status now.')),
      team: Type.Optional(nameText('Only those that this team looks after.')),
      tag: Type.Optional(nameText('Only those with this word among their tags.')),
      behaviourTagName: Type.Optional(tagName('Only those under this behaviour tag.')),
      search: Type.Optional(nameText('Only those with this in the name or the description.')),
      ...paging,
    },
    closed,
  ),
  output: Type.Object({ ...found.properties, counts }, closed),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db, clock }) => {
    const { status, behaviourTagName } = input;
    const wanted = {
      status,
      team: input.team?.trim(),
      tag: input.tag?.trim(),
      behaviourTagName,
      search: input.search?.trim(),
    };
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(db.q, actor, tenantOf(input), 'read');
    const now = clock.now();
    const listed = await pageOfCtas(db.q, tenantId, wanted, { limit, offset }, now);
    return {
      total: listed.total,
      limit,
      offset,
      ctas: listed.rows.map((cta) => ctaSummaryRecordOf(cta, now)),
      counts: listed.counts,
    };
  },
});
