import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { statusCounts } from '../rules/test-status.ts';
import type { Plan, PlanProgress } from './plan-store.ts';

const id = Type.Integer();

export const planStatus = words(['open', 'closed'], { description: 'Open until close-plan.' });

export const planRecord = closedObject({
  planId: id,
  projectId: id,
  name: Type.String(),
  description: Type.String(),
  milestoneId: nullable(id),
  status: planStatus,
  runsCount: id,
  counts: closedObject({ total: id, passed: id, failed: id, blocked: id, retest: id, untested: id }),
  createdBy: id,
  createdAt: Type.String(),
  closedBy: nullable(id),
  closedAt: nullable(Type.String()),
  updatedBy: id,
  updatedAt: Type.String(),
});

const noProgress: PlanProgress = { runs: 0, passed: 0, failed: 0, blocked: 0, retest: 0, untested: 0 };

export const planRecordOf = (plan: Plan, progress: PlanProgress = noProgress) => ({
  planId: plan.id,
  projectId: plan.projectId,
  name: plan.name,
  description: plan.description,
  milestoneId: plan.milestoneId,
  status: plan.closedAt === null ? ('open' as const) : ('closed' as const),
  runsCount: progress.runs,
  counts: statusCounts(progress),
  createdBy: plan.createdBy,
  createdAt: isoTime(plan.createdAt),
  closedBy: plan.closedBy,
  closedAt: isoTime(plan.closedAt),
  updatedBy: plan.updatedBy,
  updatedAt: isoTime(plan.updatedAt),
});
