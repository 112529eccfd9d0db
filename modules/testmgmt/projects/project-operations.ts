import { Type } from '@sinclair/typebox';
import { invitationHint, member, signedIn } from '../../../core/base/actor.ts';
import { clearable, closed, closedObject, words } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { organizationsOf } from '../../auth/index.ts';
import { fail } from '../base/errors.ts';
import { reviewModes } from '../rules/review-mode.ts';
import { operation } from '../base/operation.ts';
import { changesOfOne, unchanged } from '../base/written-changes.ts';
import { linkTemplateList, mistakeInTemplates } from '../links/link-template.ts';
import { listPageOf, listPaging, longText, nameText, orgId, projectId } from '../base/parameters.ts';
import {
  organizationRecord,
  organizationRecordOf,
  projectRecord,
  projectRecordOf,
  projectSummaryRecord,
  projectSummaryRecordOf,
} from './project-record.ts';
import {
  changeProject,
  insertProject,
  membershipsOf,
  pageOfProjects,
  projectFor,
  projectNotFound,
  projectToChange,
  requireOrganization,
  visibleProject,
  type Project,
} from './project-store.ts';

const organizationPage = Type.Object(
  {
    ...page('organizations', organizationRecord).properties,
    hint: Type.Optional(Type.String({ description: 'What to do if there is none.' })),
  },
  closed,
);

export const getOrgsList = operation({
  name: 'get-orgs-list',
  title: 'List organizations',
  description: 'Lists the organizations you belong to. Start here: other tools need an orgId or a projectId.',
  input: closedObject({ ...listPaging }),
  output: organizationPage,
  access: signedIn(),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    const { limit, offset } = listPageOf(input);
    const found = await organizationsOf(db.q, await membershipsOf(db.q, actor));
    const organizations = found.slice(offset, offset + limit).map(organizationRecordOf);
    return {
      total: found.length,
      limit,
      offset,
      organizations,
      ...(found.length === 0 ? { hint: invitationHint } : {}),
    };
  },
});

export const getOrgDetails = operation({
  name: 'get-org-details',
  title: 'Read an organization',
  description: 'Returns one organization.',
  input: closedObject({ orgId }),
  output: organizationRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    await requireOrganization(db.q, actor, input.orgId, 'read');
    const found = await organizationsOf(db.q, await membershipsOf(db.q, actor));
    const one = found.find(({ id }) => id === input.orgId);
    if (!one) throw fail.ORGANIZATION_NOT_FOUND(`There is no organization ${input.orgId}.`);
    return organizationRecordOf(one);
  },
});

export const getProjects = operation({
  name: 'get-projects',
  title: 'List projects',
  description: 'Lists the projects of an organization with the number of tests and runs of each.',
  input: closedObject({ orgId, ...listPaging }),
  output: page('projects', projectSummaryRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    await requireOrganization(db.q, actor, input.orgId, 'read');
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfProjects(db.q, actor, input.orgId, { limit, offset });
    return { total, limit, offset, projects: rows.map(projectSummaryRecordOf) };
  },
});

export const getProjectDetail = operation({
  name: 'get-project-detail',
  title: 'Read a project',
  description: 'Returns one project with its description.',
  input: closedObject({ projectId }),
  output: projectRecord,
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) =>
    projectRecordOf(await projectFor(db.q, actor, input.projectId, 'read')),
});

export const createProject = operation({
  name: 'create-project',
  title: 'Create a project',
  description: 'Creates a project with the usual priorities, types etc. For admins.',
  input: closedObject({
    orgId,
    projectName: nameText('Its name.'),
    projectDescription: Type.Optional(longText('What is tested.')),
  }),
  output: projectRecord,
  access: member('admin'),
  effect: 'create',
  handler: async (input, { actor, db, clock, wrote }) => {
    await requireOrganization(db.q, actor, input.orgId, 'admin');
    const now = clock.now();
    const project = await db.tx(async (q) => {
      const made = await insertProject(q, {
        orgId: input.orgId,
        name: input.projectName.trim(),
        description: input.projectDescription?.trim() ?? '',
        isActive: true,
        createdBy: actor.userId,
        createdAt: now,
        updatedBy: actor.userId,
        updatedAt: now,
      });
      wrote({ projectId: made.id, changes: changesOfOne({}, { projectName: made.name }) });
      return made;
    });
    return projectRecordOf(project);
  },
});

export const editProject = operation({
  name: 'edit-project',
  title: 'Edit a project',
  description: 'Changes a project. For admins.',
  input: closedObject({
    projectId,
    projectName: Type.Optional(nameText('The new name.')),
    projectDescription: Type.Optional(clearable(longText('The new description.'))),
    linkTemplates: Type.Optional(linkTemplateList),
    review: Type.Optional(words(reviewModes, { description: 'Of tests.' })),
  }),
  output: projectRecord,
  access: member('admin'),
  effect: 'update',
  handler: (
    { projectId: id, projectName, projectDescription, linkTemplates, review },
    { actor, db, clock, wrote },
  ) =>
    db.tx(async (q) => {
      const project = await projectToChange(q, actor, id, { right: 'admin' });
      if ([projectName, projectDescription, linkTemplates, review].every((field) => field === undefined)) {
        throw fail.NOTHING_TO_UPDATE('No field of the project is given.', {
          tip: 'Give edit-project a projectName or a projectDescription, linkTemplates or review.',
        });
      }
      const mistake = mistakeInTemplates(linkTemplates ?? []);
      if (mistake !== undefined) {
        throw fail.INVALID_REQUEST(mistake, {
          cause: 'linkTemplates',
          tip: 'edit-project takes linkTemplates like [{"prefix":"SHOP-","url":"https://tracker.example/{key}"}].',
        });
      }
      const changed = await changeProject(q, id, {
        ...(projectName === undefined ? {} : { name: projectName.trim() }),
        ...(projectDescription === undefined ? {} : { description: projectDescription?.trim() ?? '' }),
        ...(linkTemplates === undefined ? {} : { linkTemplates }),
        ...(review === undefined ? {} : { review }),
        updatedBy: actor.userId,
        updatedAt: clock.now(),
      });
      const valuesOf = ({ name, description, linkTemplates: templates, review: mode }: Project) => ({
        projectName: name,
        projectDescription: description,
        linkTemplates: templates ?? [],
        review: mode,
      });
      wrote({ projectId: id, changes: changesOfOne(valuesOf(project), valuesOf(changed)) });
      return projectRecordOf(changed);
    }),
});

export const updateProjectStatus = operation({
  name: 'update-project-status',
  title: 'Activate or deactivate a project',
  description: 'Activates a project or not. For admins.',
  input: closedObject({ projectId, isActive: Type.Boolean({ description: 'False: read-only.' }) }),
  output: projectRecord,
  access: member('admin'),
  effect: 'update',
  handler: ({ projectId: id, isActive }, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      const project = await visibleProject(q, actor, id, 'admin', 'stop');
      if (!project) throw projectNotFound(id);
      if (project.isActive === isActive) {
        wrote({ projectId: id, changes: unchanged });
        return projectRecordOf(project);
      }
      wrote({ projectId: id, changes: changesOfOne({ isActive: !isActive }, { isActive }) });
      const by = { updatedBy: actor.userId, updatedAt: clock.now() };
      return projectRecordOf(await changeProject(q, id, { isActive, ...by }));
    }),
});
