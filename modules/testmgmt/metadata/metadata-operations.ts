import { closed } from '../../../core/schema.ts';
import { Type } from '@sinclair/typebox';
import { member } from '../../../core/actor.ts';
import { operation } from '../../../core/tools/operation.ts';
import { page } from '../../../core/tools/page.ts';
import { addNames, pageOfNames, type Named } from './label-store.ts';
import { optionsOf } from './classification-store.ts';
import { listPageOf, listPaging, projectId } from '../parameters.ts';
import { projectFor } from '../projects/project-store.ts';
import { labelRecord, optionRecord, squadRecord } from '../records.ts';
import { labels, squads, type OptionKind } from '../schema.ts';

const toolset = 'testmgmt';

const namesToAdd = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }), {
    minItems: 1,
    maxItems: 500,
    description,
  });

const label = ({ id, name }: Named) => ({ labelId: id, labelName: name });
const squad = ({ id, name }: Named) => ({ squadId: id, squadName: name });

export const getLabels = operation({
  name: 'get-labels',
  toolset,
  title: 'List labels',
  description: 'Lists the labels of a project by name.',
  input: Type.Object({ projectId, ...listPaging }, closed),
  output: page('labels', labelRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfNames(q, labels, input.projectId, { limit, offset });
    return { total, limit, offset, labels: rows.map(label) };
  },
});

export const addLabels = operation({
  name: 'add-labels',
  toolset,
  title: 'Add labels',
  description: 'Adds labels to a project and answers their ids; a name that is there is not doubled.',
  input: Type.Object({ projectId, labels: namesToAdd('Names.') }, closed),
  output: Type.Object({ total: Type.Integer(), labels: Type.Array(labelRecord) }, closed),
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db }) =>
    db.tx(async (q) => {
      await projectFor(q, actor, input.projectId, 'write');
      const named = await addNames(q, labels, input.projectId, input.labels);
      return { total: named.length, labels: named.map(label) };
    }),
});

export const getSquads = operation({
  name: 'get-squads',
  toolset,
  title: 'List squads',
  description: 'Lists the squads (teams) of a project by name.',
  input: Type.Object({ projectId, ...listPaging }, closed),
  output: page('squads', squadRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfNames(q, squads, input.projectId, { limit, offset });
    return { total, limit, offset, squads: rows.map(squad) };
  },
});

export const addSquads = operation({
  name: 'add-squads',
  toolset,
  title: 'Add squads',
  description: 'Adds squads to a project and answers their ids; a name that is there is not doubled.',
  input: Type.Object({ projectId, squads: namesToAdd('Names.') }, closed),
  output: Type.Object({ total: Type.Integer(), squads: Type.Array(squadRecord) }, closed),
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db }) =>
    db.tx(async (q) => {
      await projectFor(q, actor, input.projectId, 'write');
      const named = await addNames(q, squads, input.projectId, input.squads);
      return { total: named.length, squads: named.map(squad) };
    }),
});

/** The tool that lists one kind of what tests are classified by. */
function optionList<K extends OptionKind, P extends string>(
  kind: K,
  plural: P,
  { name, what }: { readonly name: string; readonly what: string },
) {
  return operation({
    name,
    toolset,
    title: `List ${what}`,
    description: `Lists the ${what} of a project.`,
    input: Type.Object({ projectId, ...listPaging }, closed),
    output: page(plural, optionRecord(kind)),
    access: member('read'),
    effect: 'read',
    handler: async (input, { actor, db: { q } }) => {
      await projectFor(q, actor, input.projectId, 'read');
      const { limit, offset } = listPageOf(input);
      const all = await optionsOf(q, input.projectId, kind);
      const records = all
        .slice(offset, offset + limit)
        .map((option) => ({ [`${kind}Id`]: option.id, [`${kind}Name`]: option.name }));
      // The compiler does not follow computed keys; the schema of the answer is made from the same ones.
      return { total: all.length, limit, offset, [plural]: records } as never;
    },
  });
}

export const getPriority = optionList('priority', 'priorities', { name: 'get-priority', what: 'priorities' });
export const getPlatforms = optionList('platform', 'platforms', { name: 'get-platforms', what: 'platforms' });
export const getAutomationStatus = optionList('automationStatus', 'automationStatuses', {
  name: 'get-automation-status',
  what: 'automation statuses',
});
export const getType = optionList('type', 'types', { name: 'get-type', what: 'test types' });
export const getTestCoveredBy = optionList('testCoveredBy', 'coverageTypes', {
  name: 'get-test-covered-by',
  what: 'coverage types',
});
