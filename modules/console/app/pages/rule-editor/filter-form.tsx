import {
  comparisonTypes,
  groupOperators,
  maxFilterDepth,
  propertyTypes,
} from '../../../../cta/rules/rule-words.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { isJson, listOf, objectOf, without, withValue, type Json } from './json-path.ts';
import { t } from '../../texts/text.ts';

interface PartProps {
  readonly value: Json;
  readonly onChange: (value: Json) => void;
  /** As the server names it. */
  readonly path: string;
  readonly faultAt: (path: string) => string | undefined;
  readonly isReadOnly: boolean;
  /** Read by screen readers before the labels of fields: which condition. */
  readonly name: string;
}

interface FilterFormProps extends Omit<PartProps, 'value' | 'onChange' | 'name'> {
  readonly value: unknown;
  /** undefined: no condition. */
  readonly onChange: (value: Json | undefined) => void;
}

const newLeaf: Json = {
  propertyName: '',
  propertyType: 'string',
  comparisonType: '=',
  comparisonValue: '',
};

const optionsOf = (words: readonly string[]) => words.map((word) => ({ id: word, name: word }));

const operatorOptions = groupOperators.map((id) => ({
  id,
  name: id === 'AND' ? t('All of these hold') : t('One of these holds'),
}));

/** The conditions of a transition or a cohort: comparisons, and groups of them. */
export function FilterForm({ value, onChange, ...rest }: FilterFormProps) {
  const isGroup = isJson(value) && Array.isArray(value['filter']);
  if (!isGroup)
    return (
      <div className="row">
        <span className="note">{t('No condition: always.')}</span>
        {!rest.isReadOnly && (
          <Button small onPress={() => onChange({ operator: 'AND', filter: [newLeaf] })}>
            {t('Add condition')}
          </Button>
        )}
      </div>
    );
  return (
    <Group
      {...rest}
      name={t('Condition')}
      depth={1}
      value={value}
      onChange={(group) => onChange(listOf(group['filter']).length === 0 ? undefined : group)}
    />
  );
}

function Group({ value, onChange, path, name, depth, ...rest }: PartProps & { readonly depth: number }) {
  const parts = listOf(value['filter']);
  const change = (filter: readonly unknown[]) => onChange({ ...value, filter });
  const fault = rest.faultAt(path) ?? rest.faultAt(`${path}.filter`);
  return (
    <div className="filter-group stack" role="group" aria-label={name}>
      <Choice
        label={t('{name}: how its parts count', { name })}
        hideLabel
        options={operatorOptions}
        value={String(value['operator'])}
        onChange={(operator) => onChange({ ...value, operator })}
        isDisabled={rest.isReadOnly}
      />
      {parts.map((part, index) => {
        const props = {
          ...rest,
          value: objectOf(part),
          path: `${path}.filter[${index}]`,
          name: `${name} ${index + 1}`,
          onChange: (to: Json) => change(parts.with(index, to)),
        };
        const isInnerGroup = isJson(part) && Array.isArray(part['filter']);
        return (
          <div key={index} className="filter-part">
            {isInnerGroup ? <Group {...props} depth={depth + 1} /> : <Leaf {...props} />}
            {!rest.isReadOnly && (
              <IconButton
                icon="close"
                label={t('Remove {name} {index}', { name: name.toLowerCase(), index: index + 1 })}
                onPress={() => change(parts.toSpliced(index, 1))}
              />
            )}
          </div>
        );
      })}
      {fault !== undefined && <span className="field-error">{fault}</span>}
      {!rest.isReadOnly && (
        <div className="row">
          <Button small onPress={() => change([...parts, newLeaf])}>
            {t('Add condition')}
          </Button>
          {depth < maxFilterDepth && (
            <Button small onPress={() => change([...parts, { operator: 'OR', filter: [newLeaf] }])}>
              {t('Add group')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ value, onChange, path, name, faultAt, isReadOnly }: PartProps) {
  const type = String(value['propertyType']);
  const right = value['comparisonValue'];
  const set = (field: string, to: unknown) =>
    onChange(objectOf(to === undefined ? without(value, [field]) : withValue(value, [field], to)));
  return (
    <div className="filter-leaf" role="group" aria-label={name}>
      <Field
        label={t('Property')}
        value={String(value['propertyName'] ?? '')}
        onChange={(text) => set('propertyName', text)}
        isReadOnly={isReadOnly}
        error={faultAt(path) ?? faultAt(`${path}.propertyName`)}
      />
      <Choice
        label={t('Type of {name}', { name: name.toLowerCase() })}
        hideLabel
        options={optionsOf(propertyTypes)}
        value={type}
        onChange={(to) => onChange({ ...value, propertyType: to, comparisonValue: readAs(to, right) })}
        isDisabled={isReadOnly}
      />
      <Choice
        label={t('Comparison of {name}', { name: name.toLowerCase() })}
        hideLabel
        options={optionsOf(comparisonTypes)}
        value={String(value['comparisonType'])}
        onChange={(to) => set('comparisonType', to)}
        isDisabled={isReadOnly}
      />
      {type === 'boolean' && typeof right === 'boolean' ? (
        <Choice
          label={t('Value of {name}', { name: name.toLowerCase() })}
          hideLabel
          options={optionsOf(['true', 'false'])}
          value={String(right)}
          onChange={(to) => set('comparisonValue', to === 'true')}
          isDisabled={isReadOnly}
        />
      ) : (
        <Field
          label={t('Value')}
          value={right === undefined ? '' : String(right)}
          onChange={(text) => set('comparisonValue', readAs(type, text))}
          isReadOnly={isReadOnly}
          error={faultAt(`${path}.comparisonValue`) ?? faultAt(`${path}.comparisonType`)}
        />
      )}
      {isJson(value['functions']) && (
        <span className="note">{t('It compares a calculation, which the JSON shows.')}</span>
      )}
    </div>
  );
}

/** What was typed, as its type has it. What cannot be read so stays a text, for the check to name. */
function readAs(type: string, value: unknown): unknown {
  const text = String(value ?? '');
  if (type === 'number' && text.trim() !== '' && String(Number(text)) === text.trim()) return Number(text);
  if (type === 'boolean') return text === '' ? true : text === 'true' || (text === 'false' ? false : text);
  return text;
}
