import { useEffect, useRef } from 'react';
import { isTyping } from '../../../frame/keys.ts';
import { pastedSteps } from './pasted-rows.ts';
import type { Step } from './step-list.ts';

/** Rows or numbered lines that are pasted while nobody types are steps of the test that is shown. */
export function usePastedSteps(isOn: boolean, onSteps: (steps: readonly Step[]) => void): void {
  const latest = useRef({ isOn, onSteps });
  latest.current = { isOn, onSteps };
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (!latest.current.isOn || isTyping(event.target)) return;
      const steps = pastedSteps(event.clipboardData?.getData('text/plain') ?? '');
      if (steps === null) return;
      event.preventDefault();
      latest.current.onSteps(steps);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
}
