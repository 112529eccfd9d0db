import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { clearable, closedObject, recordId } from '../../../core/base/schema.ts';
import { extraOperation } from '../base/operation.ts';
import { writtenSection, writtenSectionOf } from '../sections/section-record.ts';
import { moveSection, removeSection, sectionToChange } from '../sections/section-store.ts';
import { changesOfOne, testRecords } from '../base/written-changes.ts';
import { contentsOf, deleteWithContents } from './section-content-store.ts';

const sectionId = recordId('From get-sections.');

export const deleteSection = extraOperation({
  name: 'delete-section',
  title: 'Delete a section',
  description:
    'Deletes a section that has no tests and no subsections; with `withContents` also all below it, up to 100,000 tests, all or ' +
    'none. restore-tests brings the tests back, without a section.',
  input: closedObject({
    sectionId,
    withContents: Type.Optional(
      Type.Boolean({ default: false, description: 'Also delete its subsections and their tests.' }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ default: false, description: 'Only count what `withContents` deletes.' }),
    ),
  }),
  output: closedObject({
    sectionId: Type.Integer(),
    deleted: Type.Boolean(),
    sections: Type.Optional(Type.Integer({ description: 'Itself included.' })),
    tests: Type.Optional(Type.Integer()),
  }),
  access: member('write'),
  effect: 'delete',
  confirm: 'undo-activity takes it back.',
  handler: async ({ sectionId: id, withContents = false, dryRun = false }, context) => {
    const { actor, surface, db, clock, signal, wrote } = context;
    const needs = withContents ? { testsFrom: surface } : {};
    if (dryRun) {
      const section = await sectionToChange(db.q, actor, id, { lock: 'none', ...needs });
      const { sectionIds, testIds } = await contentsOf(db.q, section, signal);
      return { sectionId: id, deleted: false, sections: sectionIds.length, tests: testIds.length };
    }
    return db.tx(async (q) => {
      const section = await sectionToChange(q, actor, id, needs);
      const { projectId } = section;
      const changes = changesOfOne({ sectionName: section.name }, { sectionName: null });
      if (!withContents) {
        wrote({ projectId, changes });
        await removeSection(q, section, { by: actor.userId, now: clock.now() });
        return { sectionId: id, deleted: true };
      }
      const contents = await contentsOf(q, section, signal);
      const { sectionIds, testIds } = contents;
      const count = sectionIds.length + testIds.length;
      wrote({ projectId, records: testRecords(testIds), changes: { ...changes, count } });
      await deleteWithContents(q, projectId, contents, { by: actor.userId, now: clock.now(), signal });
      return { sectionId: id, deleted: true, sections: sectionIds.length, tests: testIds.length };
    });
  },
});

export const moveSectionOperation = extraOperation({
  name: 'move-section',
  title: 'Move a section',
  description: 'Gives a section, with its subsections and tests, another parent in its project.',
  input: closedObject({
    sectionId,
    parentSectionId: clearable(recordId('The new parent, from get-sections; null: the top level.')),
  }),
  output: writtenSection,
  access: member('write'),
  effect: 'update',
  handler: ({ sectionId: id, parentSectionId: parentId }, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      const section = await sectionToChange(q, actor, id);
      const changes = changesOfOne({ parentSectionId: section.parentId }, { parentSectionId: parentId });
      wrote({ projectId: section.projectId, changes });
      const change = { parentId, updatedBy: actor.userId, updatedAt: clock.now() };
      const { section: moved, all } = await moveSection(q, section, change);
      return writtenSectionOf(moved, all);
    }),
});
