import { Type } from '@sinclair/typebox';
import { member, signedIn } from '../../core/actor.ts';
import { isoTime } from '../../core/clock.ts';
import { operation } from '../../core/operation.ts';
import { page } from '../../core/page.ts';
import { organizationsOf } from '../auth/index.ts';
import { longText, nameText, orgId } from './parameters.ts';
import { insertProject, projectsOf, requireOrganization, type CountedProject } from './projects.ts';
import { organizationRecord, projectRecord, slimProjectRecord } from './records.ts';

const toolset = 'testmgmt';
const closed = { additionalProperties: false } as const;

export const getOrgsList = operation({
  name: 'get-orgs-list',
  toolset,
  title: 'List organizations',
  description: 'Lists the organizations you belong to. Start here: other tools need an orgId or a projectId.',
  input: Type.Object({}, closed),
  output: page('organizations', organizationRecord),
  access: signedIn(),
  effect: 'read',
  handler: async (_input, { actor, db }) => {
    const found = await organizationsOf(db.q, actor.roles);
    return whole(
      'organizations',
      found.map(({ id, name, createdAt }) => ({ orgId: id, orgName: name, createdAt: isoTime(createdAt) })),
    );
  },
});

export const getProjects = operation({
  name: 'get-projects',
  toolset,
  title: 'List projects',
  description:
    'Lists all projects of an organization with how many tests and runs each has. Descriptions are in get-project-detail.',
  input: Type.Object({ orgId }, closed),
  output: page('projects', slimProjectRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db }) => {
    requireOrganization(actor, input.orgId, 'read');
    const found = await projectsOf(db.q, input.orgId);
    return whole('projects', found.map(slimProject));
  },
});

export const createProject = operation({
  name: 'create-project',
  toolset,
  title: 'Create a project',
  description:
    'Creates a project with the usual priorities, types, automation statuses, platforms and coverage types. ' +
    'Tests and runs live in a project.',
  input: Type.Object(
    {
      orgId,
      projectName: nameText('What people call the project.'),
      projectDescription: Type.Optional(longText('What is tested here.')),
    },
    closed,
  ),
  output: projectRecord,
  access: member('write'),
  effect: 'create',
  handler: async (input, { actor, db, clock }) => {
    requireOrganization(actor, input.orgId, 'write');
    const now = clock.now();
    const project = await db.tx((q) =>
      insertProject(q, {
        orgId: input.orgId,
        name: input.projectName.trim(),
        description: input.projectDescription?.trim() ?? '',
        isActive: true,
        createdBy: actor.userId,
        createdAt: now,
        updatedAt: now,
      }),
    );
    return wholeProject(project);
  },
});

/** A list that has no paging parameters is answered whole. */
function whole<K extends string, T>(plural: K, records: readonly T[]) {
  return { total: records.length, limit: records.length, offset: 0, [plural]: [...records] } as {
    total: number;
    limit: number;
    offset: number;
  } & Record<K, T[]>;
}

/** The record of a project, in the order people read it. */
const wholeProject = (project: CountedProject) => ({
  projectId: project.id,
  orgId: project.orgId,
  projectName: project.name,
  projectDescription: project.description,
  isActive: project.isActive,
  testsCount: project.testsCount,
  runsCount: project.runsCount,
  createdBy: project.createdBy,
  createdAt: isoTime(project.createdAt),
  updatedAt: isoTime(project.updatedAt),
});

const slimProject = (project: CountedProject) => {
  const { projectDescription: _, ...slim } = wholeProject(project);
  return slim;
};
