import { useState } from 'react';
import { Button, IconButton } from '../../design/button.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { isJson, type Json } from './json-path.ts';
import { propertyOf, propertyText, stepKinds, type StepDraft, type StepKind } from './simulation-steps.ts';
import { t } from '../../texts/text.ts';

interface StepFormProps {
  readonly number: number;
  readonly step: StepDraft;
  readonly onChange: (step: StepDraft) => void;
  readonly onRemove: () => void;
}

const kinds = Object.entries(stepKinds).map(([id, name]) => ({ id, name }));

/** One step: what happens, with its properties, and how long after the step before. */
export function StepForm({ number, step, onChange, onRemove }: StepFormProps) {
  const { kind, event, properties, ctaId, after } = step;
  const set = (fields: Partial<StepDraft>) => onChange({ ...step, ...fields });
  return (
    <li className="card stack" aria-label={t('Step {number}', { number })}>
      <div className="simulation-step">
        <strong className="number">{number}</strong>
        <Choice
          label={t('What happens in step {number}', { number })}
          hideLabel
          options={kinds}
          value={kind}
          onChange={(id) => set({ kind: id as StepKind })}
        />
        {kind === 'event' && (
          <Field
            label={t('Event')}
            value={event}
            onChange={(text) => set({ event: text })}
            maxLength={1024}
          />
        )}
        {kind === 'action-done' && (
          <Field
            label={t('CTA')}
            value={ctaId}
            onChange={(text) => set({ ctaId: text })}
            inputMode="numeric"
          />
        )}
        {number > 1 && (
          <Field
            label={t('Seconds after')}
            value={after}
            onChange={(text) => set({ after: text })}
            inputMode="decimal"
          />
        )}
        <IconButton icon="close" label={t('Remove step {number}', { number })} onPress={onRemove} />
      </div>
      {kind === 'event' && (
        <PropertiesForm value={properties} onChange={(value) => set({ properties: value })} />
      )}
    </li>
  );
}

interface PropertiesFormProps {
  readonly value: Json;
  readonly onChange: (value: Json) => void;
}

type Row = readonly [name: string, text: string];
const rowsOf = (value: Json): readonly Row[] =>
  Object.entries(value).map(([name, property]) => [name, propertyText(property)]);

/** The properties of an event, as fields or as JSON. */
function PropertiesForm({ value, onChange }: PropertiesFormProps) {
  const [rows, setRows] = useState(() => rowsOf(value));
  const [json, setJson] = useState<string | null>(null);
  const setAll = (next: readonly Row[]) => {
    setRows(next);
    onChange(
      Object.fromEntries(
        next.filter(([name]) => name !== '').map(([name, text]) => [name, propertyOf(text)]),
      ),
    );
  };
  if (json !== null)
    return (
      <div className="stack tight">
        <Field
          label={t('Properties as JSON')}
          lines={3}
          value={json}
          onChange={(text) => {
            setJson(text);
            const read = readObject(text);
            if (read !== null) onChange(read);
          }}
          error={readObject(json) === null ? t('This must be an object: {"amount": 80}') : undefined}
        />
        <div className="row">
          <Button
            small
            isDisabled={readObject(json) === null}
            onPress={() => {
              setRows(rowsOf(value));
              setJson(null);
            }}
          >
            {t('As fields')}
          </Button>
        </div>
      </div>
    );
  return (
    <div className="stack tight">
      {rows.map(([name, text], index) => (
        <div key={index} className="simulation-property">
          <Field
            label={t('Property')}
            value={name}
            onChange={(to) => setAll(rows.with(index, [to, text]))}
            maxLength={255}
          />
          <Field label={t('Value')} value={text} onChange={(to) => setAll(rows.with(index, [name, to]))} />
          <IconButton
            icon="close"
            label={t('Remove property {index}', { index: index + 1 })}
            onPress={() => setAll(rows.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div className="row">
        <Button small onPress={() => setRows([...rows, ['', '']])}>
          {t('Add property')}
        </Button>
        <Button small onPress={() => setJson(JSON.stringify(value, null, 2))}>
          {t('As JSON')}
        </Button>
      </div>
    </div>
  );
}

function readObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
