import { eq, inArray } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import { nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import { sections } from '../base/schema.ts';
import { idsPerQuery, rowsPerChange } from '../base/statement-sizes.ts';
import { sectionRows } from '../sections/section-store.ts';
import { keepSections, nextSectionVersion } from '../versions/version-store.ts';
import { brokenSections } from './undo-rule.ts';
import {
  deletedSectionsWithTests,
  sectionsBefore,
  sectionsInVersions,
  type SectionBefore,
  type WrittenRecord,
} from './undo-store.ts';

interface Undoing {
  readonly projectId: number;
  readonly writeId: number;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** The sections that are not as a write left them, as `testsChangedSince`. */
export async function sectionsChangedSince(
  q: Query,
  written: readonly WrittenRecord[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const later = written.filter(({ version, lastEnded }) => version !== (lastEnded ?? 0) + 1);
  const changed: number[] = [];
  for await (const part of partsInTurns(later, rowsPerChange, signal)) {
    const ids = part.map(({ id }) => id);
    const present = await q.select().from(sections).where(inArray(sections.id, ids));
    const left = await sectionsInVersions(
      q,
      part.map(({ id, lastEnded }) => ({ id, version: (lastEnded ?? 0) + 1 })),
    );
    const textOf = (one: SectionBefore | undefined) =>
      JSON.stringify(one && [one.name, one.parentId, one.deletedAt !== null]);
    const byId = new Map(present.map((row) => [row.id, row]));
    for (const id of ids) if (textOf(byId.get(id)) !== textOf(left.get(id))) changed.push(id);
  }
  return changed;
}

/** Gives the sections that a write changed their name, parent and deletion of before. @returns how many. */
export async function restoreSections(
  q: Query,
  written: readonly WrittenRecord[],
  { writeId, by, now, signal }: Undoing,
): Promise<number> {
  const changed = written.filter(({ created }) => !created);
  for await (const part of partsInTurns(changed, rowsPerChange, signal)) {
    const ids = part.map(({ id }) => id);
    const before = await sectionsBefore(q, writeId, ids);
    const present = await q.select().from(sections).where(inArray(sections.id, ids));
    const byId = new Map(present.map((row) => [row.id, row]));
    await keepSections(q, ids, now);
    const isOnlyDeleted = ({ id, name, parentId, deletedAt }: SectionBefore) => {
      const row = byId.get(id);
      return deletedAt === null && row?.name === name && row.parentId === parentId;
    };
    const author = { updatedBy: by, updatedAt: now, version: nextSectionVersion };
    const alike = before.filter(isOnlyDeleted).map(({ id }) => id);
    if (alike.length > 0)
      await q
        .update(sections)
        .set({ deletedAt: null, ...author })
        .where(inArray(sections.id, alike));
    for (const { id, name, parentId, deletedAt } of before) {
      if (alike.includes(id)) continue;
      await q
        .update(sections)
        .set({ name, parentId, deletedAt, ...author })
        .where(eq(sections.id, id));
      if (turnIsOver()) await nextTurn(signal);
    }
  }
  return changed.length;
}

/** Deletes the sections that a write created. @returns how many. */
export async function removeCreatedSections(
  q: Query,
  written: readonly WrittenRecord[],
  { by, now, signal }: Undoing,
): Promise<number> {
  const ids = written.flatMap(({ id, created, deletedAt }) => (created && deletedAt === null ? [id] : []));
  for await (const part of partsInTurns(ids, rowsPerChange, signal)) {
    await keepSections(q, part, now);
    await q
      .update(sections)
      .set({ deletedAt: now, updatedBy: by, updatedAt: now, version: nextSectionVersion })
      .where(inArray(sections.id, [...part]));
  }
  return ids.length;
}

/**
 * Checks what was stored, after everything was taken back.
 * @throws Fault ACTIVITY_OVERTAKEN when the sections of the project are no tree, or one of a write is deleted with tests in it.
 */
export async function requireTree(
  q: Query,
  written: readonly WrittenRecord[],
  { projectId, signal }: Pick<Undoing, 'projectId' | 'signal'>,
): Promise<void> {
  if (written.length === 0) return;
  const ids = written.map(({ id }) => id);
  const full: number[] = [];
  for await (const part of partsInTurns(ids, idsPerQuery, signal))
    full.push(...(await deletedSectionsWithTests(q, projectId, part)));
  const problems = [
    ...brokenSections(await sectionRows(q, projectId), new Set(ids)),
    ...full.map((id) => `section ${id} has tests that the write did not create`),
  ];
  if (problems.length > 0) throw overtaken(problems);
}

/** @param problems parts of a sentence. */
export const overtaken = (problems: readonly string[]) =>
  fail.ACTIVITY_OVERTAKEN(`Other writes followed: ${firstProblems(problems)}. Nothing was written.`, {
    cause: 'activityId',
  });
