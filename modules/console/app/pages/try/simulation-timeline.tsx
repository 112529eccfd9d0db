import { countText } from '../../design/amount.ts';
import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { timeText } from '../../design/time.tsx';
import { propertyText, stepKinds, type StepDraft } from '../rule-editor/simulation-steps.ts';
import type { Json } from '../rule-editor/json-path.ts';
import { stateName } from '../rule-editor/state-name.ts';
import { outcomeText, type Outcome } from './simulation-words.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface TimelineProps {
  readonly simulation: Output<'simulate-cta'>;
  readonly steps: readonly StepDraft[];
  /** The names of CTAs, as far as they are known. */
  readonly names: ReadonlyMap<string, string>;
  /** Their rules, whose states have names. */
  readonly rules: ReadonlyMap<string, Json>;
}

/** What an app does in each step, and the states of its CTAs in the end. */
export function Timeline({ simulation, steps, names, rules }: TimelineProps) {
  const { ctaIds, ctas } = simulation;
  const nameOf = (ctaId: string) => names.get(ctaId) ?? t('CTA {ctaId}', { ctaId });
  const stateOf = (ctaId: string) => (state: string) => {
    const rule = rules.get(ctaId);
    return rule === undefined ? state : `${state} (${stateName(rule, state)})`;
  };
  return (
    <>
      <section className="stack" aria-label={t('Timeline')}>
        <h2>{t('Timeline')}</h2>
        {ctaIds.length === 0 && <p>{t('A launch sends no CTA to this user, so nothing happens.')}</p>}
        <ol className="simulation-timeline">
          {simulation.steps.map(({ at, outcomes }, index) => {
            const step = steps[index];
            return (
              <li key={index}>
                <p>
                  <strong>{step && titleOf(step)}</strong> <span className="note">{timeText(at)}</span>
                </p>
                {step && step.kind === 'event' && Object.keys(step.properties).length > 0 && (
                  <p className="note wrap">
                    {Object.entries(step.properties)
                      .map(([name, value]) => `${name} = ${propertyText(value)}`)
                      .join(', ')}
                  </p>
                )}
                {outcomes.length === 0 ? (
                  <p className="note">{t('Nothing happens.')}</p>
                ) : (
                  <ul className="simulation-outcomes">
                    {outcomes.map((outcome, place) => (
                      <OutcomeLine
                        key={place}
                        outcome={outcome}
                        name={nameOf(outcome.ctaId)}
                        stateOf={stateOf(outcome.ctaId)}
                      />
                    ))}
                  </ul>
                )}
              </li>
            );
          })}
        </ol>
      </section>
      <section className="stack" aria-label={t('States in the end')}>
        <h2>{t('States in the end')}</h2>
        {ctas.length === 0 && <p className="note">{t('No CTA has begun.')}</p>}
        {ctas.map(({ ctaId, activeStateMachines, resetAt }) => {
          const machines = Object.entries(activeStateMachines);
          return (
            <div key={ctaId} className="card stack tight">
              <div className="between">
                <Link href={`/ctas/${ctaId}?tab=diagram`}>{nameOf(ctaId)}</Link>
                <span className="note">{countText(resetAt.length, 'impression')}</span>
              </div>
              {machines.length === 0 ? (
                <p className="note">{t('No state machine: it begins anew.')}</p>
              ) : (
                <ul className="machine-states">
                  {machines.map(([group, { currentState }]) => (
                    <li key={group}>
                      <span className="machine-chip">{stateOf(ctaId)(currentState)}</span>
                      {group !== ctaId && <span className="note wrap">{group}</span>}
                    </li>
                  ))}
                </ul>
              )}
            </div>
          );
        })}
      </section>
    </>
  );
}

const titleOf = ({ kind, event, ctaId }: StepDraft): string =>
  kind === 'event' ? event : kind === 'action-done' ? `${stepKinds[kind]}: ${ctaId}` : stepKinds[kind];

interface OutcomeLineProps {
  readonly outcome: Outcome;
  readonly name: string;
  readonly stateOf: (state: string) => string;
}

function OutcomeLine({ outcome, name, stateOf }: OutcomeLineProps) {
  const { text, colour } = outcomeText(outcome, stateOf);
  return (
    <li className={colour}>
      <span className="simulation-dot" aria-hidden="true" />
      <span className="wrap">
        <strong>{name}</strong> {text}
        {outcome.groupKey !== outcome.ctaId && (
          <span className="note">{nodes('for {groupKey}', { groupKey: outcome.groupKey })}</span>
        )}
      </span>
    </li>
  );
}
