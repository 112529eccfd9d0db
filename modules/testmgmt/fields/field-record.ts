import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, words } from '../../../core/base/schema.ts';
import { fieldKinds, fieldOwners } from '../rules/field-value.ts';
import type { StoredField } from './field-store.ts';

export const fieldRecord = closedObject({
  key: Type.String(),
  name: Type.String(),
  of: words(fieldOwners, { description: 'What has it.' }),
  kind: words(fieldKinds, { description: 'The kind of its values.' }),
  options: Type.Array(Type.String()),
  required: Type.Boolean(),
  createdBy: Type.Integer(),
  createdAt: Type.String(),
  updatedBy: Type.Integer(),
  updatedAt: Type.String(),
});

export const fieldRecordOf = (field: StoredField) => ({
  key: field.key,
  name: field.name,
  of: field.owner,
  kind: field.kind,
  options: [...field.options],
  required: field.required,
  createdBy: field.createdBy,
  createdAt: isoTime(field.createdAt),
  updatedBy: field.updatedBy,
  updatedAt: isoTime(field.updatedAt),
});
