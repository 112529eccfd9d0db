import { fieldValueAt, type FieldValue } from '../../../../testmgmt/rules/field-value.ts';
import { useMembers, usePeople } from '../../api/people.ts';
import { useTool } from '../../api/queries.ts';
import { Check, Choice, Field } from '../../design/fields.tsx';
import type { ProjectField } from './field-dialog.tsx';
import { shownValue } from './field-words.ts';
import { t } from '../../texts/text.ts';

/** What a form or a test has of the fields; null: it is cleared. */
export type OwnValues = Readonly<Record<string, FieldValue | null>>;

/** The own fields of the tests, or of the results, of a project. */
export const useProjectFields = (projectId: number, of: 'test' | 'result'): readonly ProjectField[] =>
  (useTool('list-fields', { projectId }).data?.fields ?? []).filter((field) => field.of === of);

interface FieldInputsProps {
  readonly projectId: number;
  readonly fields: readonly ProjectField[];
  readonly values: OwnValues;
  /** Receives only what was changed. */
  readonly onChange: (key: string, value: FieldValue | null) => void;
}

/** An input for each own field. */
export const FieldInputs = ({ projectId, fields, values, onChange }: FieldInputsProps) =>
  fields.map((field) => (
    <FieldInput
      key={field.key}
      projectId={projectId}
      field={field}
      value={fieldValueAt(values, field.key) ?? null}
      onChange={(value) => onChange(field.key, value)}
    />
  ));

interface FieldInputProps {
  readonly projectId: number;
  readonly field: ProjectField;
  readonly value: FieldValue | null;
  readonly onChange: (value: FieldValue | null) => void;
}

const none = { id: '', name: t('(none)') };

function FieldInput({ projectId, field, value, onChange }: FieldInputProps) {
  const { name, kind, options, required } = field;
  const label = required ? t('{name} (required)', { name }) : name;
  switch (kind) {
    case 'choice':
      return (
        <Choice
          label={label}
          options={[none, ...options.map((option) => ({ id: option, name: option }))]}
          value={typeof value === 'string' ? value : none.id}
          onChange={(id) => onChange(id === none.id ? null : id)}
        />
      );
    case 'choices':
      return (
        <SomeOf
          label={label}
          options={options}
          chosen={typeof value === 'object' && value !== null ? value : []}
          onChange={onChange}
        />
      );
    case 'boolean':
      return (
        <Choice
          label={label}
          options={[none, { id: 'yes', name: t('Yes') }, { id: 'no', name: t('No') }]}
          value={value === null ? none.id : value === true ? 'yes' : 'no'}
          onChange={(id) => onChange(id === none.id ? null : id === 'yes')}
        />
      );
    case 'user':
      return <PersonChoice {...{ projectId, label, value, onChange }} />;
    default:
      return (
        <Field
          label={label}
          type={kind === 'date' ? 'date' : 'text'}
          {...(kind === 'number' && { inputMode: 'decimal' as const })}
          {...(kind === 'url' && { placeholder: 'https://' })}
          value={value === null ? '' : String(value)}
          onChange={(text) => onChange(text === '' ? null : text)}
          maxLength={2_000}
        />
      );
  }
}

interface SomeOfProps {
  readonly label: string;
  readonly options: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (value: readonly string[] | null) => void;
}

function SomeOf({ label, options, chosen, onChange }: SomeOfProps) {
  const change = (option: string, isOn: boolean) => {
    const next = options.filter((one) => (one === option ? isOn : chosen.includes(one)));
    onChange(next.length === 0 ? null : next);
  };
  return (
    <fieldset className="card stack tight">
      <legend>{label}</legend>
      <div className="row">
        {options.map((option) => (
          <Check key={option} isSelected={chosen.includes(option)} onChange={(isOn) => change(option, isOn)}>
            {option}
          </Check>
        ))}
      </div>
    </fieldset>
  );
}

function PersonChoice({
  projectId,
  label,
  value,
  onChange,
}: Omit<FieldInputProps, 'field'> & { label: string }) {
  const { nameOf } = usePeople();
  const options = useMembers(projectId).map(({ userId }) => ({ id: String(userId), name: nameOf(userId) }));
  return (
    <Choice
      label={label}
      options={[none, ...options]}
      value={value === null ? none.id : String(value)}
      onChange={(id) => onChange(id === none.id ? null : Number(id))}
    />
  );
}

/** The values of a test or a result, as facts: only fields that are set. */
export function FieldFacts({
  projectId,
  of = 'test',
  values,
}: {
  readonly projectId: number;
  readonly of?: 'test' | 'result';
  readonly values: OwnValues | null;
}) {
  const fields = useProjectFields(projectId, of);
  const { nameOf } = usePeople();
  return fields.flatMap(({ key, name, kind }) => {
    const value = fieldValueAt(values, key) ?? null;
    if (value === null) return [];
    const text = shownValue(kind, value, nameOf);
    return [
      <dt key={`${key} name`}>{name}</dt>,
      <dd key={key} className="wrap">
        {kind === 'url' ? (
          <a href={text} target="_blank" rel="noreferrer noopener">
            {text}
          </a>
        ) : (
          text
        )}
      </dd>,
    ];
  });
}
