import { id, index, int, json, primaryKey, table, text, time } from '../../core/db/columns.ts';
import type { TagDefinition } from './answer.ts';
import type { CtaStatus } from './lifecycle.ts';
import type { RuleInput } from './rule.ts';

/**
 * Whose CTAs are whose: a tenant is what clients name in `x-tenant-id`, and belongs to the organization that first wrote
 * to it. `version` is raised by every change that clients may see: it tells each process when to read the rest again.
 */
export const tenants = table('cta_tenants', {
  tenantId: text('tenant_id').primaryKey(),
  orgId: int('org_id').notNull(),
  version: int('version').notNull(),
  createdAt: time('created_at').notNull(),
});

const tenantId = () =>
  text('tenant_id')
    .notNull()
    .references(() => tenants.tenantId);

/** `rule` is kept as the administrator gave it; what clients get is derived from it. */
export const ctas = table(
  'cta_ctas',
  {
    id: id('id'),
    tenantId: tenantId(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    tags: json<readonly string[]>('tags').notNull(),
    team: text('team'),
    status: text('status').$type<CtaStatus>().notNull(),
    startTime: time('start_time'),
    endTime: time('end_time'),
    rule: json<RuleInput>('rule').notNull(),
    behaviourTagName: text('behaviour_tag_name'),
    version: int('version').notNull(),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [index('cta_ctas_tenant').on(t.tenantId, t.id)],
);

/** What an edit of a CTA can change. */
export interface CtaFields {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly team: string | null;
  readonly startTime: number | null;
  readonly endTime: number | null;
  readonly behaviourTagName: string | null;
  readonly rule: RuleInput;
}

/** Every edit of a CTA as a whole, append-only. */
export const ctaVersions = table(
  'cta_versions',
  {
    ctaId: int('cta_id')
      .notNull()
      .references(() => ctas.id),
    version: int('version').notNull(),
    fields: json<CtaFields>('fields').notNull(),
    by: int('by_user').notNull(),
    at: time('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ctaId, t.version] })],
);

export const behaviourTags = table(
  'cta_behaviour_tags',
  {
    tenantId: tenantId(),
    name: text('name').notNull(),
    definition: json<TagDefinition>('definition').notNull(),
    version: int('version').notNull(),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name] })],
);

/** `ttl` is in seconds; it and `expiresAt` are null for a preview that stays. */
export const previews = table(
  'cta_previews',
  {
    tenantId: tenantId(),
    id: text('id').notNull(),
    template: text('template').notNull(),
    ttl: int('ttl'),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    expiresAt: time('expires_at'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.id] })],
);

/**
 * What is kept of one user: one document, found by one point read. `userId` is the signed 64-bit integer of `auth-userid`
 * as its shortest decimal text: a number would round it. `state` is the JSON text of a `UserState`.
 */
export const userStates = table(
  'cta_user_states',
  {
    tenantId: text('tenant_id').notNull(),
    userId: text('user_id').notNull(),
    state: text('state').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.userId] })],
);
