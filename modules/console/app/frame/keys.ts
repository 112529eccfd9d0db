import { useEffect, useRef } from 'react';

/** Whether the person is typing text: then keys are not commands. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether a letter was pressed with Ctrl, or with Cmd, and nothing else. */
export const isCommandKey = (
  { key, ctrlKey, metaKey, shiftKey, altKey }: PressedKey,
  letter: string,
): boolean => (ctrlKey || metaKey) && !shiftKey && !altKey && key === letter;

/** Ctrl P, or Cmd P: prints when `ready` is done. The menu of the browser does not wait for anything. */
export function usePrintKey(ready: () => Promise<void>): void {
  const latest = useRef(ready);
  latest.current = ready;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isCommandKey(event, 'p')) return;
      event.preventDefault();
      void latest.current().finally(() => print());
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/**
 * Keys of a page: a key alone, while nobody types and no dialog is open.
 * @example useKeys({ j: next, k: previous });
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return;
      if (document.querySelector('[role="dialog"], [role="menu"], [role="listbox"]')) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
