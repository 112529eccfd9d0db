import { projectOfRecord } from '../../testmgmt/index.ts';
import { answered, answeredCreated, route, type CheckmateRoute, type Work } from '../wire/api-route.ts';
import {
  anything,
  clearableReader,
  idReader,
  nameReader,
  optionalReader,
  textReader,
} from '../wire/request-field.ts';
import { allSections } from './metadata-reading.ts';

const noDescription = 'Sections have no description in Trivet: sectionDescription was not stored.';

const addSection = (path: string): CheckmateRoute =>
  route({
    path,
    verb: 'write',
    input: {
      projectId: idReader,
      sectionName: nameReader,
      sectionDescription: optionalReader(textReader),
      parentSectionId: optionalReader(idReader),
      parentId: optionalReader(idReader),
    },
    answer: async ({ projectId, sectionName, sectionDescription, parentSectionId, parentId }, work) => {
      const parent = parentSectionId ?? parentId;
      const { sectionId } = await work.call('add-section', {
        projectId,
        sectionName,
        ...(parent !== undefined && { parentSectionId: parent }),
      });
      if (sectionDescription) work.warn(noDescription);
      return answeredCreated({
        message: `${sectionName.trim()} section added with id ${sectionId}`,
        sectionId,
      });
    },
  });

const editSection = (path: string): CheckmateRoute =>
  route({
    path,
    verb: 'write',
    input: {
      sectionId: idReader,
      sectionName: nameReader,
      projectId: optionalReader(anything),
      sectionDescription: optionalReader(textReader),
      parentId: clearableReader(idReader),
    },
    answer: async ({ sectionId, sectionName, sectionDescription, parentId }, work) => {
      // The move may be refused, e.g. for a cycle; a rename is not then half of a change.
      if (parentId !== undefined) await moveIfElsewhere(work, sectionId, parentId);
      await work.call('edit-section', { sectionId, sectionName });
      if (sectionDescription) work.warn(noDescription);
      return answered('Section Updated');
    },
  });

async function moveIfElsewhere(work: Work, sectionId: number, parentSectionId: number | null): Promise<void> {
  const { db } = work.host;
  const projectId = await projectOfRecord(db.q, work.actor, 'section', sectionId);
  const now = (await allSections(work, projectId)).find((one) => one.sectionId === sectionId);
  if (now?.parentSectionId !== parentSectionId)
    await work.call('move-section', { sectionId, parentSectionId });
}

export const sectionRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'project/sections',
    verb: 'read',
    input: { projectId: idReader, runId: optionalReader(idReader) },
    answer: async ({ projectId, runId }, work) => {
      const all = await allSections(work, projectId);
      const used = runId === undefined ? undefined : await sectionsInRun(work, { projectId, runId });
      const shown = used ? all.filter(({ sectionId }) => used.has(sectionId)) : all;
      return answered(
        shown.map(({ sectionId, sectionName, parentSectionId }) => ({
          sectionId,
          sectionName,
          sectionDescription: null,
          parentId: parentSectionId,
          editInfo: null,
          projectId,
          createdBy: null,
          createdOn: null,
          updatedOn: null,
          updatedBy: null,
        })),
      );
    },
  }),
  addSection('section/add'),
  addSection('project/add-section'),
  editSection('section/edit'),
  editSection('project/edit-section'),
];

/** The sections of the tests of a run. */
async function sectionsInRun(
  work: Work,
  run: { readonly projectId: number; readonly runId: number },
): Promise<ReadonlySet<number>> {
  const { bySection } = await work.call('get-run-state-detail', run);
  return new Set(bySection.flatMap(({ sectionId }) => (sectionId === null ? [] : [sectionId])));
}
