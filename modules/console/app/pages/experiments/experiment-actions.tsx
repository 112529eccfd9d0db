import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { useChange } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { ActionDialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/fields.tsx';
import { say } from '../../design/toast.tsx';
import { plannedText, quoted } from './experiment-words.ts';

type Cta = Output<'get-cta'>;
type Experiment = NonNullable<Cta['experiment']>;

interface DialogProps {
  readonly cta: Cta;
  readonly experiment: Experiment;
  readonly onClose: () => void;
}

/** Asks before the arms become fixed. */
export function StartExperiment({ cta: { ctaId, status }, experiment, onClose }: DialogProps) {
  const { key, seed, coverage, variants } = experiment;
  const start = useChange('start-experiment');
  return (
    <ActionDialog
      title={`Start the experiment ${quoted(key)}?`}
      action="Start experiment"
      onClose={onClose}
      onConfirm={async () => {
        await start.mutateAsync({ ctaId });
        say(`The experiment ${key} was started.`);
      }}
    >
      <p>
        {plannedText(coverage)} of all users take part. From the next launch of their app on, each of them
        gets one of {variants.length} variants:{' '}
        {variants.map((one) => `${quoted(one.key)} (${plannedText(one.weight)})`).join(', ')}.
      </p>
      <p>
        The seed <code>{seed}</code> is frozen: nobody moves from one variant to another. The name and the
        variants are frozen, too. Only the percent of users may grow.
      </p>
      {status !== 'LIVE' && (
        <p>No app gets this CTA until it is live. The experiment begins to count then.</p>
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
      title={`Stop the experiment ${quoted(key)}?`}
      action={ship === '' ? 'Stop experiment' : `Stop and ship ${ship}`}
      onClose={onClose}
      onConfirm={async () => {
        const stopped = await stop.mutateAsync({ ctaId, ...(ship !== '' && { ship }) });
        say(
          stopped.shipped === null
            ? `The experiment ${key} was stopped.`
            : `The experiment ${key} was stopped; version ${stopped.version} shows ${stopped.shipped} to everybody.`,
        );
      }}
    >
      <Choice
        label="What everybody gets from now on"
        options={[
          { id: '', name: 'The CTA as it is' },
          ...others.map((one) => ({ id: one.key, name: `The variant ${one.key}` })),
        ]}
        value={ship}
        onChange={setShip}
      />
      <p>
        {ship === ''
          ? `Everybody gets the CTA as it is, version ${version}, from the next launch on. Nothing of it changes.`
          : `The actions of ${quoted(ship)} become those of the CTA, as version ${version + 1}.` +
            (status === 'LIVE' ? ' Everybody gets them from the next launch on.' : '')}
      </p>
      <p>A stopped experiment does not start again. Its results stay here.</p>
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
      title="Let more users take part"
      action="Raise coverage"
      form={form}
      isDisabled={!isMore}
      onClose={onClose}
      onConfirm={async () => {
        await update.mutateAsync({ ctaId, version, experiment: { ...experiment, coverage } });
        say(`${plannedText(coverage)} of all users take part from now on.`);
      }}
    >
      <Field
        label="Percent of all users"
        inputMode="decimal"
        {...form.field('percent')}
        autoFocus
        error={isMore ? undefined : `must be more than ${plannedText(before)}, and at most 100 %`}
      />
      <p>
        It can only grow. Who takes part already keeps the variant; who saw the CTA before taking part is not
        counted.
      </p>
    </ActionDialog>
  );
}
