import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { operation } from '../base/operation.ts';
import { changesOfOne } from '../base/written-changes.ts';
import { listPageOf, listPaging, nameText, projectId } from '../base/parameters.ts';
import { asOfMoment, asOfText } from '../query/query-parameter.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { sectionRecord, sectionRecordOf, writtenSection, writtenSectionOf } from './section-record.ts';
import { insertSection, renameSection, sectionsOf, sectionToChange, type Section } from './section-store.ts';

const sectionId = recordId('From get-sections.');

const recordOf = ({ section, all }: { readonly section: Section; readonly all: readonly Section[] }) =>
  writtenSectionOf(section, all);

export const getSections = operation({
  name: 'get-sections',
  title: 'List sections',
  description: 'Lists the sections (test suites) of a project as a tree: parents before children.',
  input: closedObject({ projectId, asOf: asOfText, ...listPaging }),
  output: page('sections', sectionRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q }, clock }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const all = await sectionsOf(q, input.projectId, asOfMoment(input.asOf, clock.now()));
    const sections = all.slice(offset, offset + limit).map(sectionRecordOf(all));
    return { total: all.length, limit, offset, sections };
  },
});

export const addSection = operation({
  name: 'add-section',
  title: 'Add a section',
  description: 'Adds a section (test suite). Names are unique under one parent.',
  input: closedObject({
    projectId,
    sectionName: nameText('Its name.'),
    parentSectionId: Type.Optional(recordId('The parent, from get-sections.')),
  }),
  output: writtenSection,
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const now = clock.now();
      const inserted = await insertSection(q, {
        projectId: input.projectId,
        parentId: input.parentSectionId ?? null,
        name: input.sectionName.trim(),
        createdAt: now,
        updatedBy: actor.userId,
        updatedAt: now,
      });
      const { projectId: of, name: sectionName } = inserted.section;
      wrote({ projectId: of, changes: changesOfOne({}, { sectionName }) });
      return recordOf(inserted);
    }),
});

export const editSection = operation({
  name: 'edit-section',
  title: 'Rename a section',
  description: 'Renames a section.',
  input: closedObject({ sectionId, sectionName: nameText('The new name.') }),
  output: writtenSection,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      const section = await sectionToChange(q, actor, input.sectionId);
      const changes = {
        name: input.sectionName.trim(),
        updatedBy: actor.userId,
        updatedAt: clock.now(),
      };
      const [from, to] = [{ sectionName: section.name }, { sectionName: changes.name }];
      wrote({ projectId: section.projectId, changes: changesOfOne(from, to) });
      return recordOf(await renameSection(q, section, changes));
    }),
});
