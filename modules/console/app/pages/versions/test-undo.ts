import { useEffect, useRef } from 'react';
import { say, sayError } from '../../design/toast.tsx';
import { call } from '../../api/call.ts';
import type { Output, ToolName } from '../../api/calls.ts';
import { operationText } from '../../api/operation-words.ts';
import { useChange, useMe } from '../../api/queries.ts';
import { isCommandKey } from '../../frame/keys.ts';
import { lastToUndo, targetOf } from './undo-choice.ts';
import { t } from '../../texts/text.ts';

type Activity = Output<'list-activity'>['activities'][number];

/** Writes to tests and sections, which `undo-activity` takes back whole. */
const undoable: ReadonlySet<string> = new Set<ToolName>([
  'create-test',
  'update-test',
  'delete-test',
  'restore-test',
  'restore-tests',
  'change-tests',
  'bulk-add-tests',
  'bulk-update-tests',
  'bulk-delete-tests',
  'delete-tests-by-query',
  'import-tests',
  'push-tests',
  'revert-test',
  'merge-test-change',
  'add-section',
  'edit-section',
  'move-section',
  'delete-section',
]);

/** Writes to milestones, which it takes back, too. */
export const undoableOfMilestones: ReadonlySet<string> = new Set<ToolName>([
  'create-milestone',
  'edit-milestone',
  'close-milestone',
  'delete-milestone',
]);

/** Whether `undo-activity` takes writes of this operation back. It also takes back its own. */
export const isUndoable = (operation: string): boolean =>
  undoable.has(operation) || undoableOfMilestones.has(operation) || operation === 'undo-activity';

/** Own writes that are looked at: whoever goes on further uses the activity of the test. */
const looked = 50;

/** Of these the newest in this console is the one that a message is about. */
const lookedAtOnce = 5;

/** Writes that this window took back although nothing was left of them: no activity says so. */
const inVain = new Set<number>();

/**
 * Takes back own writes to tests and sections of a project, and says what it did, or why not.
 * @param among other writes, e.g. those to milestones.
 * @returns `undoLast` takes back the newest one, and with each further call the one before; `undoButton` makes the button of the message about the
 * write that was made just now; `undo` takes back any write, also of somebody else.
 */
export function useUndo(projectId: number, among = undoable) {
  const undoing = useChange('undo-activity');
  const userId = useMe().data?.userId;
  const isBusy = useRef(false);
  const take = (activityId: number) => undoing.mutateAsync({ activityId });
  const own = async (limit = looked) => {
    const asked = { projectId, limit, ...(userId !== undefined && { userId }) };
    return (await call('list-activity', asked)).activities;
  };
  const guarded = async (work: () => Promise<void>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await work();
    } catch (error) {
      sayError(error);
    } finally {
      isBusy.current = false;
    }
  };
  const redo = (activityId: number) =>
    guarded(async () => {
      const entry = (await own()).find((one) => targetOf(one) === activityId);
      if (!entry) return;
      await take(entry.activityId);
      inVain.delete(activityId);
      say(t('It is done again.'));
    });
  const takeBack = async (write: Activity | undefined) => {
    if (!write || inVain.has(write.activityId)) return say(t('There is nothing of yours to undo.'));
    await take(write.activityId);
    inVain.add(write.activityId);
    return say(undoneText(write), { name: t('Redo'), run: () => void redo(write.activityId) });
  };
  const undoLast = () =>
    guarded(async () => {
      const writes = (await own()).filter(({ activityId }) => !inVain.has(activityId));
      await takeBack(lastToUndo(writes, among));
    });
  const undoButton = () => {
    // Read at once: by the time of the press the newest write may be another one, also of an agent that works for this person.
    const made = own(lookedAtOnce).then((writes) =>
      lastToUndo(
        writes.filter(({ surface }) => surface === 'console'),
        among,
      ),
    );
    // It is said when it is pressed.
    made.catch(() => {});
    return { name: t('Undo'), run: () => void guarded(async () => takeBack(await made)) };
  };
  const undo = (activityId: number) =>
    guarded(async () => {
      await take(activityId);
      say(t('It was taken back.'), { name: t('Redo'), run: () => void redo(activityId) });
    });
  return { undoLast, undoButton, undo };
}

const undoneText = ({
  operation,
  ids,
}: {
  readonly operation: string;
  readonly ids: object | null;
}): string => {
  const did = operationText(operation);
  const testId = ids && 'testId' in ids ? Number(ids.testId) : null;
  return testId === null
    ? t('Undone: you {operation}.', { operation: did })
    : t('Undone: you {operation} (test {testId}).', { operation: did, testId });
};

/** The attributes of a form in which Ctrl Z belongs to the form. */
export const ownUndo = { 'data-own-undo': '' } as const;

/** Ctrl Z, or Cmd Z, takes back the last change while nobody types. */
export function useUndoKey(undoLast: () => Promise<void>): void {
  const latest = useRef(undoLast);
  latest.current = undoLast;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isCommandKey(event, 'z') || event.defaultPrevented) return;
      const { target } = event;
      // There it takes back what is being typed.
      if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]'))
        return;
      if (document.querySelector('[role="dialog"], [data-own-undo]')) return;
      event.preventDefault();
      void latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
