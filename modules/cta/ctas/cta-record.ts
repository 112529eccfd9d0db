import { Type, type Static } from '@sinclair/typebox';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import { statusParameter, warnings } from '../base/parameters.ts';
import { statusAt } from '../rules/lifecycle.ts';
import { experimentParameter } from '../experiments/experiment.ts';
import { RuleInput } from '../rules/rule.ts';
import type { CtaRow } from '../base/schema.ts';
import { ctaWarningsOf } from './cta-check.ts';

const summaryFields = {
  ctaId: Type.String(),
  tenantId: Type.String(),
  name: Type.String(),
  tags: Type.Array(Type.String()),
  team: nullable(Type.String()),
  status: statusParameter('DRAFT at first; set-cta-status changes it.'),
  startTime: nullable(Type.Integer()),
  endTime: nullable(Type.Integer()),
  behaviourTagName: nullable(Type.String()),
  version: Type.Integer(),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
};

const detailFields = {
  ...summaryFields,
  description: Type.String(),
  rule: RuleInput,
  experiment: nullable(experimentParameter),
  experimentStartedAt: nullable(Type.Integer()),
  experimentStoppedAt: nullable(Type.Integer()),
};

/** A CTA in lists, without its long texts. Times are epoch milliseconds. */
export const ctaSummaryRecord = closedObject(summaryFields);
export const ctaRecord = closedObject(detailFields);
/** A saved CTA with its warnings. */
export const savedCtaRecord = closedObject({ ...detailFields, warnings });

/** @param now epoch milliseconds: the clock alone may have changed the stored status. */
export const ctaSummaryRecordOf = (
  cta: Omit<CtaRow, 'rule' | 'description' | `experiment${string}`>,
  now: number,
) => ({
  ctaId: String(cta.id),
  tenantId: cta.tenantId,
  name: cta.name,
  tags: [...cta.tags],
  team: cta.team,
  status: statusAt(cta, now),
  startTime: cta.startTime,
  endTime: cta.endTime,
  behaviourTagName: cta.behaviourTagName,
  version: cta.version,
  createdBy: cta.createdBy,
  createdAt: cta.createdAt,
  updatedAt: cta.updatedAt,
});

export const ctaRecordOf = (cta: CtaRow, now: number) => ({
  ...ctaSummaryRecordOf(cta, now),
  description: cta.description,
  rule: cta.rule,
  experiment: cta.experiment as Static<typeof experimentParameter> | null,
  experimentStartedAt: cta.experimentStartedAt,
  experimentStoppedAt: cta.experimentStoppedAt,
});

/** @param cohortNames the tenant's cohorts: a rule that names any other cohort causes a warning. */
export const savedCtaRecordOf = (cta: CtaRow, cohortNames: ReadonlySet<string>, now: number) => ({
  ...ctaRecordOf(cta, now),
  warnings: ctaWarningsOf(cta, cohortNames, now),
});
