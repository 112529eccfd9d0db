import { Button } from '../../design/button.tsx';
import { Check, Choice } from '../../design/fields.tsx';
import { CommitField, useEditing } from './editing.tsx';
import { FilterForm } from './filter-form.tsx';
import { listOf, objectOf, pathText } from './json-path.ts';
import {
  addTransition,
  changeTransition,
  initialState,
  moveTransition,
  nextState,
  pathOf,
  removeState,
  removeTransition,
  renameState,
  setAction,
  setReset,
  type DrawnState,
  type DrawnTransition,
  type TransitionRef,
} from './rule-edits.ts';
import { stateName } from './state-name.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** The rule of the document that is edited, and a way to replace it. */
export function useRule() {
  const { doc, change, isReadOnly, faultAt } = useEditing();
  return {
    rule: objectOf(doc['rule']),
    setRule: (rule: unknown) => change(['rule'], rule),
    isReadOnly,
    faultAt,
  };
}

interface TransitionFormProps {
  readonly transition: DrawnTransition;
  /** Its event, state or place may have become another; null: it is gone. */
  readonly onMoved: (ref: TransitionRef | null) => void;
}

/** When a transition is taken, and where it leads. */
export function TransitionForm({ transition, onMoved }: TransitionFormProps) {
  const { change } = useEditing();
  const { rule, setRule, isReadOnly, faultAt } = useRule();
  const { event, from, index, to, filters } = transition;
  const path = pathOf(transition);
  const siblings = listOf(objectOf(objectOf(rule['stateTransition'])[event])[from]).length;
  const apply = (changed: ReturnType<typeof changeTransition>) => {
    setRule(changed.rule);
    onMoved(changed.ref);
  };
  const set = (fields: Partial<Pick<DrawnTransition, 'event' | 'from' | 'to'>>) =>
    apply(changeTransition(rule, transition, { event, from, to, ...fields }));
  const at = pathText(path);
  const fault = faultAt(at) ?? faultAt(pathText(path.slice(0, -1))) ?? faultAt(pathText(path.slice(0, -2)));
  return (
    <div className="stack">
      <div className="transition-fields">
        <CommitField
          label={t('Event')}
          value={event}
          onCommit={(text) => set({ event: text })}
          isReadOnly={isReadOnly}
        />
        <CommitField
          label={t('From state')}
          value={from}
          onCommit={(text) => set({ from: text })}
          isReadOnly={isReadOnly}
          note={stateName(rule, from)}
        />
        <CommitField
          label={t('To state')}
          value={to}
          onCommit={(text) => set({ to: text })}
          isReadOnly={isReadOnly}
          note={stateName(rule, to)}
          error={faultAt(`${at}.transitionTo`)}
        />
      </div>
      {fault !== undefined && <span className="field-error">{fault}</span>}
      <FilterForm
        value={filters}
        onChange={(value) => change([...path, 'filters'], value)}
        path={`${at}.filters`}
        faultAt={faultAt}
        isReadOnly={isReadOnly}
      />
      {!isReadOnly && (
        <div className="row">
          {siblings > 1 && (
            <>
              <span className="note">
                {nodes('Tried as number {index} of {siblings}; the first that holds is taken.', {
                  index: index + 1,
                  siblings,
                })}
              </span>
              <Button
                small
                isDisabled={index === 0}
                onPress={() => apply(moveTransition(rule, transition, -1))}
              >
                {t('Try earlier')}
              </Button>
              <Button
                small
                isDisabled={index === siblings - 1}
                onPress={() => apply(moveTransition(rule, transition, 1))}
              >
                {t('Try later')}
              </Button>
            </>
          )}
          <Button
            small
            onPress={() => {
              setRule(removeTransition(rule, transition));
              onMoved(null);
            }}
          >
            {t('Remove transition')}
          </Button>
        </div>
      )}
    </div>
  );
}

interface StateFormProps {
  readonly state: DrawnState;
  /** It may have another number now; null: it is gone. */
  readonly onMoved: (state: string | null) => void;
  /** A transition was added. */
  readonly onAdded?: (ref: TransitionRef) => void;
}

const none = '';

/** What happens when a state is entered. */
export function StateForm({ state: { state, actionId, isReset }, onMoved, onAdded }: StateFormProps) {
  const { rule, setRule, isReadOnly, faultAt } = useRule();
  const actions = listOf(rule['actions']).map((action) => String(objectOf(action)['actionId'] ?? ''));
  const isInitial = state === initialState;
  const fault = faultAt(`rule.stateToAction.${state}`);
  return (
    <div className="stack">
      <div className="transition-fields">
        <CommitField
          label={t('State')}
          value={state}
          onCommit={(text) => {
            setRule(renameState(rule, state, text));
            onMoved(text);
          }}
          isReadOnly={isReadOnly || isInitial}
          note={isInitial ? t('Every user begins here.') : stateName(rule, state)}
        />
        <Choice
          label={t('Action when it is entered')}
          options={[
            { id: none, name: t('No action') },
            ...[...new Set([...actions, actionId ?? ''])]
              .filter((id) => id !== '')
              .map((id) => ({ id, name: id })),
          ]}
          value={actionId ?? none}
          onChange={(id) => setRule(setAction(rule, state, id === none ? null : id))}
          isDisabled={isReadOnly}
        />
      </div>
      {fault !== undefined && <span className="field-error">{fault}</span>}
      <Check
        isSelected={isReset}
        onChange={(chosen) => setRule(setReset(rule, state, chosen))}
        isDisabled={isReadOnly}
      >
        {t('Ends the state machine and counts as one impression')}
      </Check>
      {!isReadOnly && (
        <div className="row">
          <Button
            small
            onPress={() => {
              const added = addTransition(rule, { event: 'event', from: state, to: nextState(rule) });
              setRule(added.rule);
              onAdded?.(added.ref);
            }}
          >
            {t('Add transition to a new state')}
          </Button>
          {!isInitial && (
            <Button
              small
              onPress={() => {
                setRule(removeState(rule, state));
                onMoved(null);
              }}
            >
              {t('Remove state')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
