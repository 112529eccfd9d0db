import { Type } from '@sinclair/typebox';
import { member } from '../../../core/base/actor.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { page } from '../../../core/tools/page.ts';
import { fail } from '../base/errors.ts';
import { extraOperation } from '../base/operation.ts';
import { listPageOf, listPaging, nameText, projectId } from '../base/parameters.ts';
import { changesOf, changesOfOne } from '../base/written-changes.ts';
import { projectFor, projectToChange } from '../projects/project-store.ts';
import {
  fieldKey,
  fieldKinds,
  fieldLimits,
  fieldOwners,
  type FieldKind,
  type FieldOwner,
} from '../rules/field-value.ts';
import { fieldRecord, fieldRecordOf } from './field-record.ts';
import { changeField, fieldToChange, insertField, pageOfFields, type StoredField } from './field-store.ts';

const key = Type.String({
  pattern: fieldKey.source,
  description: 'The name in queries and records, e.g. browser; it never changes.',
});
const options = Type.Array(Type.String({ minLength: 1, maxLength: fieldLimits.option }), {
  minItems: 1,
  maxItems: fieldLimits.options,
  uniqueItems: true,
  description: 'For choice and choices: the possible values, in order.',
});
const required = Type.Boolean({
  description: 'create-test and bulk-add-tests require it, and it cannot be cleared.',
});

const auditedOf = ({ key: word, name, owner, kind, options: list, required: must }: StoredField) => ({
  key: word,
  name,
  of: owner,
  kind,
  options: list.join(', '),
  required: must,
});

/** @throws Fault INVALID_REQUEST when a kind has options that it does not take, or lacks them. */
function checkedOptions(kind: FieldKind, given: readonly string[] | undefined): readonly string[] {
  const hasOptions = kind === 'choice' || kind === 'choices';
  if (hasOptions === (given !== undefined)) {
    const tidy = (given ?? []).map((option) => option.trim());
    if (tidy.includes('') || new Set(tidy).size < tidy.length)
      throw fail.INVALID_REQUEST('An option is empty, or is there twice.', { cause: 'options' });
    return tidy;
  }
  throw fail.INVALID_REQUEST(
    hasOptions ? `A field of kind ${kind} needs options.` : `A field of kind ${kind} has no options.`,
    { cause: 'options', tip: 'Only choice and choices have options.' },
  );
}

/** @throws Fault INVALID_REQUEST for a required field of results. */
function requireOfTests(required: boolean | undefined, owner: FieldOwner): void {
  if (required === true && owner === 'result')
    throw fail.INVALID_REQUEST('A field of results cannot be required.', { cause: 'required' });
}

export const createField = extraOperation({
  name: 'create-field',
  title: 'Create a field',
  description:
    'Gives the tests or the results of a project a field of its own, at most 50. Values are set with `fields` of create-test, update-test ' +
    'and run-update-test-status; queries read them with cf.KEY:value, has:cf.KEY and sort:cf.KEY.',
  input: closedObject({
    projectId,
    key,
    name: nameText('As people see it, e.g. Browser.'),
    of: Type.Optional(words(fieldOwners, { description: 'What has it.', default: 'test' })),
    kind: words(fieldKinds, { description: 'What its values are.' }),
    options: Type.Optional(options),
    required: Type.Optional(required),
  }),
  output: fieldRecord,
  access: member('write'),
  effect: 'create',
  handler: (input, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, input.projectId);
      const { projectId: id, kind, of: owner = 'test', required: must = false } = input;
      requireOfTests(must, owner);
      const field = {
        key: input.key,
        name: input.name.trim(),
        owner,
        kind,
        options: checkedOptions(kind, input.options),
        required: must,
      };
      const made = await insertField(q, id, field, { by: actor.userId, now: clock.now() });
      wrote({ projectId: id, changes: changesOfOne({}, auditedOf(made)) });
      return fieldRecordOf(made);
    }),
});

export const editField = extraOperation({
  name: 'edit-field',
  title: 'Edit a field',
  description:
    'Changes the name of a field, its options (give all of them), or whether it is required. Values that are no longer an ' +
    'option stay until they are changed.',
  input: closedObject({
    projectId,
    key,
    name: Type.Optional(nameText('The new name.')),
    options: Type.Optional(options),
    required: Type.Optional(required),
  }),
  output: fieldRecord,
  access: member('write'),
  effect: 'update',
  handler: ({ projectId: id, ...given }, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, id);
      const field = await fieldToChange(q, id, given.key);
      if (given.name === undefined && given.options === undefined && given.required === undefined)
        throw fail.NOTHING_TO_UPDATE('Neither name nor options nor required is given.', {
          tip: 'Give edit-field at least one of name, options, required.',
        });
      requireOfTests(given.required, field.owner);
      const changed = await changeField(
        q,
        field,
        {
          ...(given.name === undefined ? {} : { name: given.name.trim() }),
          ...(given.options === undefined ? {} : { options: checkedOptions(field.kind, given.options) }),
          ...(given.required === undefined ? {} : { required: given.required }),
        },
        { by: actor.userId, now: clock.now() },
      );
      wrote({ projectId: id, changes: changesOfOne(auditedOf(field), auditedOf(changed)) });
      return fieldRecordOf(changed);
    }),
});

export const deleteField = extraOperation({
  name: 'delete-field',
  title: 'Delete a field',
  description:
    'Deletes a field of a project: records, queries and exports no longer show its values. create-field with the same key, kind and owner ' +
    'brings it back with them.',
  input: closedObject({ projectId, key }),
  output: closedObject({ key: Type.String(), deleted: Type.Literal(true) }),
  access: member('write'),
  effect: 'delete',
  confirm: 'create-field with the same key and kind brings it back, with its values.',
  handler: ({ projectId: id, key: word }, { actor, db, clock, wrote }) =>
    db.tx(async (q) => {
      await projectToChange(q, actor, id);
      const field = await fieldToChange(q, id, word);
      const now = clock.now();
      await changeField(q, field, { deletedAt: now }, { by: actor.userId, now });
      wrote({ projectId: id, changes: changesOf(1) });
      return { key: word, deleted: true as const };
    }),
});

export const listCustomFields = extraOperation({
  name: 'list-fields',
  title: 'List fields',
  description: 'Lists the own fields of the tests and results of a project, with their kinds and options.',
  input: closedObject({ projectId, ...listPaging }),
  output: page('fields', fieldRecord),
  access: member('read'),
  effect: 'read',
  handler: (input, { actor, db }) =>
    db.reads(async (q) => {
      const { limit, offset } = listPageOf(input);
      await projectFor(q, actor, input.projectId, 'read');
      const { total, fields } = await pageOfFields(q, input.projectId, { limit, offset });
      return { total, limit, offset, fields: fields.map(fieldRecordOf) };
    }),
});
