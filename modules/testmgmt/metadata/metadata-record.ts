import { Type } from '@sinclair/typebox';
import { closedObject } from '../../../core/schema.ts';
import { idFieldOf, type Classification } from '../rules/classification.ts';
import type { Named } from './label-store.ts';

const id = Type.Integer();

export const labelRecord = closedObject({ labelId: id, labelName: Type.String() });
export const squadRecord = closedObject({ squadId: id, squadName: Type.String() });

/** The record of a value of a classification, e.g. `{priorityId, priorityName}`. */
export const classificationRecord = (kind: Classification) =>
  closedObject({ [idFieldOf(kind)]: id, [`${kind}Name`]: Type.String() });

export const classificationRecordOf = (kind: Classification, { id, name }: Named) => ({
  [idFieldOf(kind)]: id,
  [`${kind}Name`]: name,
});

export const labelRecordOf = ({ id, name }: Named) => ({ labelId: id, labelName: name });
export const squadRecordOf = ({ id, name }: Named) => ({ squadId: id, squadName: name });
