import { Type } from '@sinclair/typebox';
import { adminOr, member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { tenantOf, tenantParameter } from '../base/parameters.ts';
import { clockOf, type DeliveryLimits } from '../rules/delivery.ts';
import { publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { changeTenant } from '../tenants/tenant-change.ts';
import { writeDelivery } from '../tenants/tenant-store.ts';

const time = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: `${description} HH:MM.` });

const globalLimits = closedObject(
  {
    minGapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 31_536_000,
        description: "Seconds since the user's last action of any CTA; 0: none.",
      }),
    ),
    perDay: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000,
        description: 'Most actions of all CTAs in 24 hours; 0: no limit.',
      }),
    ),
    quietHours: Type.Optional(
      closedObject(
        {
          from: time('When they begin.'),
          to: time('When they end; earlier than from: on the next day.'),
          timeZone: Type.String({
            minLength: 1,
            maxLength: 64,
            description: 'For users whose app sends no header tz, e.g. Europe/Rome.',
          }),
        },
        { description: 'In the time zone of the user.' },
      ),
    ),
  },
  { description: 'Limits across all CTAs of the tenant.' },
);

const record = closedObject({ tenantId: Type.String(), global: nullable(globalLimits) });

export const setDeliveryLimits = operation({
  name: 'set-delivery-limits',
  title: 'Limit what users get across all CTAs',
  description:
    'Sets the limits across all CTAs of a tenant, in place of earlier ones: a minimal gap, a number per day, quiet hours. The ' +
    'server applies them at each launch: a user at a limit gets no CTA until a later launch; CTAs that an app has already are ' +
    'not taken away. Without "global" there are none. Limits of one CTA are the frequency of its rule. ' +
    `Needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({ tenantId: tenantParameter, global: Type.Optional(globalLimits) }),
  output: record,
  access: adminOr(publishScope),
  effect: 'update',
  handler: ({ global, ...input }, context) => {
    const limits: DeliveryLimits | null = global ?? null;
    const { from, to, timeZone } = limits?.quietHours ?? {};
    if (timeZone !== undefined && clockOf(timeZone) === undefined)
      throw fail.INVALID_REQUEST(`There is no time zone "${timeZone}".`, {
        cause: 'global.quietHours.timeZone',
      });
    if (from !== undefined && from === to)
      throw fail.INVALID_REQUEST('Quiet hours that end when they begin are none, or the whole day.', {
        cause: 'global.quietHours.to',
      });
    const target = { tenantId: tenantOf(input), right: 'publish' } as const;
    return changeTenant(context, target, async (q, { tenantId }) => {
      await writeDelivery(q, tenantId, limits);
      return { tenantId, global: global ?? null };
    });
  },
});

export const getDeliveryLimits = operation({
  name: 'get-delivery-limits',
  title: 'Read the limits across all CTAs',
  description:
    'Returns the limits across all CTAs of a tenant; null: none. explain-cta says which of them is reached.',
  input: closedObject({ tenantId: tenantParameter }),
  output: record,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    const { tenantId, delivery } = await tenantFor(q, actor, tenantOf(input), 'read');
    return { tenantId, global: delivery };
  },
});
