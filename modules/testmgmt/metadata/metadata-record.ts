import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/schema.ts';
import { idFieldOf, type Classification } from '../rules/classification.ts';
import type { Named } from './label-store.ts';

const id = Type.Integer();

export const labelRecord = closedObject({ labelId: id, labelName: Type.String() });
export const squadRecord = closedObject({ squadId: id, squadName: Type.String() });

/** The record of a value of a classification: `{priorityId, priorityName}`, and likewise of the others. */
export const classificationRecord = (kind: Classification) =>
  closedObject({ [idFieldOf(kind)]: id, [`${kind}Name`]: Type.String() });

export const classificationRecordOf = (
  kind: Classification,
  value: { readonly id: number; readonly name: string },
) => ({
  [idFieldOf(kind)]: value.id,
  [`${kind}Name`]: value.name,
});

export const labelRecordOf = ({ id, name }: Named) => ({ labelId: id, labelName: name });
export const squadRecordOf = ({ id, name }: Named) => ({ squadId: id, squadName: name });
