import { Type } from '@sinclair/typebox';
import { member } from '../../core/actor.ts';
import { operation } from '../../core/operation.ts';
import { closed, ownerParameter, tenantOf, tenantParameter, toolset } from './parameters.ts';
import { insertPreview, previewIdForm } from './previews.ts';
import { claimTenant } from './tenants.ts';

const year = 365 * 24 * 60 * 60;
const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);

export const createNudgePreview = operation({
  name: 'create-nudge-preview',
  toolset,
  title: 'Create a nudge preview',
  description:
    'Puts a template where an app can fetch it by its id, GET /cta/nudge/preview/{id}, to be looked at on a device before a ' +
    'CTA uses it. Whoever knows the id can read it; it expires after ttl seconds.',
  input: Type.Object(
    {
      tenantId: tenantParameter,
      orgId: ownerParameter,
      id: Type.Optional(
        Type.String({
          pattern: previewIdForm,
          description: 'The id; one that cannot be guessed unless given.',
        }),
      ),
      template: Type.String({
        minLength: 1,
        maxLength: 512 * 1024,
        description: 'HTML, JSON or what else the app renders.',
      }),
      ttl: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: year,
          default: 3600,
          description: 'Seconds until it expires; 0 is never, and is answered as null.',
        }),
      ),
    },
    closed,
  ),
  output: Type.Object(
    {
      id: Type.String(),
      template: Type.String(),
      tenantId: Type.String(),
      ttl: nullableInteger,
      createdBy: Type.Integer(),
      createdAt: Type.Integer(),
      expiresAt: nullableInteger,
    },
    closed,
  ),
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock, random }) => {
    const { template, ttl = 3600 } = input;
    const tenantId = tenantOf(input);
    const now = clock.now();
    const preview = {
      id: input.id ?? Buffer.from(random(16)).toString('hex'),
      template,
      tenantId,
      // Clients read ttl as a lifetime, and 0 would be none at all.
      ttl: ttl === 0 ? null : ttl,
      createdBy: actor.userId,
      createdAt: now,
      expiresAt: ttl === 0 ? null : now + ttl * 1000,
    };
    await db.tx(async (q) => {
      await claimTenant(q, actor, { tenantId, orgId: input.orgId }, now);
      await insertPreview(q, preview);
    });
    return preview;
  },
});
