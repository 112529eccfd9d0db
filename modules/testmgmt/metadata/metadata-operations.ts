import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import type { Context } from '../../../core/host/host.ts';
import { closedObject } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { operation } from '../base/operation.ts';
import { changesOf, unchanged } from '../base/written-changes.ts';
import { listPageOf, listPaging, projectId, recordsPerCall } from '../base/parameters.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { classifications, forEachListing, type Classification } from '../rules/classification.ts';
import { labels, squads } from '../base/schema.ts';
import { valuesOf } from './classification-store.ts';
import { addNames, pageOfNames, type Names, type WrittenName } from './label-store.ts';
import {
  classificationRecord,
  classificationRecordOf,
  labelRecord,
  labelRecordOf,
  squadRecord,
  squadRecordOf,
  writtenLabel,
  writtenLabelOf,
  writtenSquad,
  writtenSquadOf,
} from './metadata-record.ts';

export const namesToAdd = (description: string, maxItems: number = recordsPerCall.maxItems) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' }), {
    minItems: 1,
    maxItems,
    description,
  });

/** Adds labels or squads to a project. @throws Fault as {@link projectToChange}, PROJECT_FULL. */
const addNamesTo = (
  { actor, db, clock, signal, wrote }: Context,
  names: Names,
  project: number,
  given: readonly string[],
): Promise<readonly WrittenName[]> =>
  db.tx(async (q) => {
    await projectToChange(q, actor, project);
    const now = clock.now();
    const named = await addNames(q, names, project, given, { by: actor.userId, now, signal });
    const added = named.filter(({ updatedAt }) => updatedAt === now);
    const changes = added.length === 0 ? unchanged : changesOf(added.length);
    wrote({ projectId: project, changes });
    return named;
  });

export const getLabels = operation({
  name: 'get-labels',
  title: 'List labels',
  description: 'Lists the labels of a project by name.',
  input: closedObject({ projectId, ...listPaging }),
  output: page('labels', labelRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfNames(q, labels, input.projectId, { limit, offset });
    return { total, limit, offset, labels: rows.map(labelRecordOf) };
  },
});

export const addLabels = operation({
  name: 'add-labels',
  title: 'Add labels',
  description: 'Adds labels to a project and returns their ids. Existing names are reused.',
  input: closedObject({ projectId, labels: namesToAdd('Names.') }),
  output: closedObject({ total: Type.Integer(), labels: Type.Array(writtenLabel) }),
  access: member('write'),
  effect: 'create',
  handler: async (input, context) => {
    const named = await addNamesTo(context, labels, input.projectId, input.labels);
    return { total: named.length, labels: named.map(writtenLabelOf) };
  },
});

export const getSquads = operation({
  name: 'get-squads',
  title: 'List squads',
  description: 'Lists the squads (teams) of a project by name.',
  input: closedObject({ projectId, ...listPaging }),
  output: page('squads', squadRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const { total, rows } = await pageOfNames(q, squads, input.projectId, { limit, offset });
    return { total, limit, offset, squads: rows.map(squadRecordOf) };
  },
});

export const addSquads = operation({
  name: 'add-squads',
  title: 'Add squads',
  description: 'Adds squads to a project and returns their ids. Existing names are reused.',
  input: closedObject({ projectId, squads: namesToAdd('Names.') }),
  output: closedObject({ total: Type.Integer(), squads: Type.Array(writtenSquad) }),
  access: member('write'),
  effect: 'create',
  handler: async (input, context) => {
    const named = await addNamesTo(context, squads, input.projectId, input.squads);
    return { total: named.length, squads: named.map(writtenSquadOf) };
  },
});

const listing = (kind: Classification) => {
  const { tool, property, plural } = classifications[kind];
  return operation({
    name: tool,
    title: `List ${plural}`,
    description: `Lists the ${plural} of a project.`,
    input: closedObject({ projectId, ...listPaging }),
    output: page(property, classificationRecord(kind)),
    access: member('read'),
    effect: 'read',
    handler: async (input, { actor, db: { q } }) => {
      await projectFor(q, actor, input.projectId, 'read');
      const { limit, offset } = listPageOf(input);
      const all = await valuesOf(q, input.projectId, kind);
      const records = all.slice(offset, offset + limit).map((value) => classificationRecordOf(kind, value));
      // The compiler does not track computed keys. The schema of the result has the same keys.
      return { total: all.length, limit, offset, [property]: records } as never;
    },
  });
};

/** `get-priority`, `get-platforms` and so on: one listing per classification. */
export const classificationListings = forEachListing(listing);
