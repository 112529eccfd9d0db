import { descriptionsOf } from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import { answered, answeredCreated, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import {
  clearableReader,
  count,
  flag,
  idReader,
  nameReader,
  oneOf,
  optionalReader,
  present,
  textReader,
} from '../wire/request-field.ts';
import { mostSearched, rowsOf, wantedOf } from '../wire/row-page.ts';

const projectsPerPage = 100;

/** The active projects of an organization, newest first. */
async function activeProjects(work: Work, orgId: number) {
  const { rows, total } = await rowsOf(
    async (page) => {
      const { total: all, projects } = await work.call('get-projects', { orgId, ...page });
      return { total: all, rows: projects };
    },
    { limit: mostSearched, offset: 0 },
  );
  if (total > rows.length) work.warn(`Only the first ${mostSearched} of ${total} projects were searched.`);
  return rows.filter(({ isActive }) => isActive).toReversed();
}

const contains = (value: string, part: string | undefined) =>
  value.toLowerCase().includes(part?.toLowerCase() ?? '');

const textsOf = (work: Work, projects: ReadonlyArray<{ readonly projectId: number }>) =>
  descriptionsOf(
    work.host.db.q,
    'project',
    projects.map(({ projectId }) => projectId),
  );

export const projectRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'projects',
    verb: 'read',
    input: {
      orgId: idReader,
      page: optionalReader(count),
      pageSize: optionalReader(count),
      textSearch: optionalReader(textReader),
      projectDescription: optionalReader(textReader),
    },
    answer: async ({ orgId, textSearch, projectDescription, ...paging }, work) => {
      const named = (await activeProjects(work, orgId)).filter((one) =>
        contains(one.projectName, textSearch),
      );
      const texts = projectDescription === undefined ? undefined : await textsOf(work, named);
      const found = texts
        ? named.filter(({ projectId }) => contains(texts.get(projectId) ?? '', projectDescription))
        : named;
      const { limit, offset } = wantedOf(paging, projectsPerPage);
      const shown = found.slice(offset, offset + limit);
      const descriptions = texts ?? (await textsOf(work, shown));
      const nameOf = await work.namesOf(shown.map(({ createdBy }) => createdBy));
      const projectsList = shown.map((one) => ({
        projectId: one.projectId,
        createdByName: nameOf(one.createdBy),
        projectName: one.projectName,
        projectDescription: descriptions.get(one.projectId) ?? null,
        orgId: one.orgId,
        createdOn: one.createdAt,
      }));
      return answered({ projectsList, projectCount: [{ count: found.length }] });
    },
  }),
  route({
    path: 'project/detail',
    verb: 'read',
    input: { projectId: idReader },
    answer: async ({ projectId }, work) => {
      const one = await work.call('get-project-detail', { projectId });
      const { projectName, projectDescription, createdBy, orgId, testsCount, runsCount, updatedBy } = one;
      return answered([
        {
          projectId,
          projectName,
          projectDescription,
          createdBy,
          createdOn: one.createdAt,
          orgId,
          testsCount,
          runsCount,
          status: one.isActive ? 'Active' : 'Archived',
          updatedOn: one.updatedAt,
          updatedBy,
        },
      ]);
    },
  }),
  route({
    path: 'project/create',
    verb: 'write',
    input: { orgId: idReader, projectName: nameReader, projectDescription: optionalReader(textReader) },
    answer: async ({ orgId, projectName, projectDescription }, work) => {
      const taken = (await activeProjects(work, orgId)).find((one) => one.projectName === projectName.trim());
      if (taken)
        throw fail.CHECKMATE_EXISTS(
          `Entry Already Exists: project ${taken.projectId} has this name. Conflict.`,
        );
      const made = await work.call('create-project', {
        orgId,
        projectName,
        ...present({ projectDescription }),
      });
      return answered({
        projectName: made.projectName,
        projectId: made.projectId,
        message: `Project ${made.projectName} created successfully`,
      });
    },
  }),
  route({
    path: 'project/edit',
    verb: 'write',
    input: {
      projectId: idReader,
      projectName: optionalReader(nameReader),
      projectDescription: clearableReader(textReader),
    },
    answer: async ({ projectId, ...changes }, work) => {
      const { projectName } = await work.call('edit-project', { projectId, ...present(changes) });
      return answeredCreated({ projectName, message: `Project ${projectName} updated successfully` });
    },
  }),
  route({
    path: 'project/update-status',
    verb: 'write',
    input: {
      projectId: idReader,
      isActive: optionalReader(flag),
      status: optionalReader(oneOf(['Active', 'Archived', 'Deleted'])),
    },
    answer: async ({ projectId, isActive, status }, work) => {
      if (status === 'Deleted')
        throw fail.CHECKMATE_UNSUPPORTED(
          `Project ${projectId} was not changed: Trivet deletes no projects.`,
          {
            tip: 'Send the status Archived: the project is read-only then, and is not in lists of projects.',
          },
        );
      const wanted = isActive ?? (status === undefined ? undefined : status === 'Active');
      if (wanted === undefined)
        throw fail.INVALID_REQUEST('Data validation error: isActive or status is required.', {
          tip: 'Send isActive (true or false) or status (Active or Archived).',
        });
      const changed = await work.call('update-project-status', { projectId, isActive: wanted });
      return answered({ message: `Project ${changed.isActive ? 'Active' : 'Archived'}` });
    },
  }),
];
