import { Type, type Static } from '@sinclair/typebox';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { warnings } from '../base/parameters.ts';
import type { Warning } from '../rules/warning.ts';
import { tagWarnings } from './tag-check.ts';
import { exposureRule, relations } from './tag-parameters.ts';
import type { TagRow } from './tag-store.ts';

const tagFields = {
  behaviourTagName: Type.String(),
  tenantId: Type.String(),
  exposureRule: Type.Optional(exposureRule),
  ctaRelation: Type.Optional(relations),
  version: Type.Integer(),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  killedAt: nullable(Type.Integer()),
};

/** A behaviour tag. `killedAt` is the time since which set-cta-kill-switch hides its CTAs; null: it does not. */
export const tagRecord = closedObject(tagFields);
export const savedTagRecord = closedObject({ ...tagFields, warnings });

/** `definitionOf` stored the definition, in the shape of the record. */
export const tagRecordOf = (tag: TagRow) => ({
  ...(tag.definition as Pick<Static<typeof tagRecord>, 'behaviourTagName' | 'exposureRule' | 'ctaRelation'>),
  tenantId: tag.tenantId,
  version: tag.version,
  createdBy: tag.createdBy,
  createdAt: tag.createdAt,
  updatedAt: tag.updatedAt,
  killedAt: tag.killedAt,
});

/** @param further warnings that need the database. */
export const savedTagRecordOf = (tag: TagRow, further: readonly Warning[]) => ({
  ...tagRecordOf(tag),
  warnings: [...tagWarnings(tag.definition), ...further],
});
