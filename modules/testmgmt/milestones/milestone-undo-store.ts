import { and, eq, inArray, isNull } from 'drizzle-orm';
import { nameKey } from '../../../core/text/name-key.ts';
import { partsInTurns } from '../../../core/base/turns.ts';
import type { Query } from '../../../core/db/query/db.ts';
import { milestones, plans, type KeptMilestone, type MilestoneParts } from '../base/planning-schema.ts';
import { runs } from '../base/schema.ts';
import { rowsPerChange } from '../base/statement-sizes.ts';
import { keptOf, noteMilestone, partsOfMilestone, type MilestoneChange } from './milestone-change-store.ts';
import { changeMilestone, deleteMilestoneRow, milestoneOf } from './milestone-store.ts';

interface Undoing {
  readonly projectId: number;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

const sameText = (a: KeptMilestone | null, b: KeptMilestone | null): boolean =>
  JSON.stringify(a && keptOf(a)) === JSON.stringify(b && keptOf(b));

/** Why a milestone is not as a write left it, or cannot be as it was, as parts of a sentence. */
export async function milestonesChangedSince(
  q: Query,
  projectId: number,
  changes: readonly MilestoneChange[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { milestoneId: id, before, after, had } of changes) {
    const present = (await milestoneOf(q, projectId, id)) ?? null;
    if (!sameText(present, after)) {
      problems.push(`milestone ${id} was ${present ? 'changed' : 'deleted'}`);
      continue;
    }
    if (!before) {
      const has = await partsOfMilestone(q, id);
      // What it got back when its deletion was taken back was there before.
      const news = (ids: readonly number[], known: readonly number[] = []) =>
        ids.filter((one) => !known.includes(one)).length;
      const counts = (['runs', 'plans', 'parts'] as const).flatMap((what) => {
        const count = news(has[what], had?.[what]);
        return count > 0 ? [`${count} ${what}`] : [];
      });
      if (counts.length > 0) problems.push(`milestone ${id} has ${counts.join(' and ')} by now`);
      continue;
    }
    const [taken] = await q
      .select({ id: milestones.id })
      .from(milestones)
      .where(and(eq(milestones.projectId, projectId), eq(milestones.nameKey, nameKey(before.name))));
    if (taken && taken.id !== id) problems.push(`milestone ${taken.id} has the name of milestone ${id} now`);
    problems.push(...(await problemsOfParent(q, projectId, id, before)));
  }
  return problems;
}

async function problemsOfParent(
  q: Query,
  projectId: number,
  id: number,
  { parentId }: KeptMilestone,
): Promise<readonly string[]> {
  if (parentId === null) return [];
  const parent = await milestoneOf(q, projectId, parentId);
  if (!parent) return [`milestone ${parentId}, to which milestone ${id} belonged, is deleted`];
  if (parent.parentId !== null) return [`milestone ${parentId} is a part of another one itself`];
  const { parts } = await partsOfMilestone(q, id);
  return parts.length > 0 ? [`milestone ${id} has parts by now`] : [];
}

/** Gives milestones what they were before a write. Check them first with {@link milestonesChangedSince}. @returns how many. */
export async function restoreMilestones(
  q: Query,
  changes: readonly MilestoneChange[],
  { projectId, by, now, signal }: Undoing,
): Promise<number> {
  for (const { milestoneId: id, before, had } of changes.toReversed()) {
    const present = await milestoneOf(q, projectId, id);
    if (present && before) {
      const { createdBy: _by, createdAt: _at, ...fields } = keptOf(before);
      await changeMilestone(q, present, fields, { by, now });
    }
    if (present && !before) await deleteMilestoneRow(q, present, signal);
    if (!present && before) await insertAgain(q, { id, before, had }, { projectId, by, now, signal });
  }
  return changes.length;
}

/** A deleted milestone under its id. What belonged to it belongs to it again, unless it was given to another one. */
async function insertAgain(
  q: Query,
  given: { readonly id: number; readonly before: KeptMilestone; readonly had: MilestoneParts | null },
  { projectId, by, now, signal }: Undoing,
): Promise<void> {
  const { id, before, had } = given;
  const author = { updatedBy: by, updatedAt: now };
  await q
    .insert(milestones)
    .values({ ...keptOf(before), id, projectId, nameKey: nameKey(before.name), ...author });
  await noteMilestone(q, { id, projectId }, { before: null, after: keptOf(before), had });
  if (!had) return;
  for await (const part of partsInTurns(had.runs, rowsPerChange, signal))
    await q
      .update(runs)
      .set({ milestoneId: id })
      .where(and(inArray(runs.id, [...part]), isNull(runs.milestoneId)));
  for await (const part of partsInTurns(had.plans, rowsPerChange, signal))
    await q
      .update(plans)
      .set({ milestoneId: id })
      .where(and(inArray(plans.id, [...part]), isNull(plans.milestoneId)));
  for await (const part of partsInTurns(had.parts, rowsPerChange, signal))
    await q
      .update(milestones)
      .set({ parentId: id })
      .where(and(inArray(milestones.id, [...part]), isNull(milestones.parentId)));
}
