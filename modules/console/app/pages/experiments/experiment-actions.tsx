import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { Alert } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { objectOf } from '../rule-editor/json-path.ts';
import { equalVariants } from './experiment-plan.ts';
import { plannedText, quoted } from './experiment-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Cta = Output<'get-cta'>;
type Experiment = NonNullable<Cta['experiment']>;

interface DialogProps {
  readonly cta: Cta;
  readonly experiment: Experiment;
  readonly onClose: () => void;
}

/** Asks before the arms become fixed. */
export function StartExperiment({ cta: { ctaId, status, rule }, experiment, onClose }: DialogProps) {
  const { key, seed, coverage, variants } = experiment;
  const equal = equalVariants(variants, objectOf(rule)['actions']);
  const start = useChange('start-experiment');
  return (
    <ActionDialog
      title={t('Start the experiment {key}?', { key: quoted(key) })}
      action={t('Start experiment')}
      onClose={onClose}
      onConfirm={async () => {
        await start.mutateAsync({ ctaId });
        say(t('The experiment {key} was started.', { key }));
      }}
    >
      <p>
        {nodes(
          '{coverage} of all users take part. From the next launch of their app on, each of them gets one of {count} variants: {variants}.',
          {
            coverage: plannedText(coverage),
            count: variants.length,
            variants: variants.map((one) => `${quoted(one.key)} (${plannedText(one.weight)})`).join(', '),
          },
        )}
      </p>
      <p>
        {nodes(
          'The seed {seed} is frozen: nobody moves from one variant to another. The name and the variants are frozen, too. Only the percent of users may grow.',
          { seed: <code>{seed}</code> },
        )}
      </p>
      {equal.length > 0 && (
        <Alert kind="warning">
          {t('These variants show the same: {names}. Their results will not differ.', {
            names: equal.map(quoted).join(', '),
          })}
        </Alert>
      )}
      {status !== 'LIVE' && (
        <p>{t('No app gets this CTA until it is live. The experiment begins to count then.')}</p>
      )}
    </ActionDialog>
  );
}

interface StopProps extends DialogProps {
  /** The variant that the results speak for. */
  readonly better: string | undefined;
}

/** Asks which variant everybody gets from now on. */
export function StopExperiment({ cta: { ctaId, version, status }, experiment, better, onClose }: StopProps) {
  const { key, variants } = experiment;
  const stop = useChange('stop-experiment');
  // A variant without actions of its own is the CTA as it is.
  const others = variants.filter(({ control, actions }) => control !== true && actions !== undefined);
  const [ship, setShip] = useState(others.find((one) => one.key === better)?.key ?? '');
  return (
    <ActionDialog
      title={t('Stop the experiment {key}?', { key: quoted(key) })}
      action={ship === '' ? t('Stop experiment') : t('Stop and ship {ship}', { ship })}
      onClose={onClose}
      onConfirm={async () => {
        const stopped = await stop.mutateAsync({ ctaId, ...(ship !== '' && { ship }) });
        say(
          stopped.shipped === null
            ? t('The experiment {key} was stopped.', { key })
            : t('The experiment {key} was stopped; version {version} shows {shipped} to everybody.', {
                key,
                version: stopped.version,
                shipped: stopped.shipped,
              }),
        );
      }}
    >
      <Choice
        label={t('What everybody gets from now on')}
        options={[
          { id: '', name: t('The CTA as it is') },
          ...others.map((one) => ({ id: one.key, name: t('The variant {key}', { key: one.key }) })),
        ]}
        value={ship}
        onChange={setShip}
      />
      <p>
        {ship === ''
          ? t(
              'Everybody gets the CTA as it is, version {version}, from the next launch on. Nothing of it changes.',
              { version },
            )
          : t('The actions of {ship} become those of the CTA, as version {version}.', {
              ship: quoted(ship),
              version: version + 1,
            }) + (status === 'LIVE' ? t(' Everybody gets them from the next launch on.') : '')}
      </p>
      <p>{t('A stopped experiment does not start again. Its results stay here.')}</p>
    </ActionDialog>
  );
}

/** More users take part; those who do already stay where they are. */
export function RaiseCoverage({ cta: { ctaId, version }, experiment, onClose }: DialogProps) {
  const update = useChange('update-cta');
  const form = useTyped(`coverage:${ctaId}`, () => ({ percent: '100' }));
  const before = experiment.coverage;
  const coverage = Number(form.typed.percent.replace(',', '.')) / 100;
  const isMore = coverage > before && coverage <= 1;
  return (
    <ActionDialog
      title={t('Let more users take part')}
      action={t('Raise coverage')}
      form={form}
      isDisabled={!isMore}
      onClose={onClose}
      onConfirm={async () => {
        await update.mutateAsync({ ctaId, version, experiment: { ...experiment, coverage } });
        say(t('{coverage} of all users take part from now on.', { coverage: plannedText(coverage) }));
      }}
    >
      <Field
        label={t('Percent of all users')}
        inputMode="decimal"
        {...form.field('percent')}
        autoFocus
        error={
          isMore
            ? undefined
            : t('must be more than {before}, and at most 100 %', { before: plannedText(before) })
        }
      />
      <p>
        {t(
          'It can only grow. Who takes part already keeps the variant; who saw the CTA before taking part is not counted.',
        )}
      </p>
    </ActionDialog>
  );
}
