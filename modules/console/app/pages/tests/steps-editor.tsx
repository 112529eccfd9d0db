import { useEffect, useRef, useState } from 'react';
import type { TextFieldProps } from 'react-aria-components';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/fields.tsx';
import { moved, type Step } from './step-list.ts';

interface StepsEditorProps {
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
}

type Part = 'action' | 'data' | 'expected' | 'up' | 'down';

/** The steps of a test: add, change, reorder, remove. Enter goes on: to the next field, the next step, and then adds one. */
export function StepsEditor({ steps, onChange }: StepsEditorProps) {
  const list = useRef<HTMLOListElement>(null);
  const adding = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState<{ readonly index: number; readonly part: Part } | null>(null);
  // After the step is where it belongs: what was pressed may be at another place, or disabled at the end of the list.
  useEffect(() => {
    if (wanted === null) return;
    const step = list.current?.children[wanted.index];
    const of = (part: Part) =>
      step?.querySelector<HTMLElement>(`[data-part="${part}"] :is(textarea, input, button):not(:disabled)`);
    const target =
      of(wanted.part) ?? of(wanted.part === 'up' ? 'down' : 'up') ?? adding.current?.querySelector('button');
    target?.focus();
    setWanted(null);
  }, [wanted]);
  const go = (index: number, part: Part) => setWanted({ index, part });
  const add = () => {
    onChange([...steps, { action: '' }]);
    go(steps.length, 'action');
  };
  const move = (from: number, to: number) => {
    onChange(moved(steps, from, to));
    go(to, to < from ? 'up' : 'down');
  };
  const remove = (index: number) => {
    onChange(steps.toSpliced(index, 1));
    go(Math.min(index, steps.length - 2), 'action');
  };
  /** What Enter does in a field of one line: in a form it would save and close. */
  const onEnter =
    (act: () => void): NonNullable<TextFieldProps['onKeyDown']> =>
    (event) => {
      // With Ctrl it saves the form; while a word is composed it ends the word.
      const isAlone = !(event.ctrlKey || event.metaKey || event.nativeEvent.isComposing);
      if (event.key !== 'Enter' || !isAlone) return event.continuePropagation();
      event.preventDefault();
      return act();
    };
  return (
    <section className="stack" aria-label="Steps">
      <h3>Steps</h3>
      <ol className="steps" ref={list}>
        {steps.map((step, index) => {
          const change = (part: Partial<Step>) => onChange(steps.with(index, { ...step, ...part }));
          return (
            <li key={index} className="stack tight">
              <div data-part="action">
                <Field
                  label={`Step ${index + 1}`}
                  value={step.action}
                  onChange={(action) => change({ action })}
                  lines={2}
                />
              </div>
              <div data-part="data">
                <Field
                  label="Data"
                  value={step.data ?? ''}
                  onChange={(data) => change({ data })}
                  onKeyDown={onEnter(() => go(index, 'expected'))}
                />
              </div>
              <div data-part="expected">
                <Field
                  label="Expected"
                  value={step.expected ?? ''}
                  onChange={(expected) => change({ expected })}
                  onKeyDown={onEnter(() => (index === steps.length - 1 ? add() : go(index + 1, 'action')))}
                />
              </div>
              <div className="row">
                <span data-part="up">
                  <Button
                    small
                    aria-label={`Move step ${index + 1} up`}
                    isDisabled={index === 0}
                    onPress={() => move(index, index - 1)}
                  >
                    ↑
                  </Button>
                </span>
                <span data-part="down">
                  <Button
                    small
                    aria-label={`Move step ${index + 1} down`}
                    isDisabled={index === steps.length - 1}
                    onPress={() => move(index, index + 1)}
                  >
                    ↓
                  </Button>
                </span>
                <Button small aria-label={`Remove step ${index + 1}`} onPress={() => remove(index)}>
                  Remove
                </Button>
              </div>
            </li>
          );
        })}
      </ol>
      <div ref={adding}>
        <Button onPress={add}>Add step</Button>
      </div>
    </section>
  );
}
