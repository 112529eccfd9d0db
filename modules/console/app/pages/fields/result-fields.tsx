import type { FieldValue } from '../../../../testmgmt/rules/field-value.ts';
import { useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { FieldFacts, FieldInputs, useProjectFields, type OwnValues } from './field-inputs.tsx';
import { valuesToSend } from './field-words.ts';
import { t } from '../../texts/text.ts';

interface ResultFieldsProps {
  readonly projectId: number;
  readonly runId: number;
  readonly testId: number;
  /** Without it, what was typed can still be read, copied and discarded. */
  readonly mayExecute: boolean;
  readonly isLocked: boolean;
  /** @returns whether they are stored. */
  readonly onStore: (fields: Record<string, FieldValue | null>) => Promise<boolean>;
}

interface TypedFields {
  readonly own: OwnValues;
}

const isSame = (one: TypedFields, other: TypedFields) => JSON.stringify(one) === JSON.stringify(other);

/** The own fields of results: an input for each, with the values of the newest result of a test in a run. */
export function ResultFields(props: ResultFieldsProps) {
  const { projectId, runId, testId, mayExecute, isLocked, onStore } = props;
  const fields = useProjectFields(projectId, 'result');
  const history = useTool('get-test-status-history-in-run', { runId, testId, limit: 50 }, { keep: true });
  const form = useTyped<TypedFields>(`result-fields:${runId}:${testId}`, () => ({ own: {} }), isSame);
  const { own } = form.typed;
  const isTyped = Object.keys(own).length > 0;
  if (fields.length === 0 || (!mayExecute && !isTyped)) return null;
  const store = async () => {
    if (await onStore({ ...valuesToSend(fields, own) })) form.goOn({ own }, { own: {} });
  };
  if (!mayExecute)
    return (
      <section className="stack tight" aria-label={t('Own fields')}>
        <dl className="facts">
          <FieldFacts projectId={projectId} of="result" values={own} />
        </dl>
        <p className="field-note">
          {isLocked
            ? t('They are not stored: the run was locked.')
            : t('They are not stored: you can only read this project now.')}
        </p>
        <div>
          <Button small onPress={form.forget}>
            {t('Discard changes')}
          </Button>
        </div>
      </section>
    );
  return (
    <section className="stack tight" aria-label={t('Own fields')}>
      <FieldInputs
        projectId={projectId}
        fields={fields}
        values={{ ...history.data?.history[0]?.fields, ...own }}
        onChange={(key, value) => form.type({ own: { ...own, [key]: value } })}
      />
      <div>
        <Button small isDisabled={!isTyped} onPress={() => void store()}>
          {t('Store fields')}
        </Button>
      </div>
    </section>
  );
}
