import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { numberText } from '../../design/amount.ts';
import { Facts } from '../../design/facts.tsx';
import { Choice } from '../../design/fields.tsx';
import { Alert, Answer } from '../../design/states.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { useAddress } from '../../frame/router.tsx';
import { GoalChoice } from './experiment-goal.tsx';
import { IntervalBar } from './interval-bar.tsx';
import { baselineOf, experimentVerdict, type Arm, type Results } from './experiment-verdict.ts';
import {
  intervalText,
  lifts,
  usualLift,
  plannedText,
  pointsText,
  pText,
  rateText,
} from './experiment-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Cta = Output<'get-cta'>;
type Experiment = NonNullable<Cta['experiment']>;

/** The question to the server, as the address holds it. */
export function useResults(ctaId: string, isStarted: boolean) {
  const [address, change] = useAddress();
  const goal = address.get('goal') ?? '';
  const lift = lifts.find(({ id }) => id === address.get('lift'))?.id ?? usualLift;
  const results = useTool(
    'get-experiment-results',
    { ctaId, minimumLift: Number(lift) / 100, ...(goal !== '' && { goal }) },
    { enabled: isStarted, keep: true },
  );
  return { results, goal, lift, change };
}

interface ExperimentFindingsProps extends ReturnType<typeof useResults> {
  readonly cta: Cta;
  readonly experiment: Experiment;
}

/** What an experiment found until now: a verdict, then the figures of each arm. */
export function ExperimentFindings({
  cta,
  experiment,
  results,
  goal,
  lift,
  change,
}: ExperimentFindingsProps) {
  const { ctaId, experimentStartedAt, experimentStoppedAt } = cta;
  return (
    <section className="stack" aria-label={t('Results')}>
      <div className="experiment-question">
        <GoalChoice ctaId={ctaId} value={goal} onChange={(name) => change({ goal: name })} />
        <Choice
          label={t('Least improvement worth finding')}
          options={lifts}
          value={lift}
          onChange={(id) => change({ lift: id === usualLift ? null : id })}
        />
      </div>
      <Answer of={results}>
        {(data) => (
          <>
            <VerdictOf results={data} isOver={experimentStoppedAt !== null} />
            <ArmTable results={data} experiment={experiment} />
            <Facts
              of={[
                ...(experimentStartedAt === null
                  ? []
                  : [{ name: t('Started'), value: <Time at={experimentStartedAt} /> }]),
                ...(experimentStoppedAt === null
                  ? []
                  : [{ name: t('Stopped'), value: <Time at={experimentStoppedAt} /> }]),
                { name: t('Take part'), value: `${plannedText(experiment.coverage)} of all users` },
                {
                  name: t('Planned users an arm'),
                  value: data.sampleSize === null ? 'not known yet' : numberText(data.sampleSize),
                },
                { name: t('Users seen in several arms'), value: numberText(data.multipleExposures) },
                { name: t('Sizes of the arms'), value: ratioText(data) },
                { name: t('Seed'), value: <code>{experiment.seed}</code> },
              ]}
            />
            <p className="note">
              {t(
                'Decide when each arm has its planned users, not earlier: who looks every day and stops at the first difference finds one by chance. Users seen in several arms are left out.',
              )}
            </p>
          </>
        )}
      </Answer>
    </section>
  );
}

const ratioText = ({ srm: { p, warning } }: Results): string =>
  `${warning ? t('not as planned') : t('as planned')} (${pText(p)})`;

function VerdictOf({ results, isOver }: { readonly results: Results; readonly isOver: boolean }) {
  const { kind, text } = experimentVerdict(results, isOver);
  if (kind === 'distrust')
    return (
      <Alert kind="error">
        {nodes(
          '{text} A difference this large by chance has {p}. The app may lose what one variant reports, or the CTA may show in one of them later.',
          { text: <strong>{text}</strong>, p: pText(results.srm.p) },
        )}
      </Alert>
    );
  return (
    <p className={`experiment-verdict is-${kind.replace(' ', '-')}`} role="status">
      {text}
    </p>
  );
}

interface ArmTableProps {
  readonly results: Results;
  readonly experiment: Experiment;
}

function ArmTable({ results: { arms }, experiment: { variants } }: ArmTableProps) {
  const baseline = baselineOf(arms);
  const widest = Math.max(...arms.flatMap(({ interval }) => (interval ?? []).map(Math.abs)), 0.001);
  const variantOf = ({ key }: Arm) => variants.find((one) => one.key === key);
  const columns: ReadonlyArray<TableColumn<Arm>> = [
    {
      title: t('Variant'),
      cell: (arm) => (
        <span className="row">
          <strong>{arm.key}</strong>
          {variantOf(arm)?.control === true && <span className="badge">{t('control')}</span>}
          {arm === baseline && <span className="badge">{t('baseline')}</span>}
        </span>
      ),
    },
    { title: t('Share'), isNumber: true, cell: (arm) => plannedText(variantOf(arm)?.weight ?? 0) },
    { title: t('Users'), isNumber: true, cell: ({ users }) => numberText(users) },
    { title: t('Conversions'), isNumber: true, cell: ({ conversions }) => numberText(conversions) },
    { title: t('Rate'), isNumber: true, cell: ({ rate }) => rateText(rate) },
    {
      title: t('Difference, points'),
      isNumber: true,
      cell: ({ difference }) => (difference === null ? '' : pointsText(difference)),
    },
    {
      title: t('95 % interval'),
      cell: ({ interval }) =>
        interval !== null && (
          <span className="experiment-interval">
            <IntervalBar low={interval[0] ?? 0} high={interval[1] ?? 0} widest={widest} />
            {intervalText(interval)}
          </span>
        ),
    },
    { title: 'p', isNumber: true, cell: ({ p }) => (p === null ? '' : pText(p).replace(/^p /, '')) },
  ];
  return <Table label={t('Arms')} rows={arms} keyOf={({ key }) => key} columns={columns} />;
}
