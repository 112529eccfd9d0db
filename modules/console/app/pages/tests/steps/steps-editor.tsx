import { useEffect, useRef, useState, type ClipboardEvent } from 'react';
import type { TextFieldProps } from 'react-aria-components';
import { Button, IconButton } from '../../../design/button.tsx';
import { Field } from '../../../design/fields.tsx';
import { pastedSteps } from './pasted-rows.ts';
import { announce } from '../../../design/announcer.tsx';
import { say } from '../../../design/toast.tsx';
import { isCommandKey } from '../../../frame/keys.ts';
import { isEmptyStep, moved, type Step } from './step-list.ts';
import { useStepsUndo } from './steps-undo.ts';
import { t } from '../../../texts/text.ts';

interface StepsEditorProps {
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
}

const cells = ['action', 'data', 'expected'] as const;
type Cell = (typeof cells)[number];
type Part = Cell | 'up' | 'down';

const cellNames = { data: t('Data'), expected: t('Expected') } as const;

/**
 * The steps of a test as the rows of a spreadsheet. Enter goes on: to the next cell, the next row, and then adds one. Alt with an arrow moves
 * the row, Backspace in an empty one removes it, and pasted rows or numbered lines become rows.
 */
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
  const undo = useStepsUndo(steps, onChange);
  const go = (index: number, part: Part) => setWanted({ index, part });
  const add = () => {
    undo.change([...steps, { action: '' }]);
    go(steps.length, 'action');
  };
  const move = (from: number, to: number, part: Part) => {
    if (to < 0 || to >= steps.length) return;
    undo.change(moved(steps, from, to));
    go(to, part);
  };
  const remove = (index: number) => {
    const step = steps[index];
    undo.change(steps.toSpliced(index, 1));
    go(Math.min(index, steps.length - 2), 'action');
    if (step === undefined || isEmptyStep(step)) return;
    say(t('Step {index} was removed.', { index: index + 1 }), {
      name: t('Undo'),
      run: () => undo.putBack(step, index),
    });
  };
  /** The keys of a cell; in a form Enter would save and close. */
  const keysOf =
    (index: number, part: Cell): NonNullable<TextFieldProps['onKeyDown']> =>
    (event) => {
      const { key, altKey, shiftKey } = event;
      const isCommand = event.ctrlKey || event.metaKey || event.nativeEvent.isComposing;
      const onward = () => {
        const next = cells[cells.indexOf(part) + 1];
        if (next !== undefined) go(index, next);
        else if (index === steps.length - 1) add();
        else go(index + 1, 'action');
      };
      if (altKey && key === 'ArrowUp') move(index, index - 1, part);
      else if (altKey && key === 'ArrowDown') move(index, index + 1, part);
      else if (key === 'Enter' && !isCommand && !shiftKey) onward();
      else if (key === 'Backspace' && isEmptyStep(steps[index]) && steps.length > 1) {
        undo.change(steps.toSpliced(index, 1));
        go(Math.max(0, index - 1), 'action');
      } else return event.continuePropagation();
      event.preventDefault();
    };
  const paste = (index: number, event: ClipboardEvent) => {
    // In the other cells a tab is a part of the text, e.g. of a header or a table of values.
    const isIntoAction = event.target instanceof Element && event.target.closest('[data-part="action"]');
    if (!isIntoAction) return;
    const rows = pastedSteps(event.clipboardData.getData('text/plain'));
    if (rows === null) return;
    event.preventDefault();
    // Into the row, if it says nothing yet, else below it.
    const isInto = isEmptyStep(steps[index]);
    undo.change(steps.toSpliced(isInto ? index : index + 1, isInto ? 1 : 0, ...rows));
    go(index + rows.length - (isInto ? 1 : 0), 'action');
  };
  return (
    <section
      className="steps-editor stack"
      aria-label={t('Steps')}
      onKeyDownCapture={(event) => {
        const changed = isCommandKey(event, 'z') ? undo.takeBack() : null;
        if (changed === null) return;
        event.preventDefault();
        // What had the focus may be gone.
        go(changed, 'action');
        announce(t('The steps are as before.'));
      }}
    >
      <h3>{t('Steps')}</h3>
      <ol className="steps" ref={list}>
        {steps.map((step, index) => (
          <li key={index} onPaste={(event) => paste(index, event)}>
            {cells.map((part) => (
              <div key={part} data-part={part}>
                <Field
                  label={part === 'action' ? t('Step {index}', { index: index + 1 }) : cellNames[part]}
                  value={step[part] ?? ''}
                  onChange={(text) => onChange(steps.with(index, { ...step, [part]: text }))}
                  onKeyDown={keysOf(index, part)}
                  lines={1}
                />
              </div>
            ))}
            <StepButtons index={index} last={steps.length - 1} onMove={move} onRemove={remove} />
          </li>
        ))}
      </ol>
      <div ref={adding}>
        <Button onPress={add}>{t('Add step')}</Button>
      </div>
    </section>
  );
}

interface StepButtonsProps {
  readonly index: number;
  readonly last: number;
  readonly onMove: (from: number, to: number, part: Part) => void;
  readonly onRemove: (index: number) => void;
}

const StepButtons = ({ index, last, onMove, onRemove }: StepButtonsProps) => (
  <div className="step-buttons">
    <span data-part="up">
      <IconButton
        icon="up"
        label={t('Move step {index} up', { index: index + 1 })}
        isDisabled={index === 0}
        onPress={() => onMove(index, index - 1, 'up')}
      />
    </span>
    <span data-part="down">
      <IconButton
        icon="down"
        label={t('Move step {index} down', { index: index + 1 })}
        isDisabled={index === last}
        onPress={() => onMove(index, index + 1, 'down')}
      />
    </span>
    <IconButton
      icon="close"
      label={t('Remove step {index}', { index: index + 1 })}
      onPress={() => onRemove(index)}
    />
  </div>
);
