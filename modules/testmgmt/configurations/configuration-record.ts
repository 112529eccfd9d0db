import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/base/schema.ts';
import type { ConfigurationGroup } from './configuration-store.ts';

const id = Type.Integer();

export const configurationGroupRecord = closedObject({
  groupId: id,
  projectId: id,
  name: Type.String(),
  values: Type.Array(closedObject({ valueId: id, name: Type.String() })),
});

export const configurationGroupRecordOf = ({ id: groupId, projectId, name, values }: ConfigurationGroup) => ({
  groupId,
  projectId,
  name,
  values: values.map((value) => ({ valueId: value.id, name: value.name })),
});

export const runConfigurationsRecord = Type.Array(
  closedObject({ valueId: id, groupId: id, group: Type.String(), value: Type.String() }),
);
