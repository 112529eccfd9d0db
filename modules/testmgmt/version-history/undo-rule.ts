import { nameKey } from '../../../core/text/name-key.ts';
import { idsAbove, maxDepth } from '../rules/section-tree.ts';

/**
 * Writes that change more than tests and sections, so that taking back only those would leave a half: the name of each, and what does it
 * instead.
 */
const beyondTests: Readonly<Record<string, string>> = {
  'merge-tests': 'it moved results and automation keys',
  'accept-rename': 'it moved results and automation keys',
  'ingest-results': 'it stored results of its tests',
  'merge-metadata': 'it removed the name that the tests had',
  'delete-metadata': 'it removed the name that the tests had',
};

/** Why a write cannot be taken back, as a part of a sentence; undefined if it can. */
export const whyNotUndone = (operation: string | null): string | undefined => beyondTests[operation ?? ''];

const earlierResults =
  'Report the earlier results with run-update-test-status; get-test-status-history-in-run lists those of a test.';

/** Writes without a test, section or milestone that has versions: another tool takes them back. */
const byTheOpposite: Readonly<Record<string, string>> = {
  'delete-run': 'Use restore-run to bring the run back.',
  'create-run': 'Use delete-run to delete the run.',
  'create-run-from-query': 'Use delete-run to delete the run.',
  'edit-run': 'Use edit-run with the former values; list-activity shows them.',
  'run-lock': 'Use unlock-run, which needs an administrator.',
  'unlock-run': 'Use run-lock to lock the run again.',
  'run-update-test-status': earlierResults,
  'run-reset': earlierResults,
  'add-tests-to-run': 'Use run-remove-tests to take the tests out of the run.',
  'run-remove-tests': 'Use add-tests-to-run to put the tests into the run again.',
  'assign-tests': 'Use assign-tests again; with assignTo null nobody has the tests.',
  'add-links': 'Use remove-links to remove the links.',
  'remove-links': 'Use add-links to add the links again.',
  'set-quarantine': 'Use end-quarantine to end it.',
  'end-quarantine': 'Use set-quarantine to begin it again.',
  'add-labels': 'Use delete-metadata to delete the labels.',
  'add-squads': 'Use delete-metadata to delete the squads.',
};

/** The remedy for a write that undo-activity does not take back; undefined where revert-test is the one. */
export const insteadOfUndo = (operation: string | null): string | undefined => byTheOpposite[operation ?? ''];

/** What taking back a write does with a test. */
interface UndoneState {
  /** The write created it. */
  readonly created: boolean;
  readonly isDeleted: boolean;
  /** Before the write. */
  readonly wasDeleted: boolean;
}

/** A created test is deleted; any other is deleted or restored if the write did the opposite, and then gets its earlier fields. */
export const undoingOf = ({ created, isDeleted, wasDeleted }: UndoneState) => ({
  delete: !isDeleted && (created || wasDeleted),
  restore: isDeleted && !created && !wasDeleted,
  change: !created,
});

interface SectionNow {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

/**
 * Why a tree of sections cannot be as it would be after a write was taken back, as parts of a sentence.
 * @param all the sections that are not deleted.
 * @param restored those that the write changed. What has nothing to do with them is not reported: a tree that was broken before must not keep
 * writes from being taken back.
 */
export function brokenSections(all: readonly SectionNow[], restored: ReadonlySet<number>): readonly string[] {
  const byId = new Map(all.map((section) => [section.id, section]));
  const placeOf = ({ name, parentId }: SectionNow) => `${parentId} ${nameKey(name)}`;
  const byPlace = Map.groupBy(all, placeOf);
  return all.flatMap((section): string[] => {
    const { id, parentId } = section;
    const here = byPlace.get(placeOf(section)) ?? [];
    if (restored.has(id) && here.length > 1)
      return [
        `section ${here.find((one) => one.id !== id)?.id} has the name and the parent of section ${id} now`,
      ];
    const above = idsAbove(byId, section);
    if (!restored.has(id) && restored.isDisjointFrom(above)) return [];
    if (parentId !== null && !byId.has(parentId))
      return [
        restored.has(parentId)
          ? `section ${parentId} would be deleted, but section ${id} is below it`
          : `section ${parentId}, the parent of section ${id}, is deleted`,
      ];
    if (above.has(id)) return [`section ${id} would be below itself`];
    return above.size >= maxDepth ? [`section ${id} would be more than ${maxDepth} deep`] : [];
  });
}
