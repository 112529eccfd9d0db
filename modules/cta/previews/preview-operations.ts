import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { operation } from '../base/operation.ts';
import { ownerParameter, tenantOf, tenantParameter } from '../base/parameters.ts';
import { mayIn, publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { writeBesideCatalogue } from '../tenants/tenant-change.ts';
import {
  deletePreview,
  insertPreview,
  pageOfPreviews,
  newPreviewIdForm,
  previewIdForm,
  previewNamed,
} from './preview-store.ts';

const year = 365 * 24 * 60 * 60;

const summaryFields = {
  id: Type.String(),
  tenantId: Type.String(),
  ttl: nullable(Type.Integer()),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
  expiresAt: nullable(Type.Integer()),
};

const previewSummaryRecord = closedObject(summaryFields);
const previewRecord = closedObject({ ...summaryFields, template: Type.String() });
const idParameter = Type.String({
  pattern: previewIdForm,
  description: 'The preview; list-nudge-previews lists them.',
});

export const createNudgePreview = operation({
  name: 'create-nudge-preview',
  title: 'Create a nudge preview',
  description:
    'Stores a template that an app can fetch by its id, GET /cta/nudge/preview/{id}, to look at it on a device before a ' +
    'CTA uses it. Anybody who knows the id can read it; it expires after ttl seconds.',
  input: closedObject({
    tenantId: tenantParameter,
    orgId: ownerParameter,
    id: Type.Optional(
      Type.String({
        maxLength: 128,
        pattern: newPreviewIdForm,
        description: 'The id; default one that cannot be guessed.',
      }),
    ),
    template: Type.String({
      minLength: 1,
      maxLength: 512 * 1024,
      description: 'HTML, JSON or anything else that the app renders.',
    }),
    ttl: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: year,
        default: 3600,
        description: 'Seconds until it expires; 0 is never, and is returned as null.',
      }),
    ),
  }),
  output: previewRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, context) => {
    const { actor, clock, random } = context;
    const { template, ttl = 3600 } = input;
    const tenantId = tenantOf(input);
    const now = clock.now();
    const preview = {
      id: input.id ?? Buffer.from(random(16)).toString('hex'),
      template,
      tenantId,
      // Clients read ttl as a lifetime, and 0 would mean no lifetime at all.
      ttl: ttl === 0 ? null : ttl,
      createdBy: actor.userId,
      createdAt: now,
      expiresAt: ttl === 0 ? null : now + ttl * 1000,
    };
    // The transaction returns nothing: an id that cannot be guessed must not be in the audit log.
    await writeBesideCatalogue(context, { claim: { tenantId, orgId: input.orgId } }, (q) =>
      insertPreview(q, preview),
    );
    return preview;
  },
});

export const getNudgePreview = operation({
  name: 'get-nudge-preview',
  title: 'Read a nudge preview',
  description: 'Returns a nudge preview that has not expired, with its template.',
  input: closedObject({ tenantId: tenantParameter, id: idParameter }),
  output: previewRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock }) => {
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    return previewNamed(q, tenantId, input.id, clock.now());
  },
});

export const listNudgePreviews = operation({
  name: 'list-nudge-previews',
  title: 'List nudge previews',
  description:
    'Lists the nudge previews of a tenant that have not expired, the oldest first, without templates (get-nudge-preview has ' +
    'them).',
  input: closedObject({ tenantId: tenantParameter, ...paging }),
  output: page('previews', previewSummaryRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock }) => {
    const { limit, offset } = pageOf(input);
    const { tenantId } = await tenantFor(q, actor, tenantOf(input), 'read');
    const { total, rows } = await pageOfPreviews(q, tenantId, { limit, offset }, clock.now());
    return { total, limit, offset, previews: rows };
  },
});

export const deleteNudgePreview = operation({
  name: 'delete-nudge-preview',
  title: 'Delete a nudge preview',
  description:
    'Deletes a nudge preview before it expires: apps get nothing for its id any more. ' +
    `That of another user needs the role admin or the token scope ${publishScope}.`,
  input: closedObject({ tenantId: tenantParameter, id: idParameter }),
  output: previewRecord,
  access: member('write'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: (input, context) => {
    const { actor, clock } = context;
    const target = { tenantId: tenantOf(input), right: 'write' } as const;
    return writeBesideCatalogue(context, target, async (q, { tenantId, orgId }) => {
      const preview = await previewNamed(q, tenantId, input.id, clock.now());
      if (preview.createdBy !== actor.userId) mayIn(actor, orgId, 'publish');
      await deletePreview(q, preview);
      return preview;
    });
  },
});
