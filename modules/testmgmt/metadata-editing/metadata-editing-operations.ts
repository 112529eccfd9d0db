import { Type } from '@sinclair/typebox';
import { member, type Actor } from '../../../core/base/actor.ts';
import type { Context } from '../../../core/host/host.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, recordId, words } from '../../../core/base/schema.ts';
import { choiceRecord, choiceRecordOf } from '../cases/case-choice-operations.ts';
import { firstTests } from '../cases/case-choice-store.ts';
import { fail } from '../base/errors.ts';
import type { WrittenName } from '../metadata/label-store.ts';
import { namesToAdd } from '../metadata/metadata-operations.ts';
import { extraOperation } from '../base/operation.ts';
import { dryRun, nameText, projectId } from '../base/parameters.ts';
import { projectToChange } from '../projects/project-store.ts';
import { everyClassification } from '../rules/classification.ts';
import { changesOf, testRecords } from '../base/written-changes.ts';
import { kindParameter, type MetadataKind } from './metadata-kind.ts';
import { addValues, nameFor, removeName, renameTo } from './metadata-name-store.ts';
import { replaceIn, testsUsing } from './metadata-use-store.ts';

const named = closedObject({
  id: Type.Integer(),
  name: Type.String(),
  updatedBy: nullable(Type.Integer()),
  updatedAt: nullable(Type.String()),
});

const namedOf = ({ id, name, updatedBy, updatedAt }: WrittenName) => ({
  id,
  name,
  updatedBy,
  updatedAt: isoTime(updatedAt),
});

const valueId = recordId('From the list of its kind, e.g. get-labels.');

/** Most values that one call adds to a classification. */
const maxValues = 500;

export const addClassification = extraOperation({
  name: 'add-classification',
  title: 'Add values to a classification',
  description:
    'Adds priorities, types and so on to a project and returns their ids. Existing names are reused.',
  input: closedObject({
    projectId,
    kind: words(everyClassification, { description: 'Which list.' }),
    names: namesToAdd('Names.', maxValues),
  }),
  output: closedObject({ total: Type.Integer(), values: Type.Array(named) }),
  access: member('write'),
  effect: 'create',
  handler: ({ projectId: id, kind, names }, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, id);
      const author = { by: actor.userId, now: clock.now() };
      const values = await addValues(q, { projectId: id, kind }, names, author);
      wrote({ projectId: id, changes: changesOf(values.length) });
      return { total: values.length, values: values.map(namedOf) };
    }),
});

export const editMetadata = extraOperation({
  name: 'edit-metadata',
  title: 'Rename a label, a squad or a value of a classification',
  description: 'Renames one; the tests that have it keep it. To make two one use merge-metadata.',
  input: closedObject({ projectId, kind: kindParameter, id: valueId, name: nameText('The new name.') }),
  output: closedObject({ kind: kindParameter, ...named.properties }),
  access: member('write'),
  effect: 'update',
  handler: ({ projectId: project, kind, id, name }, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, project);
      const place = { projectId: project, kind };
      const before = await nameFor(q, place, id, 'id');
      const author = { by: actor.userId, now: clock.now() };
      const renamed = await renameTo(q, place, { id, name: name.trim() }, author);
      const fields = [{ field: kind, from: before.name, to: renamed.name }];
      wrote({ projectId: project, changes: { count: 1, fields } });
      return { kind, ...namedOf(renamed) };
    }),
});

interface Replacing {
  readonly projectId: number;
  readonly kind: MetadataKind;
  readonly id: number;
  readonly from: string;
  readonly into: WrittenName | null;
  readonly dry: boolean;
}

/** Removes a name from all tests that have it, replaces it by the other name if there is one, and deletes it. */
async function replace(
  q: Query,
  actor: Actor,
  { dry, from, into, ...used }: Replacing,
  { clock, signal, wrote }: Pick<Context, 'clock' | 'signal' | 'wrote'>,
) {
  const using = await testsUsing(q, used, signal);
  const live = using.flatMap(({ id, deletedAt }) => (deletedAt === null ? [id] : []));
  const chosen = { ids: live, first: await firstTests(q, live) };
  if (dry) return choiceRecordOf(chosen, dry);
  const ids = using.map(({ id }) => id);
  const author = { by: actor.userId, now: clock.now(), signal };
  await replaceIn(q, used, ids, { ...author, into: into?.id ?? null });
  await removeName(q, used.kind, used.id);
  const fields = [{ field: used.kind, from, to: into?.name ?? null }];
  wrote({ projectId: used.projectId, records: testRecords(ids), changes: { count: live.length, fields } });
  return choiceRecordOf(chosen, dry);
}

export const mergeMetadata = extraOperation({
  name: 'merge-metadata',
  title: 'Merge two labels, squads or values of a classification',
  description:
    'Gives every test that has `fromId` the other one instead, and removes `fromId`. Up to 100,000 tests, all or none. ' +
    'With `dryRun` it only counts them.',
  input: closedObject({ projectId, kind: kindParameter, fromId: valueId, intoId: valueId, dryRun }),
  output: closedObject({ kind: kindParameter, from: Type.String(), into: Type.String(), ...choiceRecord }),
  access: member('write'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: (input, { actor, db, ...context }) =>
    db.tx(async (q) => {
      const { projectId: project, kind, fromId, intoId, dryRun: dry = false } = input;
      await projectToChange(q, actor, project);
      if (fromId === intoId)
        throw fail.INVALID_REQUEST('fromId and intoId are the same.', {
          cause: 'intoId',
          tip: 'Give merge-metadata two different ids of one kind.',
        });
      const place = { projectId: project, kind };
      const { name: from } = await nameFor(q, place, fromId, 'fromId');
      const into = await nameFor(q, place, intoId, 'intoId');
      const replacing = { ...place, id: fromId, from, into, dry };
      return { kind, from, into: into.name, ...(await replace(q, actor, replacing, context)) };
    }),
});

export const deleteMetadata = extraOperation({
  name: 'delete-metadata',
  title: 'Delete a label, a squad or a value of a classification',
  description:
    'Takes it from every test that has it and removes it. Up to 100,000 tests, all or none. With `dryRun` it only counts them.',
  input: closedObject({ projectId, kind: kindParameter, id: valueId, dryRun }),
  output: closedObject({ kind: kindParameter, name: Type.String(), ...choiceRecord }),
  access: member('write'),
  effect: 'delete',
  confirm: 'This cannot be undone.',
  handler: (input, { actor, db, ...context }) =>
    db.tx(async (q) => {
      const { projectId: project, kind, id, dryRun: dry = false } = input;
      await projectToChange(q, actor, project);
      const { name } = await nameFor(q, { projectId: project, kind }, id, 'id');
      const replacing = { projectId: project, kind, id, from: name, into: null, dry };
      return { kind, name, ...(await replace(q, actor, replacing, context)) };
    }),
});
