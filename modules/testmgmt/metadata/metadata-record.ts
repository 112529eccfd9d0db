import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { idFieldOf, type Classification } from '../rules/classification.ts';
import type { Named, WrittenName } from './label-store.ts';

const id = Type.Integer();

export const labelRecord = closedObject({ labelId: id, labelName: Type.String() });
export const squadRecord = closedObject({ squadId: id, squadName: Type.String() });

/** The record of a value of a classification, e.g. `{priorityId, priorityName}`. */
export const classificationRecord = (kind: Classification) =>
  closedObject({ [idFieldOf[kind]]: id, [`${kind}Name`]: Type.String() });

export const classificationRecordOf = (kind: Classification, { id, name }: Named) => ({
  [idFieldOf[kind]]: id,
  [`${kind}Name`]: name,
});

export const labelRecordOf = ({ id, name }: Named) => ({ labelId: id, labelName: name });
export const squadRecordOf = ({ id, name }: Named) => ({ squadId: id, squadName: name });

/** Who last changed a name, in the result of a write. */
const lastChange = { updatedBy: nullable(id), updatedAt: nullable(Type.String()) };

export const writtenLabel = closedObject({ ...labelRecord.properties, ...lastChange });
export const writtenSquad = closedObject({ ...squadRecord.properties, ...lastChange });

const lastChangeOf = ({ updatedBy, updatedAt }: WrittenName) => ({
  updatedBy,
  updatedAt: isoTime(updatedAt),
});

export const writtenLabelOf = (row: WrittenName) => ({ ...labelRecordOf(row), ...lastChangeOf(row) });
export const writtenSquadOf = (row: WrittenName) => ({ ...squadRecordOf(row), ...lastChangeOf(row) });
