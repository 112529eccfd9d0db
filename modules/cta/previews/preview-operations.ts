import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { page, pageOf, paging } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { ownerParameter, tenantOf, tenantParameter } from '../base/parameters.ts';
import { mayIn, publishScope, tenantFor } from '../tenants/tenant-access.ts';
import { writeBesideCatalogue, type WriteContext } from '../tenants/tenant-change.ts';
import {
  deletePreview,
  insertPreview,
  pageOfPreviews,
  newPreviewIdForm,
  previewIdForm,
  previewNamed,
  replacePreview,
  type PreviewRow,
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
const templateParameter = Type.String({
  minLength: 1,
  maxLength: 512 * 1024,
  description: 'HTML, JSON or anything else that the app renders.',
});
/** What the tools that change a preview say of their rights. */
const ofAnotherUser = `That of another user needs the role admin or the token scope ${publishScope}.`;
const lifetime = { minimum: 0, maximum: year };

/** Clients read ttl as a lifetime, and 0 would mean no lifetime at all. */
const lifetimeFrom = (now: number, ttl: number) =>
  ttl === 0 ? { ttl: null, expiresAt: null } : { ttl, expiresAt: now + ttl * 1000 };

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
    template: templateParameter,
    ttl: Type.Optional(
      Type.Integer({
        ...lifetime,
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
      createdBy: actor.userId,
      createdAt: now,
      ...lifetimeFrom(now, ttl),
    };
    // The transaction returns nothing: an id that cannot be guessed must not be in the audit log.
    await writeBesideCatalogue(context, { claim: { tenantId, orgId: input.orgId } }, (q) =>
      insertPreview(q, preview),
    );
    return preview;
  },
});

export const updateNudgePreview = operation({
  name: 'update-nudge-preview',
  title: 'Edit a nudge preview',
  description:
    'Replaces the template of a nudge preview, its lifetime or both, under the same id. ' + ofAnotherUser,
  input: closedObject({
    tenantId: tenantParameter,
    id: idParameter,
    template: Type.Optional(templateParameter),
    ttl: Type.Optional(
      Type.Integer({
        ...lifetime,
        description: 'Seconds from now until it expires; 0 is never. Omitted: it expires when it did.',
      }),
    ),
  }),
  output: previewRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, context) => {
    const { id, template, ttl } = input;
    if (template === undefined && ttl === undefined) {
      throw fail.NOTHING_TO_UPDATE('Neither a template nor a ttl was given.');
    }
    return changePreview(context, { tenantId: tenantOf(input), id }, async (q, preview) => {
      const changed = {
        ...preview,
        ...(template === undefined ? {} : { template }),
        ...(ttl === undefined ? {} : lifetimeFrom(context.clock.now(), ttl)),
      };
      await replacePreview(q, changed);
      return changed;
    });
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
    'Deletes a nudge preview before it expires: apps get nothing for its id any more. ' + ofAnotherUser,
  input: closedObject({ tenantId: tenantParameter, id: idParameter }),
  output: previewRecord,
  access: member('write'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: (input, context) =>
    changePreview(context, { tenantId: tenantOf(input), id: input.id }, async (q, preview) => {
      await deletePreview(q, preview);
      return preview;
    }),
});

/** Writes to a preview that has not expired, one's own or, for those who publish, anybody's. */
const changePreview = (
  context: WriteContext,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
  work: (q: Query, preview: PreviewRow) => Promise<PreviewRow>,
) =>
  writeBesideCatalogue(context, { tenantId, right: 'write' }, async (q, tenant) => {
    const preview = await previewNamed(q, tenant.tenantId, id, context.clock.now());
    if (preview.createdBy !== context.actor.userId) mayIn(context.actor, tenant.orgId, 'publish');
    return work(q, preview);
  });
