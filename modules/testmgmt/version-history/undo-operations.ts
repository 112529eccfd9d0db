import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { writeById } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { testRecords, unchanged } from '../base/written-changes.ts';
import { milestonesOfWrite } from '../milestones/milestone-change-store.ts';
import { milestonesChangedSince, restoreMilestones } from '../milestones/milestone-undo-store.ts';
import { requireActive, visibleProject } from '../projects/project-store.ts';
import { leftOutRecord } from './restored-fields.ts';
import { insteadOfUndo, whyNotUndone } from './undo-rule.ts';
import {
  overtaken,
  removeCreatedSections,
  requireTree,
  restoreSections,
  sectionsChangedSince,
} from './undo-section-store.ts';
import { sectionsOfWrite, testsOfWrite } from './undo-store.ts';
import { restoreTestsBefore, testsChangedSince } from './undo-test-store.ts';

const count = (description: string) => Type.Integer({ description });

export const undoActivity = extraOperation({
  name: 'undo-activity',
  title: 'Take back a write',
  description:
    'Takes back what one write of list-activity did to tests, sections and milestones, e.g. an import, a bulk change, a move or a deletion: created ones ' +
    'are deleted, deleted ones restored, changed ones get their earlier fields. All or nothing: if others changed one of them since, it is ' +
    'refused and they are listed. It is a write itself, which undo-activity takes back. For one test use revert-test.',
  input: closedObject({ activityId: recordId('From list-activity.') }),
  output: closedObject({
    activityId: Type.Integer(),
    projectId: Type.Integer(),
    changedTests: count('Tests that got earlier fields.'),
    restoredTests: count('Tests that were deleted.'),
    deletedTests: count('Tests that the write had created or restored.'),
    changedSections: count('Sections that got their earlier name and place, or were deleted.'),
    deletedSections: count('Sections that the write had created.'),
    changedMilestones: count('Milestones that are as before the write.'),
    leftOut: leftOutRecord,
  }),
  access: member('write'),
  effect: 'update',
  confirm: 'undo-activity takes it back.',
  handler: ({ activityId }, { actor, db, clock, signal, wrote }) =>
    db.tx(async (q) => {
      const { projectId, writeId } = await activityToUndo(q, actor, activityId);
      const of = { projectId, writeId };
      const tests = await testsOfWrite(q, of, signal);
      const sections = await sectionsOfWrite(q, of, signal);
      const milestones = await milestonesOfWrite(q, of);
      if (tests.length + sections.length + milestones.length === 0)
        throw notUndoable(activityId, 'it changed no test, section or milestone that is still known');
      const changed = [
        ...(await testsChangedSince(q, tests, signal)).map((id) => `test ${id} was changed`),
        ...(await sectionsChangedSince(q, sections, signal)).map((id) => `section ${id} was changed`),
        ...(await milestonesChangedSince(q, projectId, milestones)),
      ];
      if (changed.length > 0) throw overtaken(changed);
      const undoing = { ...of, by: actor.userId, now: clock.now(), signal };
      const changedSections = await restoreSections(q, sections, undoing);
      const undone = await restoreTestsBefore(q, tests, undoing);
      const deletedSections = await removeCreatedSections(q, sections, undoing);
      await requireTree(q, sections, undoing);
      const changedMilestones = await restoreMilestones(q, milestones, undoing);
      const fields = [{ field: 'activity', to: activityId }];
      const records = testRecords(tests.map(({ id }) => id));
      const count = tests.length + sections.length + milestones.length;
      const written =
        undone.changed +
        undone.restored +
        undone.deleted +
        changedSections +
        deletedSections +
        changedMilestones;
      wrote({ projectId, records, changes: written === 0 ? unchanged : { count, fields } });
      return {
        activityId,
        projectId,
        changedTests: undone.changed,
        restoredTests: undone.restored,
        deletedTests: undone.deleted,
        changedSections,
        deletedSections,
        changedMilestones,
        leftOut: [...undone.leftOut],
      };
    }),
});

/**
 * The write to take back, with its project locked.
 * @throws Fault ACTIVITY_NOT_FOUND, also if the caller may not see it; ACTIVITY_NOT_UNDOABLE, FORBIDDEN, PROJECT_INACTIVE.
 */
async function activityToUndo(q: Query, actor: Actor, id: number) {
  const write = await writeById(q, id);
  const projectId = write?.projectId ?? null;
  const project = projectId === null ? null : await visibleProject(q, actor, projectId, 'write', 'change');
  if (!write || projectId === null || !project)
    throw fail.ACTIVITY_NOT_FOUND(`There is no write ${id} in your projects.`);
  requireActive(project);
  const why = whyNotUndone(write.operation);
  if (why !== undefined) throw notUndoable(id, why);
  if (write.writeId === null)
    throw notUndoable(
      id,
      'it changed no test, section or milestone, or is older than versions',
      insteadOfUndo(write.operation),
    );
  return { projectId, writeId: write.writeId };
}

const notUndoable = (id: number, why: string, tip?: string) =>
  fail.ACTIVITY_NOT_UNDOABLE(`Write ${id} cannot be taken back: ${why}.`, {
    cause: 'activityId',
    ...(tip === undefined ? {} : { tip }),
  });
