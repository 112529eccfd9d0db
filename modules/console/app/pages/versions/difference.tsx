import type { Output } from '../../api/calls.ts';
import { titleOfField } from '../../api/parameter-words.ts';
import { textsOfField } from './version-words.ts';
import './difference.css';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Fields = Output<'compare-test-versions'>['fields'];
type Steps = Output<'compare-test-versions'>['steps'];
type Step = NonNullable<Steps[number]['before']>;

interface DifferenceProps {
  readonly fields: Fields;
  readonly steps: Steps;
  /** Fields that are marked, e.g. those in conflict. */
  readonly marked?: { readonly fields: readonly string[]; readonly text: string };
}

/** Two states of a test, field by field and step by step: what was taken away in red, what was added in green. */
export const Difference = ({ fields, steps, marked }: DifferenceProps) => {
  const mark = (field: string) =>
    marked?.fields.includes(field) ? <span className="badge">{marked.text}</span> : null;
  return (
    <div className="stack tight difference">
      {fields
        .filter(({ field }) => field !== 'steps')
        .map((field) => {
          const { before, after } = textsOfField(field);
          return (
            <div key={field.field}>
              <h3>
                {titleOfField(field.field)} {mark(field.field)}
              </h3>
              {before !== '' && <del>{before}</del>}
              {after !== '' && <ins>{after}</ins>}
            </div>
          );
        })}
      {steps.length > 0 && (
        <div>
          <h3>{nodes('Steps {mark}', { mark: mark('steps') })}</h3>
          {steps.map((step, index) => (
            <div key={index}>
              {step.before && <del>{stepText(step.from, step.before)}</del>}
              {step.after && <ins>{stepText(step.to, step.after)}</ins>}
            </div>
          ))}
        </div>
      )}
      {fields.length + steps.length === 0 && <p className="note">{t('Nothing that is shown here.')}</p>}
    </div>
  );
};

const stepText = (position: number | null, { action, data, expected }: Step): string =>
  [
    `${position === null ? '' : `${position}. `}${action}`,
    data === undefined ? '' : t('Data: {data}', { data }),
    expected === undefined ? '' : t('Expected: {expected}', { expected }),
  ]
    .filter((line) => line !== '')
    .join('\n');
