import { sql } from 'drizzle-orm';
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
import { projects, runs } from './schema.ts';

/* What a team plans: milestones, plans of runs, and the configurations in which they test. */

const projectId = () =>
  int('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' });

const written = () => ({
  createdBy: int('created_by').notNull(),
  createdAt: time('created_at').notNull(),
  updatedBy: int('updated_by').notNull(),
  updatedAt: time('updated_at').notNull(),
});

/** `nameKey` as in schema.ts: unique regardless of case on both engines. */
const named = () => ({ name: text('name').notNull(), nameKey: text('name_key').notNull() });

/** Days are stored as the start of the day in UTC. */
export const milestones = table(
  'testmgmt_milestones',
  {
    id: id('id'),
    projectId: projectId(),
    ...named(),
    description: text('description').notNull(),
    startOn: time('start_on'),
    dueOn: time('due_on'),
    parentId: int('parent_id'),
    closedBy: int('closed_by'),
    closedAt: time('closed_at'),
    ...written(),
  },
  (t) => [
    uniqueIndex('testmgmt_milestones_name').on(t.projectId, t.nameKey),
    index('testmgmt_milestones_parent').on(t.parentId),
    // A job looks for those that are due.
    index('testmgmt_milestones_due')
      .on(t.dueOn, t.id)
      .where(sql`closed_at is null and due_on is not null`),
  ],
);

/** A milestone as it is kept. */
export interface KeptMilestone {
  readonly name: string;
  readonly description: string;
  readonly startOn: number | null;
  readonly dueOn: number | null;
  readonly parentId: number | null;
  readonly closedAt: number | null;
  readonly closedBy: number | null;
  readonly createdBy: number;
  readonly createdAt: number;
}

/** What belonged to a milestone that was deleted, by id. */
export interface MilestoneParts {
  readonly runs: readonly number[];
  readonly plans: readonly number[];
  readonly parts: readonly number[];
}

/** What each write did to milestones, so that it can be taken back (docs/decisions/versions.md). */
export const milestoneChanges = table(
  'testmgmt_milestone_changes',
  {
    id: id('id'),
    projectId: projectId(),
    /** No reference: the milestone may be deleted. */
    milestoneId: int('milestone_id').notNull(),
    /** `auth_audit.write_id`. */
    writeId: int('write_id').notNull(),
    /** Null: it was not there. */
    before: json<KeptMilestone | null>('before'),
    after: json<KeptMilestone | null>('after'),
    /** Of a deletion: what lost it. Of a restoring: what got it back. */
    had: json<MilestoneParts | null>('had'),
  },
  (t) => [
    index('testmgmt_milestone_changes_write').on(t.writeId, t.id),
    index('testmgmt_milestone_changes_project').on(t.projectId, t.id),
  ],
);

export const configurationGroups = table(
  'testmgmt_configuration_groups',
  { id: id('id'), projectId: projectId(), ...named(), ...written() },
  (t) => [uniqueIndex('testmgmt_configuration_groups_name').on(t.projectId, t.nameKey)],
);

export const configurationValues = table(
  'testmgmt_configuration_values',
  {
    id: id('id'),
    groupId: int('group_id')
      .notNull()
      .references(() => configurationGroups.id, { onDelete: 'cascade' }),
    projectId: projectId(),
    ...named(),
    position: int('position').notNull(),
  },
  (t) => [
    uniqueIndex('testmgmt_configuration_values_name').on(t.groupId, t.nameKey),
    index('testmgmt_configuration_values_project').on(t.projectId, t.nameKey),
  ],
);

/** The configurations of a run: at most one value of each group. */
export const runConfigurations = table(
  'testmgmt_run_configurations',
  {
    runId: int('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    valueId: int('value_id')
      .notNull()
      .references(() => configurationValues.id, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.valueId] }),
    index('testmgmt_run_configurations_value').on(t.valueId, t.runId),
  ],
);

export const plans = table(
  'testmgmt_plans',
  {
    id: id('id'),
    projectId: projectId(),
    name: text('name').notNull(),
    description: text('description').notNull(),
    milestoneId: int('milestone_id'),
    closedBy: int('closed_by'),
    closedAt: time('closed_at'),
    ...written(),
  },
  (t) => [
    index('testmgmt_plans_page').on(t.projectId, t.id),
    index('testmgmt_plans_milestone').on(t.milestoneId),
  ],
);
