import { Type } from '@sinclair/typebox';
import { closedObject, nullable } from '../../../core/schema.ts';
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

/** The records of sections; `all` holds those above them. */
export function sectionRecordsOf(rows: readonly Section[], all: readonly Section[]) {
  const byId = new Map(all.map((section) => [section.id, section]));
  return rows.map((section) => ({
    sectionId: section.id,
    projectId: section.projectId,
    sectionName: section.name,
    parentSectionId: section.parentId,
    sectionPath: sectionPath(byId, section.id),
  }));
}
