import { Type, type Static } from '@sinclair/typebox';
import { closedObject, words } from '../../../core/base/schema.ts';
import { cohortKinds } from '../rules/cohort.ts';
import { cohortDefinitionParameters } from './cohort-definition.ts';
import type { CohortRow } from './cohort-store.ts';

/** A cohort. `percentage` and `seed` are for kind percentage, `filters` for kind attributes. */
export const cohortRecord = closedObject({
  cohortName: Type.String(),
  tenantId: Type.String(),
  description: Type.String(),
  kind: words(cohortKinds, { description: 'How its users are chosen.' }),
  percentage: Type.Optional(Type.Number()),
  seed: Type.Optional(Type.String()),
  filters: cohortDefinitionParameters.filters,
  size: Type.Integer({ description: 'Users of a list; 0 for other kinds, which are not counted.' }),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
});

export const cohortRecordOf = (cohort: CohortRow): Static<typeof cohortRecord> => ({
  cohortName: cohort.name,
  tenantId: cohort.tenantId,
  description: cohort.description,
  ...cohort.definition,
  size: cohort.size,
  createdBy: cohort.createdBy,
  createdAt: cohort.createdAt,
  updatedAt: cohort.updatedAt,
});
