import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { clearable, closedObject, recordId, words } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { page } from '../../../core/tools/page.ts';
import { dayOf, dayParameter, storedDay } from '../base/day.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { listPageOf, listPaging, longText, milestoneId, nameText, projectId } from '../base/parameters.ts';
import { changesOf, changesOfOne, unchanged } from '../base/written-changes.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { milestoneRecord, milestoneRecordOf, milestoneStatus } from './milestone-record.ts';
import {
  changeMilestone,
  deleteMilestoneRow,
  insertMilestone,
  milestoneIn,
  milestoneToChange,
  pageOfMilestones,
  progressOfMilestones,
  requireParent,
  type Milestone,
  type MilestoneFields,
} from './milestone-store.ts';

const parentMilestoneId = recordId('The milestone of which it is a part.');
const description = longText('What it is about.');

/** @throws Fault INVALID_REQUEST when it ends before it starts. */
function requireOrder({ startOn, dueOn }: Pick<MilestoneFields, 'startOn' | 'dueOn'>): void {
  if (startOn !== null && dueOn !== null && dueOn < startOn)
    throw fail.INVALID_REQUEST('dueOn is before startOn.', {
      cause: 'dueOn',
      tip: 'Give a dueOn on or after startOn.',
    });
}

const valuesOf = (row: Milestone) => ({
  name: row.name,
  description: row.description,
  startOn: dayOf(row.startOn),
  dueOn: dayOf(row.dueOn),
  parentMilestoneId: row.parentId,
  status: row.closedAt === null ? 'open' : 'closed',
});

async function recordOf(q: Query, row: Milestone) {
  const progress = (await progressOfMilestones(q, [row.id])).get(row.id);
  if (!progress) throw new Error('no progress');
  return milestoneRecordOf(row, progress);
}

export const createMilestone = extraOperation({
  name: 'create-milestone',
  title: 'Create a milestone',
  description:
    'Creates a milestone, e.g. a release, to which runs and plans belong. A milestone may be a part of another one.',
  input: closedObject({
    projectId,
    name: nameText('What people call it.'),
    description: Type.Optional(description),
    startOn: Type.Optional(dayParameter('The first day')),
    dueOn: Type.Optional(dayParameter('The last day')),
    parentMilestoneId: Type.Optional(parentMilestoneId),
  }),
  output: milestoneRecord,
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const fields = {
        name: input.name.trim(),
        description: input.description?.trim() ?? '',
        startOn: storedDay(input.startOn, 'startOn') ?? null,
        dueOn: storedDay(input.dueOn, 'dueOn') ?? null,
        parentId: input.parentMilestoneId ?? null,
      };
      requireOrder(fields);
      if (fields.parentId !== null) await requireParent(q, input.projectId, null, fields.parentId);
      const made = await insertMilestone(q, input.projectId, fields, { by: actor.userId, now: clock.now() });
      wrote({ projectId: input.projectId, changes: changesOfOne({}, { name: made.name }) });
      return recordOf(q, made);
    }),
});

export const editMilestone = extraOperation({
  name: 'edit-milestone',
  title: 'Edit a milestone',
  description:
    'Changes the given fields of a milestone; null clears one. `status: "open"` opens a closed one again.',
  input: closedObject({
    projectId,
    milestoneId,
    name: Type.Optional(nameText('The new name.')),
    description: Type.Optional(clearable(description)),
    startOn: Type.Optional(clearable(dayParameter('The first day'))),
    dueOn: Type.Optional(clearable(dayParameter('The last day'))),
    parentMilestoneId: Type.Optional(clearable(parentMilestoneId)),
    status: Type.Optional(words(['open'], { description: 'Opens it again.' })),
  }),
  output: milestoneRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const row = await milestoneToChange(q, input.projectId, input.milestoneId);
      const changes = changedFields(input);
      if (Object.keys(changes).length === 0)
        throw fail.NOTHING_TO_UPDATE('No field of the milestone is given.', {
          tip: 'Give edit-milestone a name, description, startOn, dueOn, parentMilestoneId or status.',
        });
      requireOrder({ ...row, ...changes });
      if (typeof changes.parentId === 'number')
        await requireParent(q, input.projectId, row.id, changes.parentId);
      const changed = await changeMilestone(q, row, changes, { by: actor.userId, now: clock.now() });
      wrote({ projectId: row.projectId, changes: changesOfOne(valuesOf(row), valuesOf(changed)) });
      return recordOf(q, changed);
    }),
});

interface GivenChanges {
  readonly name?: string;
  readonly description?: string | null;
  readonly startOn?: string | null;
  readonly dueOn?: string | null;
  readonly parentMilestoneId?: number | null;
  readonly status?: 'open';
}

function changedFields(given: GivenChanges): Partial<MilestoneFields> {
  const { name, description: text, parentMilestoneId: parentId } = given;
  const [startOn, dueOn] = [storedDay(given.startOn, 'startOn'), storedDay(given.dueOn, 'dueOn')];
  return {
    ...(name === undefined ? {} : { name: name.trim() }),
    ...(text === undefined ? {} : { description: text?.trim() ?? '' }),
    ...(startOn === undefined ? {} : { startOn }),
    ...(dueOn === undefined ? {} : { dueOn }),
    ...(parentId === undefined ? {} : { parentId }),
    ...(given.status === undefined ? {} : { closedAt: null, closedBy: null }),
  };
}

export const closeMilestone = extraOperation({
  name: 'close-milestone',
  title: 'Close a milestone',
  description:
    'Closes a milestone: no run can be added to it. Runs that are not locked stay as they are; `openRuns` says how many.',
  input: closedObject({ projectId, milestoneId }),
  output: closedObject({ ...milestoneRecord.properties, openRuns: Type.Integer() }),
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const row = await milestoneToChange(q, input.projectId, input.milestoneId);
      const author = { by: actor.userId, now: clock.now() };
      const isOpen = row.closedAt === null;
      const closing = { closedAt: author.now, closedBy: author.by };
      const closed = isOpen ? await changeMilestone(q, row, closing, author) : row;
      wrote({
        projectId: row.projectId,
        changes: isOpen ? changesOfOne(valuesOf(row), valuesOf(closed)) : unchanged,
      });
      const record = await recordOf(q, closed);
      return { ...record, openRuns: record.progress.openRuns };
    }),
});

export const deleteMilestone = extraOperation({
  name: 'delete-milestone',
  title: 'Delete a milestone',
  description: 'Deletes a milestone. Its runs, plans and parts stay, without it.',
  input: closedObject({ projectId, milestoneId }),
  output: closedObject({
    milestoneId: Type.Integer(),
    deleted: Type.Literal(true),
    runs: Type.Integer({ description: 'Runs that belonged to it.' }),
  }),
  access: member('write'),
  effect: 'delete',
  confirm: 'undo-activity brings it back with its runs.',
  handler: (input, { actor, db, signal, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const row = await milestoneToChange(q, input.projectId, input.milestoneId);
      const runs = await deleteMilestoneRow(q, row, signal);
      wrote({ projectId: row.projectId, changes: changesOf(1) });
      return { milestoneId: row.id, deleted: true as const, runs };
    }),
});

export const getMilestones = extraOperation({
  name: 'get-milestones',
  title: 'List milestones',
  description:
    'Lists the milestones of a project with the progress of their runs, open ones first, by due day. get-runs with the query ' +
    'milestone: lists the runs of one.',
  input: closedObject({
    projectId,
    milestoneId: Type.Optional(recordId('Only this one.')),
    status: Type.Optional(milestoneStatus),
    ...listPaging,
  }),
  output: page('milestones', milestoneRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) =>
    db.reads(async (q) => {
      await projectFor(q, actor, input.projectId, 'read');
      const { limit, offset } = listPageOf(input);
      const only =
        input.milestoneId === undefined
          ? undefined
          : await milestoneIn(q, input.projectId, input.milestoneId);
      const { total, rows } = only
        ? { total: 1, rows: offset === 0 ? [only] : [] }
        : await pageOfMilestones(q, input.projectId, input.status, { limit, offset });
      const progress = await progressOfMilestones(
        q,
        rows.map(({ id }) => id),
      );
      const records = rows.flatMap((row) => {
        const found = progress.get(row.id);
        return found ? [milestoneRecordOf(row, found)] : [];
      });
      return { total, limit, offset, milestones: records };
    }),
});
