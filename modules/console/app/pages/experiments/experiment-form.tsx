import { useState } from 'react';
import { plannedSampleSize } from '../../../../cta/experiments/statistics.ts';
import { useTool } from '../../api/queries.ts';
import { countText } from '../../design/amount.ts';
import { Button } from '../../design/button.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { TemplateField } from '../rule-editor/template-field.tsx';
import { ChoiceAt, TextAt, useAt, useEditing } from '../rule-editor/editing.tsx';
import { Section } from '../rule-editor/form-section.tsx';
import { listOf, objectOf, valueAt, type Path } from '../rule-editor/json-path.ts';
import { evenly, mostVariants, nextKey, noControlBecause, wrongSum } from './experiment-plan.ts';
import { lifts, rateText, usualLift } from './experiment-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

const variantsPath = ['experiment', 'variants'] as const;

/** The plan of an experiment: who takes part, and what each variant shows. */
export function ExperimentForm({ tenantId }: { readonly tenantId: string }) {
  const { doc, change, isReadOnly, faultAt } = useEditing();
  const variants = listOf(valueAt(doc, variantsPath));
  const sum = wrongSum(variants);
  const fault = sum === null ? faultAt('experiment.variants') : undefined;
  return (
    <div className="stack loose">
      <Section title={t('Who takes part')}>
        <div className="columns">
          <TextAt
            path={['experiment', 'key']}
            label={t('Name of the experiment')}
            note={t('Letters, digits, - and _.')}
          />
          <PercentAt
            path={['experiment', 'coverage']}
            label={t('Percent of all users')}
            note={t(
              'The others get the CTA as it is and are not counted. It may grow while the experiment runs.',
            )}
          />
          <TextAt
            path={['experiment', 'seed']}
            label={t('Seed')}
            note={t('Decides who is in which variant. Another seed chooses anew.')}
          />
          <HoldoutChoice tenantId={tenantId} />
        </div>
      </Section>
      <Section title={t('How many users it needs')}>
        <PlannedSize />
      </Section>
      <Section title={t('Variants')}>
        {sum !== null && (
          <Alert kind="error">{nodes('The shares add up to {sum} %, not to 100 %.', { sum })}</Alert>
        )}
        {fault !== undefined && <span className="field-error">{fault}</span>}
        {variants.map((_, index) => (
          <VariantFields key={index} index={index} />
        ))}
        {!isReadOnly && variants.length < mostVariants && (
          <Button
            onPress={() =>
              change(
                variantsPath,
                evenly([
                  ...variants,
                  { key: nextKey(variants), actions: listOf(valueAt(doc, ['rule', 'actions'])) },
                ]),
              )
            }
          >
            {t('Add variant')}
          </Button>
        )}
      </Section>
    </div>
  );
}

/** @param share of users who convert today, from 0 to 1. @param lift the improvement of it in percent. */
function plannedText(share: number, lift: number): string {
  if (!(share > 0)) return t('Write a percentage above 0, e.g. 10.');
  const size = plannedSampleSize(share, (share * lift) / 100);
  if (size === null) return t('There is no such improvement: more than 100 % would convert.');
  return t('{users} in each variant, from {today} to {wanted}. Decide then, not earlier.', {
    users: countText(size, 'user'),
    today: rateText(share),
    wanted: rateText(share * (1 + lift / 100)),
  });
}

/** The size of a plan, before there are figures. */
function PlannedSize() {
  const [rate, setRate] = useState('10');
  const [lift, setLift] = useState(usualLift);
  return (
    <>
      <div className="columns">
        <Field
          label={t('Percent of users who convert today')}
          inputMode="decimal"
          value={rate}
          onChange={setRate}
        />
        <Choice
          label={t('Least improvement worth finding')}
          options={lifts}
          value={lift}
          onChange={setLift}
        />
      </div>
      <p role="status">{plannedText(Number(rate.replace(',', '.')) / 100, Number(lift))}</p>
    </>
  );
}

/** The holdouts that only experiments name; without any there is nothing to choose. */
function HoldoutChoice({ tenantId }: { readonly tenantId: string }) {
  const { doc } = useEditing();
  const holdouts = useTool('list-holdouts', { tenantId, limit: 100 });
  const named = (holdouts.data?.holdouts ?? []).filter(({ scope }) => scope === 'named');
  const path = ['experiment', 'holdout'];
  if (named.length === 0 && valueAt(doc, path) === undefined) return null;
  return (
    <ChoiceAt
      path={path}
      label={t('Without the users of holdout')}
      options={named.map(({ name }) => ({ id: name, name }))}
      noneName={t('None')}
      whenNone={undefined}
    />
  );
}

function VariantFields({ index }: { readonly index: number }) {
  const { doc, change, isReadOnly } = useEditing();
  const rule = objectOf(doc['rule']);
  const variants = listOf(valueAt(doc, variantsPath));
  const variant = objectOf(variants[index]);
  const key = String(variant['key'] ?? '');
  const isControl = variant['control'] === true;
  const own = listOf(variant['actions']);
  const isLonely = !variants.some((one, other) => other !== index && objectOf(one)['control'] === true);
  const refusal = noControlBecause(rule, variants);
  const set = (fields: object) => {
    const { control: _control, actions: _actions, ...rest } = variant;
    change([...variantsPath, index], { ...rest, ...fields });
  };
  return (
    <section className="card stack" aria-label={t('Variant {key}', { key })}>
      <div className="columns">
        <TextAt path={[...variantsPath, index, 'key']} label={t('Variant')} />
        <PercentAt path={[...variantsPath, index, 'weight']} label={t('Percent of those who take part')} />
      </div>
      {isLonely && (
        <>
          <Check
            isSelected={isControl}
            onChange={(chosen) => set(chosen ? { control: true } : {})}
            isDisabled={isReadOnly || (refusal !== null && !isControl)}
          >
            {t('Control: shows nothing')}
          </Check>
          {refusal !== null && index === 0 && (
            <p className="note">{nodes('No control here: {refusal}', { refusal })}</p>
          )}
        </>
      )}
      {!isControl && (
        <Check
          isSelected={variant['actions'] !== undefined}
          onChange={(chosen) => set(chosen ? { actions: listOf(rule['actions']) } : {})}
          isDisabled={isReadOnly}
        >
          {t('Shows something else than the CTA as it is')}
        </Check>
      )}
      {own.map((action, at) => (
        <TemplateField
          key={at}
          path={[...variantsPath, index, 'actions', at, 'template']}
          type={String(objectOf(action)['type'])}
          label={t('What {action} shows in {key}', {
            action: String(objectOf(action)['actionId'] ?? ''),
            key,
          })}
        />
      ))}
      {!isReadOnly && variants.length > 2 && (
        <div className="row">
          <Button small onPress={() => change(variantsPath, evenly(variants.toSpliced(index, 1)))}>
            {nodes('Remove variant {key}', { key })}
          </Button>
        </div>
      )}
    </section>
  );
}

interface PercentAtProps {
  readonly path: Path;
  readonly label: string;
  readonly note?: string;
}

/** A share of 0 to 1, typed in percent. Other input stays as typed, so that the check reports it. */
function PercentAt({ path, label, note }: PercentAtProps) {
  const { value, set, isReadOnly, error } = useAt(path);
  const [typed, setTyped] = useState('');
  const stored =
    typeof value === 'number' ? String(Math.round(value * 1_000_000) / 10_000) : String(value ?? '');
  const shown = shareOf(typed) === value ? typed : stored;
  return (
    <Field
      label={label}
      {...(note !== undefined && { note })}
      inputMode="decimal"
      value={shown}
      onChange={(text) => {
        setTyped(text);
        set(shareOf(text));
      }}
      isReadOnly={isReadOnly}
      error={
        typeof value !== 'number'
          ? t('must be a number')
          : // The server speaks of a fraction.
            value < 0 || value > 1
            ? t('must be from 0 to 100')
            : error
      }
    />
  );
}

const shareOf = (text: string): number | string => {
  const number = Number(text.trim().replace(',', '.'));
  return text.trim() === '' || Number.isNaN(number) ? text : number / 100;
};
