import { Type } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import { dayOf } from '../base/day.ts';
import { percentOf } from '../rules/percent.ts';
import { statusCounts } from '../rules/test-status.ts';
import type { Milestone, MilestoneProgress } from './milestone-store.ts';

const id = Type.Integer();
const optionalText = nullable(Type.String());

export const milestoneStatus = words(['open', 'closed'], { description: 'Open until close-milestone.' });

const progressRecord = closedObject(
  {
    runs: id,
    openRuns: Type.Integer({ description: 'Not locked.' }),
    total: id,
    passed: id,
    failed: id,
    blocked: id,
    retest: id,
    untested: id,
    percentDone: nullable(
      Type.Number({
        description: 'Passed, failed or blocked; null without tests.',
        minimum: 0,
        maximum: 100,
      }),
    ),
  },
  { description: 'Of its runs and those of its parts.' },
);

export const milestoneRecord = closedObject({
  milestoneId: id,
  projectId: id,
  name: Type.String(),
  description: Type.String(),
  startOn: optionalText,
  dueOn: optionalText,
  parentMilestoneId: nullable(id),
  status: milestoneStatus,
  closedBy: nullable(id),
  closedAt: optionalText,
  progress: progressRecord,
  createdBy: id,
  createdAt: Type.String(),
  updatedBy: id,
  updatedAt: Type.String(),
});

function progressRecordOf({ runs, openRuns, ...tally }: MilestoneProgress) {
  const counts = statusCounts(tally);
  const done = counts.passed + counts.failed + counts.blocked;
  return { runs, openRuns, ...counts, percentDone: percentOf(done, counts.total) };
}

export const milestoneRecordOf = (row: Milestone, progress: MilestoneProgress) => ({
  milestoneId: row.id,
  projectId: row.projectId,
  name: row.name,
  description: row.description,
  startOn: dayOf(row.startOn),
  dueOn: dayOf(row.dueOn),
  parentMilestoneId: row.parentId,
  status: row.closedAt === null ? ('open' as const) : ('closed' as const),
  closedBy: row.closedBy,
  closedAt: isoTime(row.closedAt),
  progress: progressRecordOf(progress),
  createdBy: row.createdBy,
  createdAt: isoTime(row.createdAt),
  updatedBy: row.updatedBy,
  updatedAt: isoTime(row.updatedAt),
});
