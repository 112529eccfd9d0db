import { useState } from 'react';
import { isRunning } from '../../../../cta/rules/experiment.ts';
import { Button } from '../../design/button.tsx';
import { Alert, Empty } from '../../design/states.tsx';
import type { Output } from '../../api/calls.ts';
import { randomWord } from '../../api/random-word.ts';
import { useMay } from '../../frame/organizations.ts';
import { isSame } from '../rule-editor/cta-document.ts';
import { isJson, objectOf } from '../rule-editor/json-path.ts';
import { statusWords } from '../rule-editor/cta-words.ts';
import type { Draft } from './cta-draft.ts';
import { RaiseCoverage, StartExperiment, StopExperiment } from '../experiments/experiment-actions.tsx';
import { ExperimentForm } from '../experiments/experiment-form.tsx';
import { plannedExperiment } from '../experiments/experiment-plan.ts';
import { ExperimentFindings, useResults } from '../experiments/experiment-results.tsx';
import { experimentVerdict } from '../experiments/experiment-verdict.ts';
import '../experiments/experiment.css';
import { inSentence, t } from '../../texts/text.ts';

type Cta = Output<'get-cta'>;
type Experiment = NonNullable<Cta['experiment']>;

interface CtaExperimentProps {
  readonly cta: Cta;
  readonly draft: Draft;
}

/** The experiment of a CTA: its plan until it starts, its results from then on. */
export function CtaExperiment({ cta, draft }: CtaExperimentProps) {
  const { experiment, experimentStartedAt } = cta;
  const planned = draft.doc['experiment'];
  const runs = isRunning(cta);
  const isStored = isSame(planned, experiment);
  const plan = () => {
    const word = randomWord(8);
    draft.change(['experiment'], plannedExperiment(objectOf(draft.doc['rule']), word, experiment?.key));
  };
  if (experiment !== null && experimentStartedAt !== null && (isStored || runs))
    return (
      <Started
        cta={cta}
        experiment={experiment}
        isRunning={runs}
        {...(!draft.isReadOnly && { onPlan: plan })}
      />
    );
  if (!isJson(planned)) return <NoExperiment cta={cta} {...(!draft.isReadOnly && { onPlan: plan })} />;
  return <Planned cta={cta} draft={draft} experiment={isStored ? experiment : null} />;
}

interface NoExperimentProps {
  readonly cta: Cta;
  /** Left out: the CTA cannot be edited. */
  readonly onPlan?: () => void;
}

const NoExperiment = ({ cta: { status }, onPlan }: NoExperimentProps) => (
  <Empty title={t('No experiment yet')}>
    <p>
      {t(
        'An experiment gives each user one of several variants of this CTA and counts how many of them reach a goal. A control variant shows nothing. Installed apps need no change.',
      )}
    </p>
    {onPlan ? (
      <Button kind="primary" onPress={onPlan}>
        {t('Add an experiment')}
      </Button>
    ) : (
      <p className="note">
        {status === 'LIVE'
          ? t('Pause the CTA to add one, then resume it.')
          : t('This CTA cannot be edited: it is {name}.', { name: inSentence(statusWords[status].name) })}
      </p>
    )}
  </Empty>
);

interface PlannedProps extends CtaExperimentProps {
  /** null: the plan is not saved yet. */
  readonly experiment: Experiment | null;
}

function Planned({ cta, draft, experiment }: PlannedProps) {
  const mayPublish = useMay('admin');
  const [isStarting, setStarting] = useState(false);
  const isOver = cta.status === 'CONCLUDED' || cta.status === 'TERMINATED';
  return (
    <div className="stack loose">
      <div className="between">
        <p className="grow">
          {experiment === null
            ? t('This plan is not saved yet. Save the CTA, then start the experiment.')
            : t('Planned, not started: everybody gets the CTA as it is.')}
        </p>
        {!draft.isReadOnly && (
          <Button onPress={() => draft.change(['experiment'], null)}>{t('Remove experiment')}</Button>
        )}
        {mayPublish && (
          <Button
            kind="primary"
            isDisabled={experiment === null || draft.isDirty || isOver}
            onPress={() => setStarting(true)}
          >
            {t('Start experiment…')}
          </Button>
        )}
      </div>
      {experiment === null && cta.experimentStartedAt !== null && (
        <Alert kind="warning">
          {t('Saving another experiment hides the results of the last one. Write them down before.')}
        </Alert>
      )}
      <ExperimentForm tenantId={cta.tenantId} />
      {isStarting && experiment !== null && (
        <StartExperiment cta={cta} experiment={experiment} onClose={() => setStarting(false)} />
      )}
    </div>
  );
}

interface StartedProps {
  readonly cta: Cta;
  readonly experiment: Experiment;
  readonly isRunning: boolean;
  readonly onPlan?: () => void;
}

function Started({ cta, experiment, isRunning, onPlan }: StartedProps) {
  const mayPublish = useMay('admin');
  const mayWrite = useMay('member');
  const [dialog, setDialog] = useState<'stop' | 'raise' | null>(null);
  const asked = useResults(cta.ctaId, true);
  const close = () => setDialog(null);
  const better = asked.results.data ? experimentVerdict(asked.results.data).best : undefined;
  return (
    <div className="stack loose">
      <div className="between">
        <h2 className="row">
          {experiment.key}
          <span className={`status ${isRunning ? 'of-passed' : 'of-untested'}`}>
            {isRunning ? t('Running') : t('Stopped')}
          </span>
        </h2>
        <div className="row">
          {isRunning && mayWrite && experiment.coverage < 1 && (
            <Button onPress={() => setDialog('raise')}>{t('Let more users take part…')}</Button>
          )}
          {isRunning && mayPublish && (
            <Button onPress={() => setDialog('stop')}>{t('Stop experiment…')}</Button>
          )}
          {!isRunning && onPlan && <Button onPress={onPlan}>{t('Plan another experiment')}</Button>}
        </div>
      </div>
      <ExperimentFindings cta={cta} experiment={experiment} {...asked} />
      {dialog === 'raise' && <RaiseCoverage cta={cta} experiment={experiment} onClose={close} />}
      {dialog === 'stop' && (
        <StopExperiment cta={cta} experiment={experiment} better={better} onClose={close} />
      )}
    </div>
  );
}
