import { nameKey } from '../../../core/text/name-key.ts';
import { classifications, idFieldOf, type Classification } from '../../testmgmt/index.ts';
import { fail } from '../base/errors.ts';
import { answered, answeredCreated, route, type CheckmateRoute } from '../wire/api-route.ts';
import { idReader, list, nameReader, optionalReader } from '../wire/request-field.ts';
import { allLabels, allSquads, projectOfValues } from './metadata-reading.ts';

/** Trivet does not show who made a name, and when: `null` in Checkmate's form. */
const unknown = { createdOn: null, createdBy: null };

/** Each path with its classification. Two of them have another name in the MCP server. */
const listings: ReadonlyArray<readonly [path: string, kind: Classification]> = [
  ['priority', 'priority'],
  ['platform', 'platform'],
  ['type', 'type'],
  ['automation-status', 'automationStatus'],
  ['automationStatus', 'automationStatus'],
  ['test-covered-by', 'testCoveredBy'],
  ['testCoveredBy', 'testCoveredBy'],
];

const listing = ([path, kind]: (typeof listings)[number]): CheckmateRoute =>
  route({
    path,
    verb: 'read',
    input: { orgId: optionalReader(idReader), projectId: optionalReader(idReader) },
    answer: async (input, work) => {
      if (input.orgId === undefined && input.projectId === undefined)
        throw fail.INVALID_REQUEST('Data validation error: orgId is required.', {
          tip: 'Send orgId, or projectId for the values of a project.',
        });
      const shown = input.projectId === undefined ? await projectOfValues(work, input.orgId ?? 0) : input;
      const { projectId } = shown;
      if (projectId === undefined) return answered([]);
      if ('hasOthers' in shown && shown.hasOthers)
        work.warn(
          `These are the values of project ${projectId}: each project has its own. Send projectId for those of another one.`,
        );
      const orgId = input.orgId ?? (await work.call('get-project-detail', { projectId })).orgId;
      const { tool, property } = classifications[kind];
      const read = await work.callNamed(tool, { projectId, limit: 500, offset: 0 });
      const values = read[property] as ReadonlyArray<Readonly<Record<string, unknown>>>;
      const [idKey, wordKey] = [idFieldOf[kind], `${kind}Name`];
      return answered(
        values.map((value) => ({
          [idKey]: value[idKey],
          [wordKey]: value[wordKey],
          ...unknown,
          updatedOn: null,
          updatedBy: null,
          orgId,
          ...(kind !== 'priority' && { projectId }),
        })),
      );
    },
  });

const addLabels = (path: string): CheckmateRoute =>
  route({
    path,
    verb: 'write',
    input: { projectId: idReader, labels: list(nameReader, 500) },
    answer: async ({ projectId, labels }, work) => {
      const known = new Set((await allLabels(work, projectId)).map(({ labelName }) => nameKey(labelName)));
      const taken = labels.filter((label) => known.has(nameKey(label)));
      if (taken.length > 0)
        throw fail.CHECKMATE_EXISTS(
          `Entry Already Exists: the project has the label "${(taken[0] ?? '').slice(0, 64)}"${
            taken.length > 1 ? ` and ${taken.length - 1} of the others` : ''
          }. Conflict.`,
        );
      const { labels: added } = await work.call('add-labels', { projectId, labels: [...labels] });
      const total = new Set(added.map(({ labelId }) => labelId)).size;
      return answeredCreated({ message: `${total} label(s) added` });
    },
  });

const addSquads = (path: string): CheckmateRoute =>
  route({
    path,
    verb: 'write',
    input: { projectId: idReader, squads: list(nameReader, 500) },
    answer: async ({ projectId, squads }, work) => {
      const known = new Set((await allSquads(work, projectId)).map(({ squadName }) => nameKey(squadName)));
      const isKnown = ({ squadName }: { readonly squadName: string }) => known.has(nameKey(squadName));
      const shown = ({ squadId, squadName }: { squadId: number; squadName: string }) => ({
        squadId,
        squadName,
      });
      const { squads: all } = await work.call('add-squads', { projectId, squads: [...squads] });
      const existingSquads = all.filter(isKnown).map(shown);
      const newSquads = all.filter((squad) => !isKnown(squad)).map(shown);
      const message = `${newSquads.length} squad(s) added`;
      return answeredCreated({ success: { message, existingSquads, newSquads } });
    },
  });

export const projectNameRoutes: readonly CheckmateRoute[] = [
  route({
    path: 'labels',
    verb: 'read',
    input: { projectId: idReader },
    answer: async ({ projectId }, work) =>
      answered(
        (await allLabels(work, projectId)).map(({ labelId, labelName }) => ({
          labelId,
          labelName,
          labelType: 'Custom',
          ...unknown,
          editHistory: null,
          projectId,
          updatedOn: null,
          updatedBy: null,
        })),
      ),
  }),
  route({
    path: 'project/squads',
    verb: 'read',
    input: { projectId: idReader },
    answer: async ({ projectId }, work) =>
      answered(
        (await allSquads(work, projectId)).map(({ squadId, squadName }) => ({
          squadId,
          squadName,
          projectId,
          ...unknown,
        })),
      ),
  }),
  addLabels('labels/add'),
  addLabels('project/add-labels'),
  addSquads('squads/add'),
  addSquads('project/add-squads'),
  ...listings.map(listing),
];
