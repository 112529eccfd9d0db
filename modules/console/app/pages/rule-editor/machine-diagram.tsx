import { useMemo, type KeyboardEvent } from 'react';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { useAddress } from '../../frame/router.tsx';
import { isJson, type Json } from './json-path.ts';
import { StateForm, TransitionForm, useRule } from './machine-forms.tsx';
import { drawingOf } from './machine-layout.ts';
import {
  addTransition,
  filterText,
  initialState,
  nextState,
  statesOf,
  transitionsOf,
  type DrawnState,
  type DrawnTransition,
  type TransitionRef,
} from './rule-edits.ts';
import { stateName } from './state-name.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

const stateKey = (state: string): string => `state:${state}`;
const transitionKey = ({ event, from, index }: TransitionRef): string =>
  `transition:${JSON.stringify([event, from, index])}`;

const stateLabel = (rule: Json, { state, actionId, isReset }: DrawnState): string =>
  [
    t('State {state}: {rule}', { state, rule: stateName(rule, state) }),
    state === initialState && t('every user begins here'),
    actionId !== null && t('runs {actionId}', { actionId }),
    isReset && t('ends the state machine'),
  ]
    .filter(Boolean)
    .join(', ');

const transitionLabel = ({ event, from, to, filters }: DrawnTransition): string =>
  t('Transition from {from} to {to} on {event}{condition}', {
    from,
    to,
    event,
    condition: isJson(filters) ? t(', if {filters}', { filters: filterText(filters) }) : '',
  });

/** The state machine of the rule as a drawing. What is chosen in it is edited by the form beside it. */
export default function MachineDiagram({ ctaId }: { readonly ctaId: string }) {
  const funnel = useTool('get-cta-funnel', { ctaId }).data;
  const [address, change] = useAddress();
  const { rule, setRule, isReadOnly } = useRule();
  const drawing = useMemo(
    () => drawingOf(rule, new Map(funnel?.states.map(({ state: one, ever }) => [one, ever]))),
    [rule, funnel],
  );
  const chosen = address.get('at') ?? stateKey(initialState);
  const choose = (key: string | null) => change({ at: key });
  const state = statesOf(rule).find((one) => stateKey(one.state) === chosen);
  const transition = transitionsOf(rule).find((one) => transitionKey(one) === chosen);
  const partOf = (key: string) => ({
    className: 'machine-part',
    role: 'button',
    tabIndex: 0,
    'aria-pressed': key === chosen,
    onClick: () => choose(key),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose(key);
    },
  });
  return (
    <div className="machine">
      <div className="machine-frame" tabIndex={0} role="region" aria-label={t('Drawing')}>
        <svg
          className="machine-drawing"
          width={drawing.width}
          height={drawing.height}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
          role="group"
          aria-label={t('State machine')}
        >
          <defs>
            <marker
              id="machine-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              orient="auto-start-reverse"
            >
              <path d="M 0 0 L 8 4 L 0 8 z" />
            </marker>
          </defs>
          {drawing.transitions.map(({ transition: one, line, label, lines }) => (
            <g key={transitionKey(one)} {...partOf(transitionKey(one))}>
              <title>{transitionLabel(one)}</title>
              <path className="machine-line" d={line} markerEnd="url(#machine-arrow)" />
              <rect
                className="machine-label"
                x={label.x - label.width / 2}
                y={label.y - label.height / 2}
                width={label.width}
                height={label.height}
                rx={4}
              />
              <Lines lines={lines} x={label.x} y={label.y} />
            </g>
          ))}
          {drawing.states.map(({ state: one, lines, x, y, width, height }) => (
            <g key={stateKey(one.state)} {...partOf(stateKey(one.state))}>
              <title>{stateLabel(rule, one)}</title>
              <rect
                className={`machine-state${one.state === initialState ? ' first' : ''}${one.isReset ? ' reset' : ''}`}
                x={x - width / 2}
                y={y - height / 2}
                width={width}
                height={height}
                rx={10}
              />
              <Lines lines={lines} x={x} y={y} />
            </g>
          ))}
        </svg>
      </div>
      <section className="card stack" aria-label={t('What is chosen')}>
        {state ? (
          <>
            <h2>
              {nodes('State {state}: {rule}', { state: state.state, rule: stateName(rule, state.state) })}
            </h2>
            <StateForm
              key={state.state}
              state={state}
              onMoved={(to) => choose(to === null ? null : stateKey(to))}
              onAdded={(ref) => choose(transitionKey(ref))}
            />
          </>
        ) : transition ? (
          <>
            <h2>{nodes('Transition on {event}', { event: transition.event })}</h2>
            <TransitionForm
              key={chosen}
              transition={transition}
              onMoved={(ref) => choose(ref === null ? null : transitionKey(ref))}
            />
          </>
        ) : (
          <p>{t('Choose a state or a transition in the drawing.')}</p>
        )}
        {!isReadOnly && transitionsOf(rule).length === 0 && (
          <Button
            onPress={() => {
              const added = addTransition(rule, { event: 'event', from: initialState, to: nextState(rule) });
              setRule(added.rule);
              choose(transitionKey(added.ref));
            }}
          >
            {t('Add transition')}
          </Button>
        )}
      </section>
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
}

const Lines = ({ lines, x, y }: LinesProps) => (
  <text x={x} textAnchor="middle" aria-hidden="true">
    {lines.map((line, index) => (
      <tspan key={index} x={x} y={y + (index - (lines.length - 1) / 2) * 17 + 4}>
        {line}
      </tspan>
    ))}
  </text>
);
