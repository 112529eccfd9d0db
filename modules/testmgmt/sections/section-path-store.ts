import type { Query } from '../../../core/db/query/db.ts';
import { nameKey } from '../../../core/text/name-key.ts';
import { inTurns, nextTurn, partsInTurns, turnIsOver } from '../../../core/base/turns.ts';
import { writeIdOf } from '../../../core/tools/audited-write.ts';
import { fail } from '../base/errors.ts';
import { firstProblems } from '../base/id-list.ts';
import { requireRoom } from '../projects/project-limits.ts';
import { split } from '../rules/name-list.ts';
import { nearestName } from '../rules/nearest-name.ts';
import {
  maxDepth,
  noteMissing,
  parentsFirst,
  pathIndexOf,
  pathKey,
  pathText,
  type PathIndex,
} from '../rules/section-tree.ts';
import { sections } from '../base/schema.ts';
import { rowsPerInsert } from '../base/statement-sizes.ts';
import { sectionsOf } from './section-store.ts';

interface NewPaths {
  readonly projectId: number;
  /** Parents before children; all of them unknown. */
  readonly paths: ReadonlyArray<readonly string[]>;
  /** The ids of the sections of the project, by `pathKey`. */
  readonly known: ReadonlyMap<string, number>;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Stores sections by their paths. Yields to other requests between its chunks. @returns the ids of all, by `pathKey`. */
export async function insertPaths(
  q: Query,
  { projectId, paths, known, by, now, signal }: NewPaths,
): Promise<ReadonlyMap<string, number>> {
  const all = new Map(known);
  for (const [, level] of Map.groupBy(paths, (path) => path.length)) {
    for await (const part of partsInTurns(level, rowsPerInsert, signal)) {
      const rows = part.map((path) => ({
        projectId,
        name: path.at(-1) ?? '',
        parentId: all.get(pathKey(path.slice(0, -1))) ?? null,
        createdAt: now,
        updatedBy: by,
        updatedAt: now,
        createdWrite: writeIdOf(q),
      }));
      const stored = await q.insert(sections).values(rows).returning({ id: sections.id });
      // Both engines assign ids in the order of VALUES; neither guarantees the order of RETURNING.
      const ids = stored.map(({ id }) => id).toSorted((a, b) => a - b);
      for (const [index, path] of part.entries()) all.set(pathKey(path), ids[index] ?? 0);
    }
  }
  return all;
}

/** A path named in a call, and its place there. */
interface GivenPath {
  readonly text: string;
  /** e.g. `tests[3].section` */
  readonly at: string;
}

export interface MakingPaths {
  /** Whether missing sections are created; otherwise they are refused. */
  readonly create: boolean;
  /** Stores nothing: missing sections have no id in the result. */
  readonly dryRun?: boolean;
  readonly by: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * The ids of sections by their paths, in a transaction that locks the project, so that two calls that create the same section create only
 * one. Paths are compared like names, ignoring case.
 * @returns the id of each text.
 * @throws Fault SECTION_NOT_FOUND with the nearest path, INVALID_REQUEST, SECTION_TOO_DEEP, PROJECT_FULL.
 */
export async function idsOfPaths(
  q: Query,
  projectId: number,
  given: readonly GivenPath[],
  { create, dryRun = false, by, now, signal }: MakingPaths,
): Promise<ReadonlyMap<string, number>> {
  const paths = new Map<string, readonly string[]>();
  for (const { text, at } of given) {
    if (paths.has(text)) continue;
    paths.set(text, namesOf(text, at));
    if (turnIsOver()) await nextTurn(signal);
  }
  const index = await inTurns(pathIndexOf(await sectionsOf(q, projectId)), signal);
  let known = index.ids;
  const missing = new Map<string, readonly string[]>();
  for (const path of paths.values()) {
    noteMissing(path, known, missing);
    requireRoom('sections', known.size + missing.size);
    if (turnIsOver()) await nextTurn(signal);
  }
  if (missing.size > 0 && !create) throw await unknownPaths(projectId, given, { index, paths, signal });
  if (!dryRun)
    known = await insertPaths(q, { projectId, paths: parentsFirst(missing), known, by, now, signal });
  const ids = new Map<string, number>();
  for (const [text, path] of paths) {
    const id = known.get(pathKey(path));
    if (id !== undefined) ids.set(text, id);
  }
  return ids;
}

const maxName = 255;

/** @throws Fault INVALID_REQUEST, SECTION_TOO_DEEP. */
function namesOf(text: string, at: string): readonly string[] {
  const names = split(text, '>');
  const cause = causeOf(at);
  if (names.length === 0) throw fail.INVALID_REQUEST(`${at} names no section.`, { cause, tip: howToWrite });
  if (names.some((name) => name.length > maxName))
    throw fail.INVALID_REQUEST(`${at} has a name of more than ${maxName} characters.`, {
      cause,
      tip: howToWrite,
    });
  if (names.length > maxDepth)
    throw fail.SECTION_TOO_DEEP(`${at} has ${names.length} names; sections nest at most ${maxDepth} deep.`, {
      cause,
    });
  return names;
}

const howToWrite = 'Write names from the top down, e.g. Checkout > Payment; get-sections lists them.';
const causeOf = (at: string) => /^[^.[]+/.exec(at)?.[0] ?? 'section';

/** The section whose path ends with the given one: "Payment" probably means "Checkout > Payment". */
const sameEnd = (path: string, known: readonly string[]): string | undefined =>
  known.find((text) => nameKey(text).endsWith(` > ${nameKey(path)}`));

/** The most unknown paths that get a suggestion: each is compared with many. */
const maxGuessed = 5;

async function unknownPaths(
  projectId: number,
  given: readonly GivenPath[],
  {
    index,
    paths,
    signal,
  }: {
    readonly index: PathIndex;
    readonly paths: ReadonlyMap<string, readonly string[]>;
    readonly signal: AbortSignal;
  },
) {
  const unknown = given.flatMap(({ text, at }) => {
    const path = paths.get(text) ?? [];
    return index.ids.has(pathKey(path)) ? [] : [{ at, path: pathText(path) }];
  });
  const problems: string[] = [];
  for (const { at, path } of unknown.slice(0, maxGuessed)) {
    const close = sameEnd(path, index.texts) ?? (await inTurns(nearestName(path, index.texts), signal));
    problems.push(`${at} "${path}"${close === undefined ? '' : ` (did you mean "${close}"?)`}`);
  }
  for (const { at, path } of unknown.slice(maxGuessed)) problems.push(`${at} "${path}"`);
  return fail.SECTION_NOT_FOUND(
    `Project ${projectId} has no ${firstProblems(problems)}. Nothing was written.`,
    {
      cause: causeOf(given[0]?.at ?? ''),
      tip: 'Correct the path (get-sections lists them), or give create true to make it.',
    },
  );
}
