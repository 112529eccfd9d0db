import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { closedObject, recordId } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { deletedRecord } from '../base/deleted-record.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { listPageOf, listPaging, nameText, projectId } from '../base/parameters.ts';
import { changesOf, changesOfOne } from '../base/written-changes.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import { configurationGroupRecord, configurationGroupRecordOf } from './configuration-record.ts';
import {
  changeGroup,
  deleteGroup,
  groupToChange,
  insertGroup,
  maxValues,
  pageOfGroups,
  type ConfigurationGroup,
  type GivenValue,
} from './configuration-store.ts';

const groupId = recordId('From get-configuration-groups.');
const valuesList = { minItems: 1, maxItems: maxValues };

/** @throws Fault INVALID_REQUEST when two values have the same name. */
function requireDistinctNames(names: readonly string[]): void {
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const first = seen.get(nameKey(name));
    if (first !== undefined)
      throw fail.INVALID_REQUEST(`values[${index}] has the name of values[${first}].`, { cause: 'values' });
    seen.set(nameKey(name), index);
  }
}

const valuesOf = ({ name, values }: ConfigurationGroup) => ({
  name,
  values: values.map((value) => value.name).join(', '),
});

export const createConfigurationGroup = extraOperation({
  name: 'create-configuration-group',
  title: 'Create a configuration group',
  description:
    'Creates a group of configurations, e.g. Browser with Chrome and Firefox. create-plan makes one run for each combination of values.',
  input: closedObject({
    projectId,
    name: nameText('What differs, e.g. Browser.'),
    values: Type.Array(nameText('e.g. Chrome.'), { ...valuesList, description: 'In order.' }),
  }),
  output: configurationGroupRecord,
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const values = input.values.map((value) => value.trim());
      requireDistinctNames(values);
      const author = { by: actor.userId, now: clock.now() };
      const made = await insertGroup(q, input.projectId, { name: input.name.trim(), values }, author);
      wrote({ projectId: input.projectId, changes: changesOfOne({}, valuesOf(made)) });
      return configurationGroupRecordOf(made);
    }),
});

export const editConfigurationGroup = extraOperation({
  name: 'edit-configuration-group',
  title: 'Edit a configuration group',
  description:
    'Changes the name of a group, or its values: give all of them in order. A value keeps its runs by its valueId, or else by its name; ' +
    'one that is left out is deleted, also from the runs that have it.',
  input: closedObject({
    projectId,
    groupId,
    name: Type.Optional(nameText('The new name.')),
    values: Type.Optional(
      Type.Array(
        closedObject({
          valueId: Type.Optional(recordId('From get-configuration-groups, to rename it.')),
          name: nameText('e.g. Chrome.'),
        }),
        { ...valuesList, description: 'All of its values, in order.' },
      ),
    ),
  }),
  output: configurationGroupRecord,
  access: member('write'),
  effect: 'update',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const group = await groupToChange(q, input.projectId, input.groupId);
      const { name, values } = input;
      if (name === undefined && values === undefined)
        throw fail.NOTHING_TO_UPDATE('Neither a name nor values are given.', {
          tip: 'Give edit-configuration-group a name or values.',
        });
      const changes = {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(values === undefined ? {} : { values: withIdsOfNames(group, values) }),
      };
      requireOwnValues(group, changes.values ?? []);
      const changed = await changeGroup(q, group, changes, { by: actor.userId, now: clock.now() });
      wrote({ projectId: group.projectId, changes: changesOfOne(valuesOf(group), valuesOf(changed)) });
      return configurationGroupRecordOf(changed);
    }),
});

/** @throws Fault NOT_IN_PROJECT for a value that the group does not have; INVALID_REQUEST for a repeated id or name. */
function requireOwnValues({ id, values: own }: ConfigurationGroup, given: readonly GivenValue[]): void {
  requireDistinctNames(given.map(({ name }) => name));
  const ids = new Set(own.map((value) => value.id));
  for (const [index, { valueId }] of given.entries()) {
    if (valueId === undefined || ids.delete(valueId)) continue;
    throw fail.NOT_IN_PROJECT(`values[${index}].valueId is no value of group ${id}, or was given before.`, {
      cause: 'values',
      tip: 'Use get-configuration-groups to see the values of each group, and give each once.',
    });
  }
}

/**
 * The values, of which one that is given by its name alone is the one of that name that the group has: whoever repeats the call, or adds a
 * value to the names, takes no value from the runs that have it. A name whose value is renamed in the same call is a new value.
 */
function withIdsOfNames(
  { values: own }: ConfigurationGroup,
  given: readonly GivenValue[],
): readonly GivenValue[] {
  const taken = new Set(given.map(({ valueId }) => valueId));
  const free = new Map(own.flatMap(({ id, name }) => (taken.has(id) ? [] : [[nameKey(name), id] as const])));
  return given.map(({ valueId, name }) => {
    const id = valueId ?? free.get(nameKey(name));
    return { ...(id === undefined ? {} : { valueId: id }), name: name.trim() };
  });
}

export const deleteConfigurationGroup = extraOperation({
  name: 'delete-configuration-group',
  title: 'Delete a configuration group',
  description: 'Deletes a group with its values. Runs that have them stay, without them.',
  input: closedObject({ projectId, groupId }),
  output: deletedRecord('groupId'),
  access: member('write'),
  effect: 'delete',
  confirm: 'Runs no longer say for which of its values they were.',
  handler: (input, { actor, db, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const group = await groupToChange(q, input.projectId, input.groupId);
      await deleteGroup(q, group);
      wrote({ projectId: input.projectId, changes: changesOf(1) });
      return { groupId: group.id, deleted: true as const };
    }),
});

export const getConfigurationGroups = extraOperation({
  name: 'get-configuration-groups',
  title: 'List configuration groups',
  description: 'Lists the configuration groups of a project with their values, for create-plan.',
  input: closedObject({ projectId, ...listPaging }),
  output: page('groups', configurationGroupRecord),
  access: member('read'),
  effect: 'read',
  handler: async (input, { actor, db: { q } }) => {
    await projectFor(q, actor, input.projectId, 'read');
    const { limit, offset } = listPageOf(input);
    const { total, groups } = await pageOfGroups(q, input.projectId, { limit, offset });
    return { total, limit, offset, groups: groups.map(configurationGroupRecordOf) };
  },
});
