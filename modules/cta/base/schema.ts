import { sql } from 'drizzle-orm';
import {
  bool,
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
import type { DeliveryLimits } from '../rules/delivery.ts';
import type { Experiment, HoldoutScope } from '../rules/experiment.ts';
import type { Properties } from '../rules/filter.ts';
import type { CtaStatus } from '../rules/lifecycle.ts';
import type { GoalEvent } from '../rules/goal.ts';
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
  delivery: json<DeliveryLimits>('delivery'),
});

const tenantId = () =>
  text('tenant_id')
    .notNull()
    .references(() => tenants.tenantId);

/**
 * `rule` is stored as the administrator gave it; the rule that clients receive is derived from it. An experiment runs from its start until
 * it is stopped; another experiment clears both times.
 */
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
    experiment: json<Experiment>('experiment'),
    experimentStartedAt: time('experiment_started_at'),
    experimentStoppedAt: time('experiment_stopped_at'),
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
  /** Absent in versions of earlier releases. */
  readonly experiment?: Experiment | null;
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

/** Users who do not get CTAs. `share` is in hundredths of a percent; `scope` says of which CTAs. */
export const holdouts = table(
  'cta_holdouts',
  {
    tenantId: text('tenant_id').notNull(),
    name: text('name').notNull(),
    share: int('share').notNull(),
    seed: text('seed').notNull(),
    scope: text('scope').$type<HoldoutScope>().notNull(),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.name] })],
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
 * Users who were merged into others: what still comes under the former id reaches the other user. `userId` as in {@link userStates}.
 * `settled`: no state can appear under the former id any more.
 */
export const userAliases = table(
  'cta_user_aliases',
  {
    userId: text('user_id').primaryKey(),
    intoUserId: text('into_user_id').notNull(),
    mergedAt: time('merged_at').notNull(),
    settled: bool('settled').notNull(),
  },
  (t) => [
    index('cta_user_aliases_into').on(t.intoUserId),
    index('cta_user_aliases_merged').on(t.mergedAt),
    index('cta_user_aliases_open')
      .on(t.mergedAt)
      .where(sql`not settled`),
  ],
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
/** The columns of an event without its id; `derived-store.ts` uses them to append many at once. */
export const eventColumns = () => ({
  tenantId: text('tenant_id').notNull(),
  userId: text('user_id').notNull(),
  ctaId: int('cta_id').notNull(),
  version: int('version').notNull(),
  variant: text('variant'),
  type: text('type').notNull(),
  source: text('source').notNull(),
  name: text('name'),
  at: time('at').notNull(),
  receivedAt: time('received_at').notNull(),
  eventId: text('event_id'),
  details: text('details'),
});

/**
 * What happened to a user with a CTA, append-only: `source` is `derived` (from the stamps of a merge) or `client` (sent by the app).
 * `ctaId` 0: the event names no CTA. `userId` as in {@link userStates}; that of an erased user is a random word. `eventId` is the client's,
 * or made from the stamp: the same stamp is never counted twice, whatever was dropped from the state meanwhile. `name` is that of a
 * custom event, or the state that was reached.
 */
export const ctaEvents = table('cta_events', { id: id('id'), ...eventColumns() }, (t) => [
  uniqueIndex('cta_events_once').on(t.tenantId, t.userId, t.eventId),
  index('cta_events_named')
    .on(t.tenantId, t.name, t.at)
    .where(sql`name is not null`),
]);

/**
 * The sums of {@link ctaEvents} by hour of their own time. One row would serialise every commit of a CTA on PostgreSQL, so each user adds
 * to one of several slots. `variant` is '' for none.
 */
export const ctaHourCounts = table(
  'cta_hour_counts',
  {
    tenantId: text('tenant_id').notNull(),
    ctaId: int('cta_id').notNull(),
    hour: time('hour').notNull(),
    type: text('type').notNull(),
    source: text('source').notNull(),
    version: int('version').notNull(),
    variant: text('variant').notNull(),
    slot: int('slot').notNull(),
    count: int('count').notNull(),
  },
  (t) => [
    primaryKey({
      name: 'cta_hour_counts_key',
      columns: [t.tenantId, t.ctaId, t.hour, t.type, t.source, t.version, t.variant, t.slot],
    }),
  ],
);

/**
 * The sums of {@link ctaEvents} by user. `seen`: by group key, the state of the last impression and its time; `turnedAt`: the last action,
 * completion or dismissal. A further impression of the same state counts only after such a turn. `exposedAs`: the ids
 * under which a user who was two saw the CTA, the first one first, with commas between them; null: the own id alone.
 */
export const ctaUserCounts = table(
  'cta_user_counts',
  {
    tenantId: text('tenant_id').notNull(),
    ctaId: int('cta_id').notNull(),
    userId: text('user_id').notNull(),
    variant: text('variant'),
    firstAt: time('first_at').notNull(),
    lastAt: time('last_at').notNull(),
    firstSeenAt: time('first_seen_at'),
    firstActedAt: time('first_acted_at'),
    convertedAt: time('converted_at'),
    turnedAt: time('turned_at'),
    impressions: int('impressions').notNull(),
    clicks: int('clicks').notNull(),
    dismissals: int('dismissals').notNull(),
    actions: int('actions').notNull(),
    completions: int('completions').notNull(),
    seen: text('seen'),
    exposedAs: text('exposed_as'),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.ctaId, t.userId] })],
);

/** The states of a CTA that a user has been in, as far as deltas show. `isThere`: one of the user's machines is in it. */
export const ctaArrivals = table(
  'cta_arrivals',
  {
    tenantId: text('tenant_id').notNull(),
    ctaId: int('cta_id').notNull(),
    state: text('state').notNull(),
    userId: text('user_id').notNull(),
    firstAt: time('first_at').notNull(),
    isThere: bool('is_there').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.ctaId, t.state, t.userId] })],
);

/** What counts as the success of a CTA. */
export const ctaGoals = table(
  'cta_goals',
  {
    id: id('id'),
    tenantId: text('tenant_id').notNull(),
    ctaId: int('cta_id').notNull(),
    name: text('name').notNull(),
    on: json<GoalEvent>('reached_by').notNull(),
    windowHours: int('window_hours').notNull(),
    createdBy: int('created_by').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (t) => [uniqueIndex('cta_goals_name').on(t.tenantId, t.ctaId, t.name)],
);

/** Approximate size of the events of a tenant, as {@link tenantStateUsage}; `dropped` counts events above the quota. */
export const tenantEventUsage = table('cta_event_usage', {
  tenantId: text('tenant_id').primaryKey(),
  events: int('events').notNull(),
  bytes: int('bytes').notNull(),
  dropped: int('dropped').notNull(),
});
export type CtaRow = typeof ctas.$inferSelect;
export type CtaVersionRow = typeof ctaVersions.$inferSelect;
