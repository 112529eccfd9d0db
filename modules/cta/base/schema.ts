import {
  id,
  index,
  int,
  json,
  primaryKey,
  table,
  text,
  time,
  uniqueIndex,
} from '../../../core/db/query/columns.ts';
import type { CohortDefinition } from '../rules/cohort.ts';
import type { Properties } from '../rules/filter.ts';
import type { CtaStatus } from '../rules/lifecycle.ts';
import type { RuleInput } from '../rules/rule.ts';
import type { TagDefinition } from '../rules/tag-definition.ts';

/**
 * A tenant is the name that clients send in `x-tenant-id`. It belongs to the organization that first wrote to it. Every change that clients
 * may see raises `version`, which tells each process when to read the rest again. While `killedAt` is set, the tenant's CTAs are hidden as
 * if all were paused.
 */
export const tenants = table('cta_tenants', {
  tenantId: text('tenant_id').primaryKey(),
  orgId: int('org_id').notNull(),
  version: int('version').notNull(),
  createdAt: time('created_at').notNull(),
  killedAt: time('killed_at'),
});

const tenantId = () =>
  text('tenant_id')
    .notNull()
    .references(() => tenants.tenantId);

/** `rule` is stored as the administrator gave it; the rule that clients receive is derived from it. */
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
  (t) => [
    index('cta_ctas_tenant').on(t.tenantId, t.id),
    // Twice a second, a job looks for CTAs that are due to begin or to end.
    index('cta_ctas_start').on(t.status, t.startTime),
    index('cta_ctas_end').on(t.status, t.endTime),
  ],
);

/** The fields that an edit of a CTA can change. */
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

/** Every edit of a CTA as a whole, append-only. For a clone or a reversal, `fromCtaId` and `fromVersion` name its source. */
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
    fromCtaId: int('from_cta_id'),
    fromVersion: int('from_version'),
  },
  (t) => [primaryKey({ columns: [t.ctaId, t.version] })],
);

/** Every status change of a CTA, append-only. `by` is null for a change made by the clock. */
export const statusChanges = table(
  'cta_status_changes',
  {
    id: id('id'),
    ctaId: int('cta_id')
      .notNull()
      .references(() => ctas.id),
    from: text('from_status').$type<CtaStatus>().notNull(),
    to: text('to_status').$type<CtaStatus>().notNull(),
    at: time('at').notNull(),
    by: int('by_user'),
  },
  (t) => [index('cta_status_changes_cta').on(t.ctaId, t.id)],
);

/** While `killedAt` is set, the CTAs of the tag are hidden as if they were paused. */
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
    killedAt: time('killed_at'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name] })],
);

/** Groups of users that a CTA is for. `size` counts the members of a list; it is 0 for the other kinds. */
export const cohorts = table(
  'cta_cohorts',
  {
    id: id('id'),
    tenantId: tenantId(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    definition: json<CohortDefinition>('definition').notNull(),
    size: int('size').notNull(),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [uniqueIndex('cta_cohorts_name').on(t.tenantId, t.name)],
);

/** The members of a list. `userId` as in {@link userStates}. */
export const cohortMembers = table(
  'cta_cohort_members',
  {
    cohortId: int('cohort_id')
      .notNull()
      .references(() => cohorts.id),
    userId: text('user_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.cohortId, t.userId] })],
);

/** The attributes of a user, by which attribute cohorts filter. `userId` as in {@link userStates}. */
export const userAttributes = table(
  'cta_user_attributes',
  {
    tenantId: tenantId(),
    userId: text('user_id').notNull(),
    attributes: json<Properties>('attributes').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.userId] })],
);

/** `ttl` is in seconds; it and `expiresAt` are null for a preview that does not expire. */
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
 * The stored state of one user: one document, found by one point read. `userId` is the signed 64-bit integer of `auth-userid` as its
 * shortest decimal text, because a number would round it. `state` is the JSON text of a `UserState`.
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

/**
 * Approximate size of the stored user states of a tenant. Each process counts its own writes and adds them here from time to time. A full
 * count corrects the total; `countedAt` is the time of the last one (null: never).
 */
export const tenantStateUsage = table('cta_state_usage', {
  tenantId: text('tenant_id').primaryKey(),
  states: int('states').notNull(),
  bytes: int('bytes').notNull(),
  countedAt: time('counted_at'),
});
export type CtaRow = typeof ctas.$inferSelect;
export type CtaVersionRow = typeof ctaVersions.$inferSelect;
