import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closed, closedObject, nullable } from '../../../core/base/schema.ts';
import { linkTemplateList } from '../links/link-template.ts';
import type { Project } from './project-store.ts';

const id = Type.Integer();

export const organizationRecord = closedObject({
  orgId: id,
  orgName: Type.String(),
  createdAt: Type.String(),
});

export const organizationRecordOf = (organization: { id: number; name: string; createdAt: number }) => ({
  orgId: organization.id,
  orgName: organization.name,
  createdAt: isoTime(organization.createdAt),
});

export const projectRecord = closedObject({
  projectId: id,
  orgId: id,
  projectName: Type.String(),
  projectDescription: Type.String(),
  isActive: Type.Boolean(),
  testsCount: id,
  runsCount: id,
  createdBy: id,
  createdAt: Type.String(),
  updatedBy: nullable(id),
  updatedAt: Type.String(),
  linkTemplates: linkTemplateList,
  review: Type.String(),
});

export const projectSummaryRecord = Type.Omit(
  projectRecord,
  ['projectDescription', 'linkTemplates', 'review'],
  closed,
);

export const projectRecordOf = (project: Project) => ({
  projectId: project.id,
  orgId: project.orgId,
  projectName: project.name,
  projectDescription: project.description,
  isActive: project.isActive,
  testsCount: project.testsCount,
  runsCount: project.runsCount,
  createdBy: project.createdBy,
  createdAt: isoTime(project.createdAt),
  updatedBy: project.updatedBy,
  updatedAt: isoTime(project.updatedAt),
  linkTemplates: [...(project.linkTemplates ?? [])],
  review: project.review,
});

export function projectSummaryRecordOf(project: Project) {
  const {
    projectDescription: _,
    linkTemplates: _templates,
    review: _review,
    ...summary
  } = projectRecordOf(project);
  return summary;
}
