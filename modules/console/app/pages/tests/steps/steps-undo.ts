import { useRef } from 'react';
import type { Step } from './step-list.ts';

interface StepsChange {
  readonly before: readonly Step[];
  readonly after: readonly Step[];
}

/** Changes of the list that can be taken back, one after the other. */
const mostKept = 50;

const sameSteps = (a: readonly Step[], b: readonly Step[]): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Takes back what the browser does not: added, removed, moved and pasted steps. Typed text it takes back itself, so a change of the list is
 * only taken back while nobody has typed since.
 */
export function useStepsUndo(steps: readonly Step[], onChange: (steps: readonly Step[]) => void) {
  const changes = useRef<readonly StepsChange[]>([]);
  const current = useRef(steps);
  current.current = steps;
  return {
    change: (after: readonly Step[]) => {
      changes.current = [...changes.current.slice(1 - mostKept), { before: current.current, after }];
      onChange(after);
    },
    /** @returns the index of the first step that is another one now; null: there was nothing to take back. */
    takeBack: (): number | null => {
      const last = changes.current.at(-1);
      if (!last || !sameSteps(last.after, current.current)) return null;
      const { before, after } = last;
      changes.current = changes.current.slice(0, -1);
      onChange(before);
      const first = before.findIndex((step, index) => step !== after[index]);
      return first === -1 ? Math.max(0, before.length - 1) : first;
    },
    /** Puts a removed step back, whatever was typed since. */
    putBack: (step: Step, index: number) => onChange(current.current.toSpliced(index, 0, step)),
  };
}
