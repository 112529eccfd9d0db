import { proposedStatus, tidySteps, type StepResult } from '../../../../testmgmt/rules/step-result.ts';
import type { Output } from '../../api/calls.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { Choice } from '../../design/fields.tsx';
import { statuses, wordOf, type TestStatus } from '../../design/status.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface RunStepsProps {
  readonly runId: number;
  readonly testId: number;
  readonly steps: Output<'get-test-details'>['steps'];
  readonly mayExecute: boolean;
  /** The status that the test has. */
  readonly status: TestStatus;
  /** @param status null: the one that the test has. */
  readonly onStore: (status: TestStatus | null, stepResults: StepResult[]) => Promise<boolean>;
}

interface TypedSteps {
  readonly results: readonly StepResult[];
}

const isSame = (one: TypedSteps, other: TypedSteps) =>
  JSON.stringify(tidySteps(one.results)) === JSON.stringify(tidySteps(other.results));
const options = statuses.map((status) => ({ id: status, name: wordOf(status) }));

/** Results of single steps. They propose a status for the test: one failed step makes it failed. */
export function RunSteps({ runId, testId, steps, status, mayExecute, onStore }: RunStepsProps) {
  const form = useTyped<TypedSteps>(`steps:${runId}:${testId}`, () => ({ results: [] }), isSame);
  const { results } = form.typed;
  const put = (step: number, change: Partial<StepResult>) => {
    const known = results.find((one) => one.step === step) ?? { step, status: 'untested' as const };
    form.type({ results: [...results.filter((one) => one.step !== step), { ...known, ...change }] });
  };
  const proposed = proposedStatus(results, steps.length) ?? null;
  const store = async () => {
    if (await onStore(proposed, [...tidySteps(results)])) form.goOn({ results }, { results: [] });
  };
  // Somebody may have locked the run meanwhile: what was typed can still be read and copied.
  if (!mayExecute && results.length === 0) return null;
  return (
    <details className="stack tight" open={results.length > 0}>
      <summary>{t('Results of single steps')}</summary>
      <ol className="stack tight run-steps">
        {steps.map(({ action }, index) => {
          const step = index + 1;
          const result = results.find((one) => one.step === step);
          return (
            <li key={step} className="stack tight">
              <span className="cut">{action}</span>
              <div className="row">
                <Choice
                  label={t('Status of step {step}', { step })}
                  hideLabel
                  options={options}
                  value={result?.status ?? null}
                  isDisabled={!mayExecute}
                  onChange={(id) => put(step, { status: id as TestStatus })}
                />
                {result !== undefined && (
                  <input
                    className="input grow"
                    aria-label={t('Comment on step {step}', { step })}
                    maxLength={2_000}
                    value={result.comment ?? ''}
                    readOnly={!mayExecute}
                    onChange={(event) => put(step, { comment: event.target.value })}
                  />
                )}
              </div>
            </li>
          );
        })}
      </ol>
      {mayExecute ? (
        <Button small isDisabled={results.length === 0} onPress={() => void store()}>
          {nodes('Store as {proposed}', { proposed: wordOf(proposed ?? status).toLowerCase() })}
        </Button>
      ) : (
        <Button small onPress={form.forget}>
          {t('Discard changes')}
        </Button>
      )}
    </details>
  );
}
