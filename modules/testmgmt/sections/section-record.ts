import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { sectionPath } from '../rules/section-tree.ts';
import type { Section } from './section-store.ts';

const id = Type.Integer();
const optionalId = nullable(id);

export const sectionRecord = closedObject({
  sectionId: id,
  projectId: id,
  sectionName: Type.String(),
  parentSectionId: optionalId,
  sectionPath: Type.Array(Type.String()),
});

/** A section in the result of a write. */
export const writtenSection = closedObject({
  ...sectionRecord.properties,
  updatedBy: optionalId,
  updatedAt: Type.String(),
});

/** Creates the function that returns the record of a section; `all` contains the sections of the project. */
export function sectionRecordOf(all: readonly Section[]) {
  const byId = new Map(all.map((section) => [section.id, section]));
  return ({ id, projectId, name, parentId }: Section) => ({
    sectionId: id,
    projectId,
    sectionName: name,
    parentSectionId: parentId,
    sectionPath: sectionPath(byId, id),
  });
}

/** @param all the sections of the project. */
export const writtenSectionOf = (section: Section, all: readonly Section[]) => ({
  ...sectionRecordOf(all)(section),
  updatedBy: section.updatedBy,
  updatedAt: isoTime(section.updatedAt ?? section.createdAt),
});
