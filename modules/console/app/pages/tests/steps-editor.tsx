import { Button } from '../../design/button.tsx';
import { Field } from '../../design/fields.tsx';
import { moved, type Step } from './step-list.ts';

interface StepsEditorProps {
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
}

/** The steps of a test: add, change, reorder, remove. */
export const StepsEditor = ({ steps, onChange }: StepsEditorProps) => (
  <section className="stack" aria-label="Steps">
    <h3>Steps</h3>
    <ol className="steps">
      {steps.map((step, index) => {
        const change = (part: Partial<Step>) => onChange(steps.with(index, { ...step, ...part }));
        return (
          <li key={index} className="stack tight">
            <Field
              label={`Step ${index + 1}`}
              value={step.action}
              onChange={(action) => change({ action })}
              lines={2}
            />
            <Field label="Data" value={step.data ?? ''} onChange={(data) => change({ data })} />
            <Field
              label="Expected"
              value={step.expected ?? ''}
              onChange={(expected) => change({ expected })}
            />
            <div className="row">
              <Button
                small
                aria-label={`Move step ${index + 1} up`}
                isDisabled={index === 0}
                onPress={() => onChange(moved(steps, index, index - 1))}
              >
                ↑
              </Button>
              <Button
                small
                aria-label={`Move step ${index + 1} down`}
                isDisabled={index === steps.length - 1}
                onPress={() => onChange(moved(steps, index, index + 1))}
              >
                ↓
              </Button>
              <Button
                small
                aria-label={`Remove step ${index + 1}`}
                onPress={() => onChange(steps.toSpliced(index, 1))}
              >
                Remove
              </Button>
            </div>
          </li>
        );
      })}
    </ol>
    <Button onPress={() => onChange([...steps, { action: '' }])}>Add step</Button>
  </section>
);
